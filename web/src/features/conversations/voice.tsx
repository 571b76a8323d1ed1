import { LoaderCircle, Mic, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { talk } from "@/lib/messages/talk";
import { IconButton } from "@/ui/button";
import { toast } from "@/ui/toast";
import { transcribe } from "./files/queries";
import "./composer.css";

const words = talk.voice;

type State = "idle" | "listening" | "writing";

/** Dictates into the field. `model` writes it down; without one it says what is missing. */
export function Voice({ model, onText }: { model: string | undefined; onText: (text: string) => void }) {
  const [state, setState] = useState<State>("idle");
  const [seconds, setSeconds] = useState(0);
  const recorder = useRef<MediaRecorder>(undefined);

  useEffect(() => {
    if (state !== "listening") return;
    const timer = setInterval(() => setSeconds((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [state]);
  useEffect(() => () => stop(recorder.current), []);

  const heard = async (recording: Blob) => {
    setState("writing");
    try {
      const text = await transcribe(recording, model ?? "");
      if (text) onText(text);
      else toast.info(words.silent);
    } catch (error) {
      toast.failed(error, words.start);
    }
    setState("idle");
  };
  const start = async () => {
    if (!model) {
      toast.info(words.noModel, words.noModelHint);
      return;
    }
    if (!navigator.mediaDevices || typeof MediaRecorder === "undefined") {
      toast.info(words.noMicrophone, words.noMicrophoneHint);
      return;
    }
    try {
      recorder.current = await record((recording) => void heard(recording));
      setSeconds(0);
      setState("listening");
    } catch {
      toast.info(words.denied, words.deniedHint);
    }
  };
  if (state === "writing")
    return (
      <span className="btn ghost icon" role="status" aria-label={words.writing}>
        <LoaderCircle className="spin" aria-hidden="true" />
      </span>
    );
  if (state === "idle")
    return (
      <IconButton label={words.start} onClick={() => void start()}>
        <Mic aria-hidden="true" />
      </IconButton>
    );
  return (
    <>
      <span className="num text-small text-fg-3" role="status">
        {words.listening(seconds)}
      </span>
      <IconButton label={words.stop} className="recording" onClick={() => stop(recorder.current)}>
        <Square fill="currentColor" aria-hidden="true" />
      </IconButton>
    </>
  );
}

/** Opens the microphone and gives the whole recording when it is stopped. */
async function record(onDone: (recording: Blob) => void): Promise<MediaRecorder> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const recorder = new MediaRecorder(stream);
  const pieces: Blob[] = [];
  recorder.ondataavailable = (event) => pieces.push(event.data);
  recorder.onstop = () => {
    for (const track of stream.getTracks()) track.stop();
    onDone(new Blob(pieces, { type: recorder.mimeType }));
  };
  recorder.start();
  return recorder;
}

function stop(recorder: MediaRecorder | undefined) {
  if (recorder?.state === "recording") recorder.stop();
}
