import { describe, expect, it } from "vitest";
import { addDelta, addSnapshot, type Delta, emptyStream } from "./stream";

const delta = (seq: number, text: string, attempt = 1): Delta => ({
  run: "run_1",
  message: "msg_1",
  attempt,
  seq,
  text,
});
const begin = () => addDelta(emptyStream("msg_1"), delta(0, "a")).stream;

describe("a streamed answer", () => {
  it("grows piece by piece", () => {
    expect(addDelta(begin(), delta(1, "b")).stream.text).toBe("ab");
  });

  it("ignores a piece it has", () => {
    const once = addDelta(begin(), delta(1, "b")).stream;
    expect(addDelta(once, delta(1, "b")).stream.text).toBe("ab");
  });

  it("holds pieces that came too early, asks once, and joins them when the missing one comes", () => {
    const first = addDelta(begin(), delta(2, "c"));
    expect([first.stream.text, first.gap]).toEqual(["a", true]);
    const second = addDelta(first.stream, delta(3, "d"));
    expect(second.gap).toBe(false);
    expect(addDelta(second.stream, delta(1, "b")).stream.text).toBe("abcd");
  });

  it("heals a gap with the server's copy and keeps what came after it", () => {
    const waiting = addDelta(addDelta(begin(), delta(3, "d")).stream, delta(5, "f")).stream;
    const healed = addSnapshot(waiting, { attempt: 1, seq: 5, text: "abcde" });
    expect([healed.text, healed.seq, healed.ahead]).toEqual(["abcdef", 6, []]);
  });

  it("does not go back to an older copy", () => {
    const now = addDelta(begin(), delta(1, "b")).stream;
    expect(addSnapshot(now, { attempt: 1, seq: 1, text: "a" }).text).toBe("ab");
  });

  it("starts over with a new attempt and forgets the old one", () => {
    const again = addDelta(begin(), delta(0, "z", 2)).stream;
    expect(again.text).toBe("z");
    expect(addDelta(again, delta(1, "old", 1)).stream.text).toBe("z");
  });

  it("asks for the beginning when it joins in the middle", () => {
    expect(addDelta(emptyStream("msg_1"), delta(4, "e"))).toMatchObject({ gap: true, stream: { text: "" } });
  });
});
