import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { FakeApi, Refusal } from "@/fixtures/fake";
import { person } from "@/fixtures/people";
import { renderWith } from "../../../test/render";
import { SignIn } from "./sign-in";

function api() {
  const bodies: Record<string, unknown>[] = [];
  const fake = new FakeApi()
    .on("get", "/api/v1/session/options", () => ({ password: true, oidc: false, passkey: false }))
    .on("post", "/api/v1/session", ({ body }) => {
      bodies.push(body);
      if (body.password !== "a good long one") {
        throw new Refusal(401, { code: "wrong_credentials", message: "User name or password is not right." });
      }
      if (body.user === "ana") return person("viewer");
      if (body.totp === "123456" || body.recovery_code === "AAAA-BBBB") return person("admin");
      if (body.totp) throw new Refusal(401, { code: "wrong_code", message: "The code is not right." });
      throw new Refusal(401, { code: "totp_required", message: "A code is needed." });
    });
  return { fake, bodies };
}

async function password(user: string, text: string) {
  await userEvent.type(screen.getByLabelText("User name"), user);
  await userEvent.type(screen.getByLabelText("Password"), text);
  await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
}

describe("signing in", () => {
  it("lets a person in with a password", async () => {
    const { fake } = api();
    const done = vi.fn();
    renderWith(fake, <SignIn onDone={done} />);
    await password("ana", "a good long one");
    await waitFor(() => expect(done).toHaveBeenCalledWith(expect.objectContaining({ role: "viewer" })));
  });

  it("says what was wrong and keeps what was typed", async () => {
    const { fake } = api();
    renderWith(fake, <SignIn onDone={() => {}} />);
    await password("ana", "nope nope nope");
    expect((await screen.findByRole("alert")).textContent).toContain("not right");
    expect(screen.getByLabelText<HTMLInputElement>("User name").value).toBe("ana");
  });

  it("asks for the second step, refuses a wrong code, takes the right one with trust", async () => {
    const { fake, bodies } = api();
    const done = vi.fn();
    renderWith(fake, <SignIn onDone={done} />);
    await password("mira", "a good long one");
    const code = await screen.findByLabelText("Code");
    await userEvent.type(code, "000000");
    await userEvent.click(screen.getByRole("button", { name: "Verify" }));
    expect((await screen.findByRole("alert")).textContent).toContain("The code is not right");
    await userEvent.clear(code);
    await userEvent.type(code, "123 456");
    await userEvent.click(screen.getByRole("checkbox", { name: /Trust this device/ }));
    await userEvent.click(screen.getByRole("button", { name: "Verify" }));
    await waitFor(() => expect(done).toHaveBeenCalled());
    expect(bodies.at(-1)).toEqual({
      user: "mira",
      password: "a good long one",
      totp: "123456",
      trust_device: true,
    });
  });

  it("takes a recovery code instead", async () => {
    const { fake, bodies } = api();
    const done = vi.fn();
    renderWith(fake, <SignIn onDone={done} />);
    await password("mira", "a good long one");
    await userEvent.click(await screen.findByRole("button", { name: "Use a recovery code" }));
    await userEvent.type(screen.getByLabelText("Recovery code"), "AAAA-BBBB");
    await userEvent.click(screen.getByRole("button", { name: "Verify" }));
    await waitFor(() => expect(done).toHaveBeenCalled());
    expect(bodies.at(-1)).toMatchObject({ recovery_code: "AAAA-BBBB" });
    expect(bodies.at(-1)).not.toHaveProperty("totp");
  });

  it("offers single sign-on only where the server does", async () => {
    const { fake } = api();
    fake.on("get", "/api/v1/session/options", () => ({
      password: true,
      oidc: true,
      oidc_name: "Northwind",
      passkey: false,
    }));
    renderWith(fake, <SignIn onDone={() => {}} />);
    const link = await screen.findByRole("link", { name: "Continue with Northwind" });
    expect(link.getAttribute("href")).toBe("/api/v1/oidc/start");
  });
});
