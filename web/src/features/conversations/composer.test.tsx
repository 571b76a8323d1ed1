import { fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { describe, expect, it, vi } from "vitest";
import { Composer, type ComposerProps } from "./composer";

const assistant = { name: "assistant", title: "Assistant" } as NonNullable<ComposerProps["agent"]>;

function Field(props: Pick<ComposerProps, "agent" | "onSend">) {
  const field = useRef<HTMLTextAreaElement>(null);
  const nothing = () => undefined;
  return (
    <Composer
      conversation={undefined}
      agents={[]}
      running={false}
      online
      queued={[]}
      onAgent={nothing}
      onStop={nothing}
      onRemove={nothing}
      onRetry={nothing}
      field={field}
      {...props}
    />
  );
}

describe("Enter before it is known who is asked", () => {
  it("sends as soon as it is", () => {
    const onSend = vi.fn();
    const { rerender } = render(<Field agent={undefined} onSend={onSend} />);
    const field = screen.getByRole("textbox");
    fireEvent.change(field, { target: { value: "Hello" } });
    fireEvent.keyDown(field, { key: "Enter" });
    expect(onSend).not.toHaveBeenCalled();
    rerender(<Field agent={assistant} onSend={onSend} />);
    expect(onSend).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ text: "Hello" }));
    expect(field).toHaveProperty("value", "");
  });

  it("waits for another Enter if the message is written on", () => {
    const onSend = vi.fn();
    const { rerender } = render(<Field agent={undefined} onSend={onSend} />);
    const field = screen.getByRole("textbox");
    fireEvent.change(field, { target: { value: "Hello" } });
    fireEvent.keyDown(field, { key: "Enter" });
    fireEvent.change(field, { target: { value: "Hello, and" } });
    rerender(<Field agent={assistant} onSend={onSend} />);
    expect(onSend).not.toHaveBeenCalled();
  });
});
