import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { describe, expect, it } from "vitest";
import { FakeApi, Refusal } from "@/fixtures/fake";
import { guard } from "@/fixtures/guard";
import { renderWith } from "../../../../test/render";
import { type Around, Surroundings } from "../around";
import { Allowed } from "./allowed";
import { Audit } from "./audit";
import { PolicyPage } from "./policy";
import type { CallFilter } from "./queries";
import { Rules } from "./rules";
import { Snapshots } from "./snapshots";
import { harmless, Tester } from "./tester";
import { Waiting } from "./waiting";

const around: Around = {
  go: () => undefined,
  me: "usr_01MIRA",
  users: { usr_01MIRA: "Mira", usr_02: "Jonas" },
  agents: { code: "Code", docs: "Docs", ops: "Ops" },
  hues: {},
  mayAnswer: true,
  mayOverdraw: true,
  mayChange: true,
  mayUndo: true,
};
const looking: Partial<Around> = { mayAnswer: false, mayChange: false, mayUndo: false };

function show(children: ReactNode, { fresh = false, ...more }: Partial<Around> & { fresh?: boolean } = {}) {
  const api = new FakeApi();
  guard(api, fresh);
  return { api, ...renderWith(api, <Surroundings value={{ ...around, ...more }}>{children}</Surroundings>) };
}

describe("waiting", () => {
  it("lists what waits and what was answered", async () => {
    show(<Waiting />);
    const list = await screen.findByRole("list", { name: "Approvals that wait" });
    await waitFor(() => expect(within(list).getAllByRole("timer")).toHaveLength(3));
    expect(await screen.findByText(/^Approved by Mira on phone, .* It ran\.$/)).toBeTruthy();
  });

  it("says that nothing waits", async () => {
    show(<Waiting />, { fresh: true });
    expect(await screen.findByText("Nothing waits for an answer")).toBeTruthy();
  });
});

describe("the tester", () => {
  function Page() {
    const [now, set] = useState({ command: harmless, folder: "" });
    return <Tester {...now} onChange={set} />;
  }

  it("begins with something harmless and explains what is not", async () => {
    show(<Page />);
    expect(await screen.findByText("It may run")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "git push --force origin main" }));
    expect(await screen.findByText("It is refused")).toBeTruthy();
    expect(screen.getByText("Replaces the history for everybody.")).toBeTruthy();
    expect(screen.getByText("git fetch --all")).toBeTruthy();
    expect(document.querySelector("mark")?.textContent).toContain("git push --force origin main");
  });

  it("wants a whole path", async () => {
    show(<Page />);
    await userEvent.type(await screen.findByLabelText(/^Folder/), "src");
    expect(screen.getByText("Write the whole path, beginning with a slash.")).toBeTruthy();
  });
});

describe("rules", () => {
  function Page() {
    const [q, set] = useState("");
    return <Rules q={q} onSearch={set} />;
  }

  it("are counted, found by words, and opened when found", async () => {
    show(<Page />);
    expect(await screen.findByText("3 packs, 4 rules")).toBeTruthy();
    expect((await screen.findAllByText("core.git.clean")).length).toBeGreaterThan(0);
    await userEvent.type(screen.getByLabelText("Find a rule"), "dropdb");
    await waitFor(() => expect(screen.queryByText("core.files")).toBeNull());
    expect(screen.getByText("Deletes a database with everything in it.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Find a rule"), " nothing");
    expect(await screen.findByText("No rule is about that")).toBeTruthy();
  });
});

describe("the allow list", () => {
  it("shows where and until when, and is shortened", async () => {
    show(<Allowed />);
    expect(await screen.findByText("docker compose restart web")).toBeTruthy();
    expect(screen.getByText("with its run")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Ask about docker compose restart web again" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Ask again" }));
    await waitFor(() => expect(screen.queryByText("docker compose restart web")).toBeNull());
  });

  it("is added to, and says what is wrong", async () => {
    const { api } = show(<Allowed />, { fresh: true });
    await userEvent.click(await screen.findByRole("button", { name: "Allow something" }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("button", { name: "Allow" }));
    expect(within(dialog).getByText("Fill this in.")).toBeTruthy();
    expect(api.calls).not.toContain("POST /api/v1/guard/allowed");
    await userEvent.type(within(dialog).getByLabelText("Command"), "make deploy");
    await userEvent.click(within(dialog).getByRole("button", { name: "Allow" }));
    expect(await screen.findByText("make deploy")).toBeTruthy();
  });

  it("has no buttons for those who may only look", async () => {
    show(<Allowed />, looking);
    await screen.findByText("docker compose restart web");
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("the audit", () => {
  function Page() {
    const [filter, setFilter] = useState<CallFilter>({});
    const [open, setOpen] = useState("");
    return <Audit filter={filter} open={open} onFilter={setFilter} onOpen={setOpen} />;
  }

  it("is narrowed and opened, and a ruling is called wrong", async () => {
    show(<Page />);
    await screen.findAllByText("go test ./...");
    await userEvent.selectOptions(screen.getByLabelText("Verdict"), "refuse");
    await waitFor(() => expect(screen.queryByText("go test ./...")).toBeNull());
    await userEvent.click(screen.getAllByText("git push --force origin main")[0] as HTMLElement);
    const drawer = await screen.findByRole("complementary", { name: "Call" });
    expect(
      await within(drawer).findByText("Replaces the history of origin main for everybody."),
    ).toBeTruthy();
    await userEvent.click(within(drawer).getByRole("button", { name: "It was wrong" }));
    await waitFor(() =>
      expect(within(drawer).getByRole("button", { name: "It was wrong" }).getAttribute("aria-pressed")).toBe(
        "true",
      ),
    );
  });

  it("says when nothing fits", async () => {
    show(<Page />);
    await screen.findAllByText("go test ./...");
    await userEvent.type(screen.getByLabelText("Tool"), "no_such_tool{Enter}");
    expect(await screen.findByText("No call fits these filters")).toBeTruthy();
  });
});

describe("the policy", () => {
  it("is changed only by saving", async () => {
    const { api } = show(<PolicyPage />);
    await userEvent.click(await screen.findByLabelText("Careful"));
    expect(screen.getByText("Whatever changes something is asked about first.")).toBeTruthy();
    expect(api.calls).not.toContain("PUT /api/v1/guard/policy");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Save" })).toBeNull());
    expect((screen.getByLabelText("Careful") as HTMLInputElement).checked).toBe(true);
  });

  it("says what the server did not like and keeps the draft", async () => {
    const { api } = show(<PolicyPage />);
    api.on("put", "/api/v1/guard/policy", () => {
      throw new Refusal(400, { code: "bad_policy", message: 'The pattern "" cannot be read.' });
    });
    await userEvent.click(await screen.findByRole("button", { name: "Add a tool" }));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(await screen.findByText('The pattern "" cannot be read.')).toBeTruthy();
    expect(screen.getAllByLabelText("Name or pattern of tools")).toHaveLength(2);
  });

  it("is only read by those who may not change it", async () => {
    show(<PolicyPage />, looking);
    expect(await screen.findByText("An admin of this workspace can change the policy.")).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
    expect(screen.getByLabelText("Careful").closest("fieldset[disabled]")).toBeTruthy();
  });
});

describe("undo", () => {
  it("shows what it would do before it does it", async () => {
    const { api } = show(<Snapshots run="" onRun={() => undefined} />);
    await userEvent.click((await screen.findAllByRole("button", { name: "Undo" }))[0] as HTMLElement);
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText("internal/budget/period.go")).toBeTruthy();
    expect(within(dialog).getByText("Bring back")).toBeTruthy();
    expect(api.calls).not.toContain("POST /api/v1/guard/undo");
    await userEvent.click(within(dialog).getByRole("button", { name: "Undo it" }));
    await waitFor(() => expect(screen.getAllByText("Undone")).toHaveLength(2));
  });

  it("cannot go on when files stand in the way", async () => {
    const { api } = show(<Snapshots run="" onRun={() => undefined} />);
    api.on("post", "/api/v1/guard/undo/preview", () => ({
      calls: [],
      steps: [
        { folder: "/p", path: "a.go", action: "stuck", is: "file", was: "nothing", why: "It changed since." },
      ],
      stuck: 1,
      notes: [],
      done: false,
    }));
    await userEvent.click((await screen.findAllByRole("button", { name: "Undo" }))[0] as HTMLElement);
    expect(await screen.findByText("It changed since.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Undo it" })).toBeNull();
  });
});
