import { describe, expect, it, vi } from "vitest";
import type { FileDraft } from "./draft";
import { maxBytes, maxFiles, refusal } from "./judge";
import { attach } from "./upload";

const file = (name: string, type: string, size = 10) => {
  const made = new File(["x"], name, { type });
  Object.defineProperty(made, "size", { value: size });
  return made;
};

describe("which files can be sent", () => {
  it("takes pictures, PDFs, recordings and texts", () => {
    for (const [name, type] of [
      ["a.png", "image/png"],
      ["a.pdf", "application/pdf"],
      ["a.webm", "audio/webm"],
      ["a.go", ""],
      ["a.yaml", "application/octet-stream"],
      ["unknown", ""],
    ] as const)
      expect(refusal(file(name, type), 0)).toBeUndefined();
  });

  it("says plainly why not", () => {
    expect(refusal(file("a.mp4", "video/mp4"), 0)).toContain("cannot be shown this kind");
    expect(refusal(file("a.svg", "image/svg+xml"), 0)).toContain("cannot be shown this kind");
    expect(refusal(file("a.png", "image/png", 0), 0)).toContain("empty");
    expect(refusal(file("a.png", "image/png", maxBytes + 1), 0)).toContain("the most is");
    expect(refusal(file("a.png", "image/png"), maxFiles)).toContain("16 files");
  });
});

describe("attaching", () => {
  function list() {
    let files: readonly FileDraft[] = [];
    const change = (next: (files: readonly FileDraft[]) => readonly FileDraft[]) => {
      files = next(files);
    };
    return { change, now: () => files };
  }

  it("sends what can be sent, tells how far it is, and keeps the refused in sight", async () => {
    const { change, now } = list();
    const send = vi.fn(async (one: File, onProgress: (part: number) => void) => {
      onProgress(0.5);
      expect(now()[0]?.progress).toBe(0.5);
      return { id: "att_1", name: one.name, media_type: "text/plain", size: 3 };
    });
    attach([file("a.txt", "text/plain"), file("b.mp4", "video/mp4")], 0, change, send);
    expect(now().map((one) => one.state)).toEqual(["sending", "failed"]);
    await vi.waitFor(() => expect(now()[0]?.state).toBe("done"));
    expect(now()[0]?.id).toBe("att_1");
    expect(send).toHaveBeenCalledTimes(1);
  });

  it("says what the server said", async () => {
    const { change, now } = list();
    attach([file("a.txt", "text/plain")], 0, change, () => Promise.reject(new Error("a.txt is not text.")));
    await vi.waitFor(() => expect(now()[0]?.error).toBe("a.txt is not text."));
  });
});
