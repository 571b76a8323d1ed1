import { fireEvent, render, screen } from "@testing-library/react";
import { useRef, useState } from "react";
import { describe, expect, it, vi } from "vitest";
import { type Command, Complete, type Offers, offersFor } from "./complete";
import type { Writing } from "./composer";

const labels = { commands: "Commands", names: "Agents", values: "Values" };
const agent = vi.fn();
const stop = vi.fn();
const commands: Command[] = [
  { name: "agent", about: "Talk with another", values: [{ value: "auto" }, { value: "coder" }], run: agent },
  { name: "attach", about: "Send a file", run: vi.fn() },
  { name: "stop", about: "Stop", run: stop },
  { name: "broadcast", about: "Ask several", words: true, run: vi.fn() },
];
const offers: Offers = {
  commands,
  names: [
    { id: "coder", text: "@coder", fill: "@coder " },
    { id: "researcher", text: "@researcher", fill: "@researcher " },
  ],
  labels,
};
const texts = (text: string) => offersFor(text, offers)?.offers.map((one) => one.text);

describe("what is offered", () => {
  it("offers commands at the beginning of a message only", () => {
    expect(texts("/")).toEqual(["/agent", "/attach", "/stop", "/broadcast"]);
    expect(texts("/a")).toEqual(["/agent", "/attach"]);
    expect(texts("see /a")).toBeUndefined();
    expect(texts("/etc/hosts is wrong")).toBeUndefined();
    expect(texts("/unknown")).toBeUndefined();
  });

  it("offers the values of a command, and names after an at sign", () => {
    expect(texts("/agent co")).toEqual(["coder"]);
    expect(texts("ask @re")).toEqual(["@researcher"]);
    expect(texts("me@re")).toBeUndefined();
    expect(texts("/broadcast what is new")).toEqual(["/broadcast"]);
  });
});

function Field() {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const keys = useRef<Writing["keys"]["current"]>(undefined);
  const writing = { text, setText, field, keys } as unknown as Writing;
  return (
    <>
      <Complete {...writing} offers={offers} />
      <textarea
        ref={field}
        aria-label="Message"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => keys.current?.(event)}
      />
    </>
  );
}

describe("the list", () => {
  const type = (text: string) =>
    fireEvent.change(screen.getByLabelText("Message"), { target: { value: text } });
  const press = (key: string) => fireEvent.keyDown(screen.getByLabelText("Message"), { key });

  it("moves with the arrows, says which row is meant, and runs it with Enter", () => {
    render(<Field />);
    type("/");
    press("ArrowDown");
    press("ArrowDown");
    const row = screen.getByRole("option", { selected: true });
    expect(row.textContent).toContain("/stop");
    expect(screen.getByLabelText("Message").getAttribute("aria-activedescendant")).toBe(row.id);
    press("Enter");
    expect(stop).toHaveBeenCalledWith("");
    expect(screen.getByLabelText<HTMLTextAreaElement>("Message").value).toBe("");
  });

  it("fills in what takes a value and goes on with its values", () => {
    render(<Field />);
    type("/ag");
    press("Tab");
    expect(screen.getByLabelText<HTMLTextAreaElement>("Message").value).toBe("/agent ");
    type("/agent co");
    press("Enter");
    expect(agent).toHaveBeenCalledWith("coder");
  });

  it("closes with Escape until something else is typed", () => {
    render(<Field />);
    type("hello @");
    expect(screen.getByRole("listbox")).toBeTruthy();
    press("Escape");
    expect(screen.queryByRole("listbox")).toBeNull();
    type("hello @cod");
    fireEvent.click(screen.getByRole("option"));
    expect(screen.getByLabelText<HTMLTextAreaElement>("Message").value).toBe("hello @coder ");
  });
});
