import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { costs } from "@/fixtures/costs";
import { FakeApi, Refusal } from "@/fixtures/fake";
import { renderWith } from "../../../test/render";
import { Budgets } from "./budgets";
import { Surroundings } from "./open";
import { CostsOverview } from "./overview";
import { monthOf } from "./period";
import type { CostRecord } from "./queries";
import { RecordRow } from "./records";

// The middle of a month: on its first day nothing was spent, on its last nothing runs out.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 15, 12) }));
afterEach(() => void vi.useRealTimers());

function Page({ mayChange = true }: { mayChange?: boolean }) {
  const [creating, setCreating] = useState(false);
  return (
    <Surroundings value={{ go: () => undefined, names: { agent: { code: "Code" } }, hues: {}, mayChange }}>
      <button type="button" onClick={() => setCreating(true)}>
        open
      </button>
      <Budgets creating={creating} onCreating={setCreating} />
    </Surroundings>
  );
}

function api(fresh = false) {
  const bodies: Record<string, unknown>[] = [];
  const fake = new FakeApi();
  costs(fake, fresh);
  return { fake, bodies };
}

describe("budgets", () => {
  it("show how much is used, the words besides the colour, and when they run out", async () => {
    renderWith(api().fake, <Page />);
    const meter = await screen.findByRole("meter", { name: "Nightly sweep" });
    expect(meter.getAttribute("aria-valuetext")).toContain("$5.00 of $5.00");
    expect(screen.getByText("Exceeded, 3 requests blocked")).toBeTruthy();
    expect(await screen.findByText(/^Runs out on/)).toBeTruthy();
  });

  it("have no buttons for those who may only look", async () => {
    renderWith(api().fake, <Page mayChange={false} />);
    await screen.findByRole("meter", { name: "Nightly sweep" });
    expect(screen.queryByRole("button", { name: "Grant more" })).toBeNull();
    expect(screen.queryByRole("switch")).toBeNull();
  });

  it("are offered where there are none", async () => {
    renderWith(api(true).fake, <Page />);
    expect(await screen.findByText("No budgets yet")).toBeTruthy();
    expect(screen.getByRole("button", { name: "New budget" })).toBeTruthy();
  });

  it("say what failed and try again", async () => {
    const { fake } = api();
    let broken = true;
    const { fetch } = fake;
    fake.fetch = (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      if (broken && url.includes("/budgets?")) throw new TypeError("no network");
      return fetch(input, init);
    };
    renderWith(fake, <Page />);
    expect(await screen.findByRole("alert")).toBeTruthy();
    broken = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("meter", { name: "Nightly sweep" })).toBeTruthy();
  });

  it("are made with a form that says what is wrong", async () => {
    const { fake, bodies } = api(true);
    fake.on("post", "/api/v1/costs/budgets", ({ body }) => {
      bodies.push(body);
      throw new Refusal(409, { code: "budget_exists", message: "There is one already." });
    });
    renderWith(fake, <Page />);
    await userEvent.click(await screen.findByRole("button", { name: "open" }));
    const dialog = await screen.findByRole("dialog");
    const submit = within(dialog).getByRole("button", { name: "Create budget" });
    await userEvent.click(submit);
    expect(within(dialog).getByText("Write an amount above zero, such as 12.50.")).toBeTruthy();
    expect(bodies).toEqual([]);
    await userEvent.selectOptions(within(dialog).getByLabelText("For"), "agent");
    await userEvent.selectOptions(within(dialog).getByLabelText("Which"), "code");
    await userEvent.type(within(dialog).getByLabelText("Amount"), "12.50");
    await userEvent.click(submit);
    await waitFor(() => expect(bodies).toHaveLength(1));
    expect(bodies[0]).toMatchObject({
      scope: "agent",
      scope_id: "code",
      amount: 12_500_000,
      thresholds: [50, 80, 95],
    });
    expect(await within(dialog).findByText("There is one already.")).toBeTruthy();
  });

  it("can be given more for now", async () => {
    renderWith(api().fake, <Page />);
    await userEvent.click((await screen.findAllByRole("button", { name: "Grant more" }))[0] as HTMLElement);
    const dialog = await screen.findByRole("dialog");
    await userEvent.type(within(dialog).getByLabelText("Amount on top"), "3");
    await userEvent.click(within(dialog).getByRole("button", { name: "Grant" }));
    expect(await screen.findByText("/ $8.00")).toBeTruthy();
  });
});

describe("the overview", () => {
  const now = new Date(2026, 10, 15, 12);
  const view = (
    <CostsOverview
      month={monthOf(undefined, now)}
      now={now}
      by="agent"
      onBy={() => undefined}
      step="day"
      onStep={() => undefined}
    />
  );

  it("draws the month, says it in a sentence, and has it as a table", async () => {
    renderWith(api().fake, view);
    expect(await screen.findByRole("group", { name: /The most was \$[\d.]+ on/ })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Show as a table" }));
    expect(await screen.findAllByRole("table")).toHaveLength(2);
  });

  it("says when nothing was spent", async () => {
    renderWith(api(true).fake, view);
    expect((await screen.findAllByText("No spend yet")).length).toBeGreaterThan(0);
    expect(await screen.findByText("Nothing to save")).toBeTruthy();
  });
});

it("a call without a known price says so", () => {
  const tokens = Object.fromEntries(
    "input cache_read cache_write cache_write_long audio_input image_input output reasoning audio_output image_output"
      .split(" ")
      .map((kind) => [kind, 1]),
  ) as CostRecord["tokens"];
  const record: CostRecord = {
    id: "use_1",
    model: "mystery",
    provider: "local",
    attempt: 1,
    unit: "money",
    price: null,
    priced: false,
    premium: 0,
    tokens,
    estimated: false,
    latency_us: 1,
    first_token_us: 1,
    outcome: "ok",
    at: "2026-11-15T00:00:00Z",
  };
  renderWith(new FakeApi(), <RecordRow record={record} index={0} pressed={false} onOpen={() => undefined} />);
  const row = screen.getByRole("button");
  expect(row.textContent).toContain("no price");
  expect(row.textContent).not.toContain("$0");
});
