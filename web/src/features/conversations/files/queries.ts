import { ApiError } from "@/api/errors";
import type { ErrorBody } from "@/api/types";
import { common } from "@/lib/messages/common";
import { newKey } from "@/lib/random";
import type { Attached } from "../outbox";

/** Has the server keep a file. Fetch tells nothing of its progress, so this is the older way. */
export async function upload(file: File, onProgress: (part: number) => void): Promise<Attached> {
  const data = await base64(file);
  return await new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/attachments");
    request.setRequestHeader("Content-Type", "application/json");
    request.setRequestHeader("Idempotency-Key", newKey());
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText) as Attached);
      else reject(refused(request));
    };
    request.onerror = () => reject(new ApiError(0, { message: common.errors.unreachable }));
    request.send(JSON.stringify({ name: file.name, media_type: file.type, data }));
  });
}

function refused(request: XMLHttpRequest): ApiError {
  try {
    const { error } = JSON.parse(request.responseText) as { error: Partial<ErrorBody> & { message: string } };
    return new ApiError(request.status, error);
  } catch {
    return new ApiError(request.status, { message: common.errors.status(request.status) });
  }
}

/** The content as the API takes it. */
function base64(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error ?? new Error(file.type));
    reader.readAsDataURL(file);
  });
}

/** Writes down what was said in a recording. */
export async function transcribe(recording: Blob, model: string): Promise<string> {
  const form = new FormData();
  form.set("model", model);
  form.set("file", recording, `dictation.${/ogg|mp4|wav/.exec(recording.type)?.[0] ?? "webm"}`);
  const answer = await globalThis
    .fetch("/v1/audio/transcriptions", { method: "POST", body: form })
    .catch(() => {
      throw new ApiError(0, { message: common.errors.unreachable });
    });
  const body = (await answer.json().catch(() => ({}))) as { text?: string; error?: { message?: string } };
  if (!answer.ok)
    throw new ApiError(answer.status, {
      message: body.error?.message ?? common.errors.status(answer.status),
    });
  return body.text?.trim() ?? "";
}
