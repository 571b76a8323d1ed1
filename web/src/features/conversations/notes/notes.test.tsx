import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Conversation, Message, Run } from "@/api/types";
import { FakeApi, pageOf } from "@/fixtures/fake";
import { renderWith } from "../../../../test/render";
import { factsOf } from "./facts";
import type { Comment } from "./queries";
import { RemarkButton, Remarks } from "./remarks";
import { ShareChat } from "./share";

describe("comments", () => {
  it("are folded to their number, opened, written and taken back", async () => {
    let list: Comment[] = [
      {
        id: "cmt_1",
        conversation: "c1",
        message: "m1",
        user: "u2",
        text: "Is this right?",
        created_at: "2026-11-15T10:00:00Z",
      },
    ];
    const api = new FakeApi()
      .on("get", "/api/v1/conversations/{conversation}/comments", () => pageOf(list))
      .on("post", "/api/v1/conversations/{conversation}/comments", ({ body }) => {
        const made = { ...(list[0] as Comment), id: "cmt_2", user: "u1", text: String(body.text) };
        list = [...list, made];
        return made;
      })
      .on("delete", "/api/v1/conversations/{conversation}/comments/{comment}", ({ path }) => {
        list = list.filter((one) => one.id !== path.comment);
        return undefined as never;
      });
    const names = (user: string) => (user === "u2" ? "Jonas" : "Mira");
    renderWith(
      api,
      <>
        <RemarkButton conversation="c1" message="m1" />
        <Remarks conversation="c1" message="m1" me="u1" nameOf={names} mayWrite />
      </>,
    );
    await userEvent.click(await screen.findByText("1 comment"));
    expect(await screen.findByText("Is this right?")).toBeTruthy();
    expect(screen.getByText("Jonas")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Take this comment back" })).toBeNull();
    await userEvent.type(screen.getByRole("textbox", { name: "Comment" }), "It is.");
    await userEvent.click(screen.getByRole("button", { name: "Comment" }));
    expect(await screen.findByText("It is.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Take this comment back" }));
    await waitFor(() => expect(screen.queryByText("It is.")).toBeNull());
  });
});

describe("sharing", () => {
  it("is switched on for the workspace and gives a link that is never public", async () => {
    const item = { id: "conv_1", title: "Plan", visibility: "private" } as Conversation;
    const bodies: unknown[] = [];
    const api = new FakeApi().on("patch", "/api/v1/conversations/{conversation}", ({ body }) => {
      bodies.push(body);
      return { ...item, visibility: "workspace" };
    });
    renderWith(api, <ShareChat item={item} onClose={() => undefined} />);
    expect(await screen.findByText(/never public/)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Link").value).toMatch(/\/chat\/conv_1$/);
    await userEvent.click(screen.getByRole("switch", { name: "Share with the workspace" }));
    await waitFor(() => expect(bodies).toEqual([{ visibility: "workspace" }]));
  });
});

describe("the facts of an answer", () => {
  it("name model, tokens, cost and time, and never a price that is not known", () => {
    const message = {
      author: "coder",
      model: "demo/echo",
      usage: { input: 1000, cache_read: 200, output: 50 },
      notes: { cost_micros: 1200 },
    } as unknown as Message;
    const run = {
      started_at: "2026-11-15T10:00:00Z",
      first_token_at: "2026-11-15T10:00:00.500Z",
      finished_at: "2026-11-15T10:00:04Z",
      turns: 2,
      calls: 1,
    } as unknown as Run;
    const facts = Object.fromEntries(factsOf(message, run, "It writes code."));
    expect(facts).toMatchObject({
      Agent: "coder",
      "Why this agent": "It writes code.",
      "Tokens in": "1,200",
      "Tokens out": "50",
      Cost: "$0.001",
      "First token": "500 ms",
      Duration: "4.0 s",
    });
    expect(Object.fromEntries(factsOf({ ...message, notes: {} } as Message, undefined, undefined)).Cost).toBe(
      "no price",
    );
  });
});
