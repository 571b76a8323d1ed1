import { talk } from "@/lib/messages/talk";
import { Avatar } from "@/ui/bits";
import { Tip } from "@/ui/tooltip";
import { usePresence, useVisitors } from "./presence";
import "./notes/notes.css";

const words = talk.presence;
const shown = 3;

/** Who else looks at this conversation, and on what. */
export function Visitors({ conversation, me }: { conversation: string; me: string }) {
  usePresence(conversation);
  const visitors = useVisitors();
  if (visitors.length === 0) return null;
  const nameOf = (one: (typeof visitors)[number]) =>
    one.user === me ? words.you : words.here(one.name, words.devices[one.device ?? ""] ?? "");
  const typist = visitors.find((one) => one.typing && one.user !== me);
  return (
    <>
      {typist && (
        <span className="trunc pulse hidden text-small text-fg-3 sm:inline">{words.typing(typist.name)}</span>
      )}
      <ul className="visitors" aria-label={words.label}>
        {visitors.slice(0, shown).map((one) => (
          <li key={one.window}>
            <Tip text={nameOf(one)}>
              <button type="button" className="visitor" aria-label={nameOf(one)}>
                <Avatar name={one.name} />
              </button>
            </Tip>
          </li>
        ))}
        {visitors.length > shown && (
          <li className="num text-micro text-fg-3">{words.more(visitors.length - shown)}</li>
        )}
      </ul>
    </>
  );
}
