import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { FakeApi, Refusal } from "@/fixtures/fake";
import { guard } from "@/fixtures/guard";
import { renderWith } from "../../../test/render";
import { ApprovalCard } from "./approval-card";
import { type Around, Surroundings } from "./around";
import { left } from "./countdown";
import { cutAt, pretty } from "./marked";
import { applyGuardEvent, guardKeys } from "./queries";

const around: Around = {
  go: () => undefined,
  me: "usr_01MIRA",
  users: { usr_01MIRA: "Mira", usr_02: "Jonas" },
  agents: { code: "Code" },
  hues: {},
  mayAnswer: true,
  mayOverdraw: true,
  mayChange: true,
  mayUndo: true,
};

function card(id: string, more: Partial<Around> = {}, compact = false) {
  const api = new FakeApi();
  const world = guard(api);
  const shown = renderWith(
    api,
    <Surroundings value={{ ...around, ...more }}>
      <ApprovalCard id={id} compact={compact} />
    </Surroundings>,
  );
  return { api, ...world, ...shown };
}

const touch = () =>
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: query.includes("coarse"),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));

describe("an approval", () => {
  it("shows the exact command, marks the risky part, and says what would happen", async () => {
    card("apr_01A");
    expect(await screen.findByText("Approve this command?")).toBeTruthy();
    await waitFor(() =>
      expect(document.querySelector("mark")?.textContent).toContain("git push --force-with-lease"),
    );
    expect(screen.getByText(/^Rewrites the published branch/)).toBeTruthy();
    expect(screen.getByText("core.git.push-force-lease")).toBeTruthy();
    expect(screen.getByText("Code, for Mira")).toBeTruthy();
    expect(screen.getByRole("timer").textContent).toMatch(/^4:\d\d left$/);
  });

  it("is approved once, and then says who did it", async () => {
    const { approvals } = card("apr_01A");
    await userEvent.click(await screen.findByRole("button", { name: /^Approve once/ }));
    expect(await screen.findByText(/^Approved by Mira, \d\d:\d\d\.$/)).toBeTruthy();
    expect(approvals[0]).toMatchObject({ state: "approved", answered_via: "web" });
    expect(screen.queryByRole("button", { name: /Deny/ })).toBeNull();
  });

  it("is denied with a reply for the agent", async () => {
    const { approvals } = card("apr_01A");
    await userEvent.click(await screen.findByRole("button", { name: "Deny and reply" }));
    await userEvent.type(screen.getByLabelText("Reply to the agent"), "Open a pull request");
    await userEvent.click(screen.getByRole("button", { name: "Deny" }));
    expect(await screen.findByText(/^Denied by Mira, .*“Open a pull request”$/)).toBeTruthy();
    expect(approvals[0]?.words).toBe("Open a pull request");
  });

  it("about money says what is spent, and reaches as far as the run", async () => {
    const { approvals } = card("apr_01M");
    expect(await screen.findByText("Let this run spend beyond a budget?")).toBeTruthy();
    expect(screen.getByText("$50.12 of $50.00")).toBeTruthy();
    expect(screen.getByText("up to $0.084")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Allow longer" })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Approve for this run" }));
    expect(await screen.findByText(/^Approved by Mira, /)).toBeTruthy();
    expect(approvals.find((one) => one.id === "apr_01M")).toMatchObject({ state: "approved" });
  });

  it("about money is approved only by those who may change budgets", async () => {
    card("apr_01M", { mayOverdraw: false });
    expect(await screen.findByText(/^Somebody who may change budgets can approve this/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Approve/ })).toBeNull();
    expect(screen.getByRole("button", { name: "Deny" })).toBeTruthy();
  });

  it("says that somebody else was quicker", async () => {
    const { approvals } = card("apr_01A");
    const button = await screen.findByRole("button", { name: /^Approve once/ });
    Object.assign(approvals[0] ?? {}, {
      state: "denied",
      answered_by: "usr_02",
      answered_at: new Date().toISOString(),
    });
    await userEvent.click(button);
    expect(await screen.findByText("Already answered.")).toBeTruthy();
    expect(await screen.findByText(/^Denied by Jonas/)).toBeTruthy();
  });

  it("keeps the answer open when the server fails", async () => {
    const { api } = card("apr_01A");
    api.on("post", "/api/v1/guard/approvals/{approval}/answer", () => {
      throw new Refusal(500, { code: "internal", message: "Our side." });
    });
    await userEvent.click(await screen.findByRole("button", { name: /^Approve once/ }));
    expect(await screen.findByText("Our side.")).toBeTruthy();
    expect(screen.getByRole("button", { name: /^Approve once/ })).toBeTruthy();
  });

  it("needs a second person for what is critical", async () => {
    card("apr_01B");
    expect(await screen.findByText(/^This is critical, and you asked for the work/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Approve/ })).toBeNull();
    expect(screen.queryByRole("button", { name: /^Allow/ })).toBeNull();
    expect(screen.getByRole("button", { name: "Deny" })).toBeTruthy();
  });

  it("lets the second person approve, once only", async () => {
    card("apr_01B", { me: "usr_02" });
    expect(await screen.findByText(/two people are needed: Mira asked/)).toBeTruthy();
    expect(screen.getByRole("button", { name: /^Approve once/ })).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Allow/ })).toBeNull();
  });

  it("has no buttons for those who may only look", async () => {
    card("apr_01A", { mayAnswer: false });
    await screen.findByText("Approve this command?");
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("that nobody answered says so", async () => {
    card("apr_01F");
    expect(await screen.findByText(/^Nobody answered in time/)).toBeTruthy();
  });

  it("runs out while it is looked at", async () => {
    const { approvals, cache } = card("apr_01A");
    await screen.findByRole("timer");
    const now = { ...approvals[0], deadline: new Date(Date.now() - 1000).toISOString() };
    act(() => void cache.setQueryData(guardKeys.approval("apr_01A"), now));
    expect(await screen.findByText(/^Nobody answered in time/)).toBeTruthy();
  });

  it("of another tool shows what it is called with", async () => {
    card("apr_01C");
    expect(await screen.findByText("Approve this call of fetch_url?")).toBeTruthy();
    expect(screen.getByText(/url: https:\/\/paste\.example\.com\/api/)).toBeTruthy();
  });

  it("changes when another device answers, and an old fact changes nothing", async () => {
    const { cache } = card("apr_01A");
    await screen.findByRole("timer");
    const fact = (kind: string, data: Record<string, unknown>) =>
      act(() =>
        applyGuardEvent(cache, {
          cursor: 7,
          channel: "approvals",
          kind,
          at: new Date().toISOString(),
          data: { approval: "apr_01A", tool: "run_command", ...data },
        }),
      );
    fact("guard.answered", { state: "approved", by: "usr_02", via: "phone" });
    expect(await screen.findByText(/^Approved by Jonas on phone, \d\d:\d\d\.$/)).toBeTruthy();
    fact("guard.answered", { state: "denied", by: "usr_01MIRA" });
    fact("guard.asked", {});
    expect(screen.getByText(/^Approved by Jonas/)).toBeTruthy();
  });
});

describe("on a phone", () => {
  it("a tap asks once more", async () => {
    touch();
    const { approvals } = card("apr_01A");
    await userEvent.click(await screen.findByRole("button", { name: "Hold to approve once" }));
    expect(approvals[0]?.state).toBe("asked");
    const again = screen.getByRole("group", { name: "Approve once" });
    await userEvent.click(within(again).getByRole("button", { name: "Approve once" }));
    expect(await screen.findByText(/^Approved by Mira on phone/)).toBeTruthy();
  });

  it("holding fills the button and approves", async () => {
    touch();
    const { approvals } = card("apr_01A");
    const button = await screen.findByRole("button", { name: "Hold to approve once" });
    fireEvent.pointerDown(button, { button: 0 });
    expect(await screen.findByText("Keep holding…")).toBeTruthy();
    expect(await screen.findByText(/^Approved by Mira on phone/)).toBeTruthy();
    expect(approvals[0]?.state).toBe("approved");
  });

  it("letting go too early does nothing but ask", async () => {
    touch();
    const { approvals } = card("apr_01A");
    const button = await screen.findByRole("button", { name: "Hold to approve once" });
    fireEvent.pointerDown(button, { button: 0 });
    fireEvent.pointerUp(button);
    fireEvent.click(button);
    expect(screen.getByRole("group", { name: "Approve once" })).toBeTruthy();
    expect(approvals[0]?.state).toBe("asked");
  });
});

describe("the texts", () => {
  it("are cut where the server counts bytes", () => {
    expect(cutAt("écho ü && rm -rf ö", { start: 12, end: 21 })).toEqual(["écho ü && ", "rm -rf ö", ""]);
    expect(cutAt("ls", { start: 0, end: 0 })).toEqual(["ls", "", ""]);
  });

  it("show arguments as lines", () => {
    expect(pretty('{"path":"a.go","n":2}')).toBe("path: a.go\nn: 2");
    expect(pretty("not json")).toBe("not json");
  });

  it("count down", () => {
    const now = Date.parse("2026-11-15T12:00:00Z");
    expect(left("2026-11-15T12:04:38Z", now)).toBe("4:38");
    expect(left("2026-11-15T14:30:00Z", now)).toBe("2 h 30 min");
    expect(left("2026-11-15T11:00:00Z", now)).toBe("0:00");
  });
});
