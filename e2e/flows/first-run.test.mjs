// From the printed link to the first answer, without a key: on a desk and on a phone.
import assert from "node:assert/strict";
import { answers, composer, desktop, password, phone, refused, settled, shown, suite } from "./kit.mjs";

for (const [name, viewport] of Object.entries({ desktop, phone })) {
  const world = suite({ empty: true });

  world.flow(`first run on a ${name}: link, account, model, chat, answer`, async () => {
    const context = await world.window({ viewport });
    const page = await context.newPage();
    const started = Date.now();

    await page.goto(world.server.link);
    const code = new URL(world.server.link).hash.replace("#code=", "");
    const field = page.getByLabel("One-time code");
    await field.waitFor();
    assert.equal(await field.inputValue(), code, "the code of the link is filled in");
    await page.getByLabel("Your name").fill("Mira Holm");
    assert.equal(await page.getByLabel("User name").inputValue(), "mira", "a user name is suggested");
    await page.locator("input[autocomplete=new-password]").fill(password);
    await page.getByRole("button", { name: "Create account" }).click();

    await page.getByRole("heading", { name: "Where should answers come from?" }).waitFor();
    assert.ok(await page.getByRole("radio", { name: /Demo model/ }).isChecked(), "the demo model is chosen");
    assert.equal(new URL(page.url()).hash, "", "the used code is gone from the address");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Start chatting" }).click();

    await shown(page, "/chat");
    if (name === "desktop") {
      await page.waitForFunction(() => document.activeElement?.matches("textarea"));
    }
    const asked = Date.now();
    await page.getByRole("button", { name: /Say hello/ }).click();
    await page.waitForURL(/\/chat\/conv_/);
    await answers(page).getByText("demonstration model").waitFor();
    const first = Date.now() - asked;
    const [question, answer] = await settled(page, 2);
    assert.equal(question, "Hello");
    assert.match(answer, /Hello! Say help to see what I understand\.$/);
    const total = Date.now() - started;
    console.log(`${name}: first words after ${first} ms, whole first run ${total} ms`);
    assert.ok(total < 60_000, `the first run took ${total} ms`);

    await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Hello");
    if (name === "desktop") {
      await page.getByRole("list", { name: "Recent" }).getByRole("link", { name: "Hello" }).waitFor();
    } else {
      await page.getByRole("link", { name: "All chats" }).click();
      await page.getByRole("table", { name: "All chats" }).getByText("Hello").waitFor();
    }
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      false,
      "no sideways scroll",
    );
    assert.equal(await composer(page).count() > 0, name === "desktop");

    // The link is used up: opening it again offers to sign in, and the API refuses the code.
    const again = await context.newPage();
    await again.goto(world.server.link);
    await again.getByText("This server is set up already.").waitFor();
    context.watch.allow(refused(409), refused(410), refused(403));
    const second = await context.request.post(world.server.url("/api/v1/setup"), {
      data: { code, user: "eve", password },
    });
    assert.equal(second.ok(), false, "a used code makes no second account");
  });
}
