import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { User } from "@/api/types";
import { FakeApi, pageOf } from "@/fixtures/fake";
import { person } from "@/fixtures/people";
import { renderWith } from "../../../test/render";
import { Users } from "./users";

const me = person();
const user = (id: string, more: Partial<User> = {}): User => ({
  id,
  user: id,
  name: id,
  role: "operator",
  totp: false,
  passkeys: 0,
  created_at: "2026-11-01T00:00:00Z",
  ...more,
});

describe("the users page", () => {
  it("offers to reset what somebody has, and asks before it does", async () => {
    const people = [
      user("jonas", { totp: true, passkeys: 2 }),
      user("ana"),
      user(me.user.id, { passkeys: 1 }),
    ];
    const gone: string[] = [];
    const [jonas] = people as [User];
    const fake = new FakeApi()
      .on("get", "/api/v1/users", () => pageOf(people))
      .on("delete", "/api/v1/users/{user}/totp", ({ path }) => {
        gone.push(`totp of ${path.user}`);
        jonas.totp = false;
        return undefined;
      })
      .on("delete", "/api/v1/users/{user}/passkeys", ({ path }) => {
        gone.push(`passkeys of ${path.user}`);
        jonas.passkeys = 0;
        return undefined;
      });
    renderWith(fake, <Users me={me} mayChange />);
    const row = async (name: RegExp) => screen.findByRole("row", { name });
    const offers = async (name: RegExp) => {
      await userEvent.click(within(await row(name)).getByRole("button", { name: /^More actions: / }));
      return (await screen.findAllByRole("menuitem")).map((item) => item.textContent);
    };
    expect(await offers(/ana/)).toEqual(["Remove"]);
    await userEvent.keyboard("{Escape}");
    expect(within(await row(/you/)).queryByRole("button", { name: /^More/ })).toBeNull();

    for (const what of ["Forget passkeys", "Turn off two-step sign-in"]) {
      expect(await offers(/jonas/)).toContain(what);
      await userEvent.click(screen.getByRole("menuitem", { name: what }));
      const dialog = await screen.findByRole("dialog");
      await userEvent.click(within(dialog).getByRole("button", { name: what }));
    }
    expect(gone).toEqual(["passkeys of jonas", "totp of jonas"]);
    expect(await offers(/jonas/)).toEqual(["Remove"]);
  });
});
