import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { answerOf, Form } from "./form";

test("what was left empty is left out of the answer", () => {
  expect(answerOf({ name: "Ada", age: "", tags: [], sizes: ["s"] })).toBe('{"name":"Ada","sizes":["s"]}');
});

test("a form is filled in, with what is preset, and can be declined", () => {
  const send = vi.fn();
  render(
    <Form
      busy={false}
      onSend={send}
      fields={[
        { name: "name", title: "Your name", type: "string", required: true },
        { name: "age", type: "integer", preset: 42 },
        { name: "sure", type: "boolean", choices: [{ value: "true", label: "Yes" }] },
      ]}
    />,
  );
  fireEvent.change(screen.getByLabelText("Your name"), { target: { value: "Ada" } });
  fireEvent.change(screen.getByLabelText(/sure/), { target: { value: "true" } });
  fireEvent.click(screen.getByRole("button", { name: "Answer" }));
  expect(send).toHaveBeenCalledWith('{"name":"Ada","age":"42","sure":"true"}');
  fireEvent.click(screen.getByRole("button", { name: "Decline" }));
  expect(send).toHaveBeenLastCalledWith("decline");
});
