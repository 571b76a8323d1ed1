import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { NewSchedule, Schedule } from "@/api/types";
import { FakeApi, pageOf } from "@/fixtures/fake";
import { renderWith } from "../../../test/render";
import { Schedules } from "./schedules";

const agents = [
  { value: "assistant", label: "Assistant" },
  { value: "researcher", label: "Researcher" },
];

function api(list: Schedule[]) {
  return new FakeApi()
    .on("get", "/api/v1/jobs/schedules", () => pageOf(list))
    .on("post", "/api/v1/jobs/schedules", ({ body }) => {
      const wanted = body as NewSchedule;
      const made = {
        time_zone: "UTC",
        ...wanted,
        id: "sch_1",
        enabled: true,
        created_at: "2026-11-01T00:00:00Z",
      };
      list.push(made as Schedule);
      return made as Schedule;
    })
    .on("delete", "/api/v1/jobs/schedules/{schedule}", ({ path }) => {
      list.splice(
        list.findIndex((one) => one.id === path.schedule),
        1,
      );
      return undefined;
    });
}

describe("schedules", () => {
  it("are made, said in words, and deleted", async () => {
    const list: Schedule[] = [];
    renderWith(api(list), <Schedules mayChange mayCreate agents={agents} />);
    expect(await screen.findByText("No schedules")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "New schedule" }));
    const form = within(await screen.findByRole("dialog"));
    await userEvent.type(form.getByLabelText("Name"), "News");
    await userEvent.selectOptions(form.getByLabelText("Agent"), "Researcher");
    await userEvent.type(form.getByLabelText("What it is asked"), "What is new?");
    await userEvent.selectOptions(form.getByLabelText("Repeats"), "Every week");
    await userEvent.selectOptions(form.getByLabelText("On"), "Friday");
    await userEvent.clear(form.getByLabelText("Time zone"));
    await userEvent.type(form.getByLabelText("Time zone"), "Europe/Berlin");
    await userEvent.click(form.getByRole("button", { name: "New schedule" }));
    expect(await screen.findByText("Every Friday at 09:00")).toBeTruthy();
    expect(list[0]).toMatchObject({
      name: "News",
      kind: "runs.start",
      args: { agent: "researcher", message: "What is new?" },
      cron: "0 9 * * 5",
      time_zone: "Europe/Berlin",
    });
    expect(screen.getByText("Researcher: What is new?")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Delete: News" }));
    await userEvent.click(await screen.findByRole("button", { name: "Delete" }));
    await waitFor(() => expect(list).toEqual([]));
  });

  it("cannot be made by those who may not", async () => {
    renderWith(api([]), <Schedules mayChange mayCreate={false} agents={agents} />);
    expect(await screen.findByText("No schedules")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "New schedule" })).toBeNull();
  });
});
