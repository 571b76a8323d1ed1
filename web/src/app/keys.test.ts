import { describe, expect, it } from "vitest";
import { bindings, isTyping, KeyMap, keyText } from "./keys";

const plain = (key: string, typing = false) => ({ key, mod: false, alt: false, typing });

describe("KeyMap", () => {
  it("runs single keys, sequences and keys with a modifier", () => {
    const map = new KeyMap();
    expect(map.press(plain("c"), true, 0)).toBe("new-chat");
    expect(map.press(plain("["), true, 10)).toBe("sidebar");
    expect(map.press(plain("]"), true, 10)).toBe("drawer");
    expect(map.press(plain("?"), true, 20)).toBe("help");
    expect(map.press(plain("g"), true, 30)).toBeUndefined();
    expect(map.press(plain("o"), true, 40)).toBe("go-overview");
    expect(map.press({ key: "k", mod: true, alt: false, typing: true }, true, 50)).toBe("palette");
  });

  it("does not take G then C for a new chat", () => {
    const map = new KeyMap();
    map.press(plain("g"), true, 0);
    expect(map.press(plain("c"), true, 100)).toBe("go-chat");
  });

  it("forgets the first key after a while", () => {
    const map = new KeyMap();
    map.press(plain("g"), true, 0);
    expect(map.press(plain("o"), true, 2000)).toBeUndefined();
    map.press(plain("g"), true, 3000);
    expect(map.press(plain("c"), true, 5000)).toBe("new-chat");
  });

  it("leaves keys alone while somebody types, and when single keys are off", () => {
    const map = new KeyMap();
    expect(map.press(plain("c", true), true, 0)).toBeUndefined();
    expect(map.press(plain("c"), false, 0)).toBeUndefined();
    expect(map.press({ key: "k", mod: true, alt: false, typing: false }, false, 0)).toBe("palette");
  });

  it("opens pages by number only where the keys are ours", () => {
    const map = new KeyMap();
    const digit = { key: "3", mod: true, alt: false, typing: true };
    expect(map.press(digit, true, 0)).toBeUndefined();
    expect(map.press(digit, true, 0, true)).toBe("page-3");
    expect(map.press({ ...digit, key: "0" }, true, 0, true)).toBeUndefined();
  });

  it("has no key twice", () => {
    const keys = bindings.map((binding) => `${binding.mod ? "mod " : ""}${binding.keys}`);
    expect(new Set(keys).size).toBe(keys.length);
    const starts = bindings.filter((binding) => binding.keys.includes(" ")).map((binding) => binding.keys[0]);
    expect(bindings.some((binding) => !binding.mod && starts.includes(binding.keys))).toBe(false);
  });

  it("writes every key for people", () => {
    for (const { command } of bindings) expect(keyText(command)).not.toBe("");
  });
});

describe("isTyping", () => {
  it("knows text fields from buttons", () => {
    const make = (html: string) => {
      const box = document.createElement("div");
      box.innerHTML = html;
      return box.firstElementChild;
    };
    expect(isTyping(make("<textarea></textarea>"))).toBe(true);
    expect(isTyping(make('<input type="text">'))).toBe(true);
    expect(isTyping(make('<input type="checkbox">'))).toBe(false);
    expect(isTyping(make("<button></button>"))).toBe(false);
    expect(isTyping(null)).toBe(false);
  });
});
