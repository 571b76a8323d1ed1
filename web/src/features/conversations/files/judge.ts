import { bytes } from "@/lib/format";
import { talk } from "@/lib/messages/talk";

const words = talk.files;

/** The most one file may have, and the most files of one message; the server says the same. */
export const maxBytes = 20 * 1024 * 1024;
export const maxFiles = 16;

const good =
  /^(image\/(png|jpeg|gif|webp)|application\/pdf|audio\/|text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-sh|sql|x-ndjson))/;
const bad =
  /^(video|font|model)\/|^image\/|zip|compressed|x-tar|msword|officedocument|opendocument|ms-excel|ms-powerpoint|octet-stream|executable/;
const textName =
  /\.(md|txt|log|csv|tsv|json|jsonl|ya?ml|toml|ini|conf|env|xml|html?|css|jsx?|tsx?|mjs|go|rs|py|rb|java|kt|c|h|cc|cpp|cs|swift|sh|bash|zsh|ps1|sql|proto|dockerfile|makefile|diff|patch)$/i;

/** What the file picker offers first. */
export const accepted =
  "image/png,image/jpeg,image/gif,image/webp,application/pdf,audio/*,text/*,.md,.json,.yaml,.yml,.toml,.csv,.go,.ts,.tsx,.js,.py,.rs,.sql,.sh,.log";

/** Why a file cannot be attached, in words; undefined when it can, or when only the server can tell. */
export function refusal(file: Pick<File, "name" | "size" | "type">, already: number): string | undefined {
  if (already >= maxFiles) return words.tooMany(maxFiles);
  if (file.size === 0) return words.empty;
  if (file.size > maxBytes) return words.tooLarge(bytes(file.size), bytes(maxBytes));
  if (good.test(file.type) || textName.test(file.name)) return undefined;
  return bad.test(file.type) ? words.wrongKind : undefined;
}
