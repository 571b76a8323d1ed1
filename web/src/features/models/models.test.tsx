import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { FoundModels, Model, Provider, ProviderAccount } from "@/api/types";
import { FakeApi, pageOf, Refusal } from "@/fixtures/fake";
import { renderWith } from "../../../test/render";
import { Catalogue } from "./catalogue";
import { Providers } from "./providers";
import { choicesOf, PickSource } from "./source";

const account = (more: Partial<ProviderAccount> = {}): ProviderAccount => ({
  id: "acc_1",
  name: "work",
  source: "stored",
  state: "ready",
  ...more,
});

const provider = (name: string, title: string, more: Partial<Provider> = {}): Provider => ({
  provider: name,
  title,
  state: "missing",
  configured: false,
  keyless: false,
  local: false,
  variables: [`${name.toUpperCase()}_API_KEY`],
  accounts: [],
  ...more,
});

const model = (id: string, more: Partial<Model> = {}): Model => ({
  id,
  default: false,
  can: ["tools"],
  ...more,
});
const nothing: FoundModels = { keys: [], logins: [], servers: [] };

function api(providers: Provider[], found: FoundModels = nothing) {
  const sent: Record<string, unknown>[] = [];
  const fake = new FakeApi()
    .on("get", "/api/v1/providers", () => pageOf(providers))
    .on("get", "/api/v1/models/found", () => found)
    .on("get", "/api/v1/models", () =>
      pageOf([
        model("openai/gpt-6-sol", { name: "GPT-6 Sol", price: { input: 2_000_000, output: 10_000_000 } }),
        model("mine/secret-sauce", { default: true }),
        model("demo/assistant", { price: { input: 0, output: 0 } }),
      ]),
    )
    .on("post", "/api/v1/providers/{provider}/accounts", ({ body, path }) => {
      sent.push({ ...body, ...path });
      if (body.key !== "sk-right") {
        throw new Refusal(400, {
          code: "provider_auth",
          message: "OpenAI did not accept our credential.",
          hint: "Check that the key is complete.",
          param: "key",
        });
      }
      return { account: account() };
    })
    .on("post", "/api/v1/providers/{provider}/test", () => ({
      ok: false,
      message: "OpenAI limits how fast we may ask.",
      hint: "Wait a moment.",
      models: 0,
      took_ms: 5,
    }))
    .on("delete", "/api/v1/providers/{provider}/accounts/{account}", ({ path }) => {
      sent.push(path);
      return undefined;
    })
    .on("patch", "/api/v1/config", ({ body }) => {
      sent.push(body);
      return { etag: "x", change: { live: [], needs_restart: [] }, shadowed: {} };
    });
  return { fake, sent };
}

describe("the providers", () => {
  it("says of each account how it is and what to do", async () => {
    const { fake } = api([
      provider("openai", "OpenAI", {
        configured: true,
        state: "signed_out",
        hint: "Set OPENAI_API_KEY.",
        accounts: [account({ state: "signed_out", reason: "OpenAI did not accept our credential." })],
      }),
      provider("xai", "xAI Grok"),
    ]);
    renderWith(fake, <Providers mayChange />);
    expect(await screen.findByText("Not accepted")).toBeTruthy();
    expect(screen.getByText("OpenAI did not accept our credential.")).toBeTruthy();
    expect(screen.queryByText("xAI Grok")).toBeNull();
  });

  it("names the reason when a new key does not work, and keeps it when it does", async () => {
    const { fake, sent } = api([provider("openai", "OpenAI"), provider("ollama", "Ollama", { local: true })]);
    renderWith(fake, <Providers mayChange />);
    await userEvent.click(await screen.findByRole("button", { name: "Add key" }));
    const form = await screen.findByRole("dialog");
    expect(within(form).queryByRole("option", { name: "Ollama" })).toBeNull();
    await userEvent.type(within(form).getByLabelText("API key"), "sk-wrong");
    await userEvent.click(within(form).getByRole("button", { name: "Test and save" }));
    expect((await within(form).findByRole("alert")).textContent).toContain(
      "did not accept our credential. Check that the key is complete.",
    );
    await userEvent.clear(within(form).getByLabelText("API key"));
    await userEvent.type(within(form).getByLabelText("API key"), "sk-right");
    await userEvent.click(within(form).getByRole("button", { name: "Test and save" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(sent.at(-1)).toEqual({ key: "sk-right", test: true, provider: "openai" });
  });

  it("shows no way to change anything to those who may not", async () => {
    const { fake } = api([provider("openai", "OpenAI", { configured: true, accounts: [account()] })]);
    renderWith(fake, <Providers mayChange={false} />);
    expect(await screen.findByText("OpenAI")).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("the models", () => {
  it("never shows an unknown price as nothing", async () => {
    const { fake } = api([]);
    renderWith(fake, <Catalogue />);
    const row = (await screen.findAllByText("mine/secret-sauce"))[0]?.closest("tr") as HTMLElement;
    expect(within(row).getByText("no price")).toBeTruthy();
    expect(within(row).getByText("Default")).toBeTruthy();
    expect(screen.getByText("$2.00 in, $10.00 out")).toBeTruthy();
    expect(screen.getByText("Free")).toBeTruthy();
    await userEvent.type(screen.getByRole("searchbox", { name: "Find a model" }), "sol");
    expect(screen.queryByText("Free")).toBeNull();
  });
});

const found: FoundModels = {
  keys: [{ provider: "xai", title: "xAI Grok", variable: "XAI_API_KEY", model: "xai/grok-4.6" }],
  logins: [
    {
      provider: "anthropic",
      title: "Claude CLI",
      state: "ready",
      plan: "max",
      used: false,
      model: "anthropic/x",
    },
  ],
  servers: [
    {
      provider: "ollama",
      title: "Ollama",
      base_url: "http://127.0.0.1:11434",
      models: [{ id: "llama3" }, { id: "qwen3" }],
      used: false,
    },
  ],
};

describe("where answers come from", () => {
  it("lists what was found first and writes only what must change", () => {
    const choices = choicesOf(found, "xai/grok-4.6");
    expect(choices.map((one) => one.kind)).toEqual(["key", "login", "server", "paste", "demo"]);
    expect(choices[0]?.settings("")).toEqual({});
    expect(choices[1]?.settings("")).toEqual({
      "providers.anthropic.use_cli_login": true,
      "models.default": "anthropic/x",
    });
    expect(choices[4]?.settings("")).toEqual({ "models.default": "demo/assistant" });
    expect(choicesOf(nothing, "demo/assistant").at(-1)?.settings("")).toEqual({});
  });

  it("goes on with the demo model when there is nothing else", async () => {
    const { fake, sent } = api([provider("openai", "OpenAI")]);
    const done = vi.fn();
    renderWith(fake, <PickSource current="demo/assistant" onDone={done} />);
    const demo = await screen.findByRole("radio", { name: /Demo model/ });
    expect((demo as HTMLInputElement).checked).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect(done).toHaveBeenCalledWith("Demo model");
    expect(sent).toEqual([]);
  });

  it("connects a server on this machine with the model one picks", async () => {
    const { fake, sent } = api([provider("openai", "OpenAI")], found);
    const done = vi.fn();
    renderWith(fake, <PickSource current="xai/grok-4.6" onDone={done} />);
    await userEvent.click(await screen.findByRole("radio", { name: /Ollama/ }));
    await userEvent.selectOptions(screen.getByLabelText("Which model"), "ollama/qwen3");
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await waitFor(() => expect(done).toHaveBeenCalledWith("Ollama"));
    expect(sent).toEqual([{ set: { "providers.ollama.enabled": true, "models.default": "ollama/qwen3" } }]);
  });

  it("tests a pasted key before it goes on", async () => {
    const { fake } = api([provider("openai", "OpenAI")]);
    const done = vi.fn();
    renderWith(fake, <PickSource current="demo/assistant" onDone={done} />);
    await userEvent.click(await screen.findByRole("radio", { name: /API key/ }));
    const key = screen.getByLabelText("API key", { selector: "input[type=password]" });
    await userEvent.type(key, "sk-wrong");
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    expect((await screen.findByRole("alert")).textContent).toContain("did not accept");
    expect(done).not.toHaveBeenCalled();
    await userEvent.clear(key);
    await userEvent.type(key, "sk-right");
    await userEvent.click(screen.getByRole("button", { name: "Continue" }));
    await waitFor(() => expect(done).toHaveBeenCalledWith("OpenAI"));
  });
});
