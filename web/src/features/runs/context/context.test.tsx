import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { FakeApi } from "@/fixtures/fake";
import { renderWith } from "../../../../test/render";
import { ContextMeter, fullness } from "./meter";

describe("the context", () => {
  it("says how full it is and what fills it", async () => {
    const api = new FakeApi().on("get", "/api/v1/conversations/{conversation}/context", () => ({
      agent: "coder",
      model: "demo/echo",
      limit: 32_000,
      used: 9920,
      messages: 40,
      sections: [
        { kind: "instructions" as const, tokens: 200, count: 1 },
        { kind: "tools" as const, tokens: 4100, count: 37 },
        { kind: "messages" as const, tokens: 5620, count: 12 },
      ],
    }));
    renderWith(api, <ContextMeter conversation="c1" agent={undefined} model={undefined} />);
    await userEvent.click(await screen.findByRole("button", { name: "Context: 31 % context" }));
    expect(await screen.findByText("9.92K of 32K tokens")).toBeTruthy();
    expect(screen.getByText("37 tools")).toBeTruthy();
    expect(screen.getByText("12 messages")).toBeTruthy();
  });

  it("does not guess a limit", () => {
    expect(fullness({ used: 10 })).toBeUndefined();
    expect(fullness({ used: 20, limit: 10 })).toBe(1);
  });
});
