// Files of a message: chosen, dropped and pasted; refused in plain words; kept over a reload; seen by others.
import assert from "node:assert/strict";
import { axeFindings, composer, open, phone, shown, suite, thread } from "./kit.mjs";

const world = suite();
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
  "base64",
);
const files = (page) => page.getByRole("list", { name: "Attached files" });

/** Gives files to the page as a drop or a paste would. */
async function give(page, type, name, mime, text) {
  await composer(page).evaluate(
    (element, [event, file, kind, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], file, { type: kind }));
      const made =
        event === "paste"
          ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
      element.dispatchEvent(made);
    },
    [type, name, mime, text],
  );
}

for (const [name, viewport] of [
  ["desk", undefined],
  ["phone", phone],
]) {
  world.flow(`files go with a message, on a ${name}`, async () => {
    const context = await world.window({ user: "mira", ...(viewport ? { viewport } : {}) });
    const page = await open(context, world.server, "/chat");
    await page.getByRole("button", { name: "Attach files" }).waitFor();
    await page.locator("input[data-attach]").setInputFiles([
      { name: "dot.png", mimeType: "image/png", buffer: picture },
      { name: "clip.mp4", mimeType: "video/mp4", buffer: Buffer.from("no") },
    ]);
    await files(page).getByRole("alert").filter({ hasText: "Models cannot be shown this kind of file" }).waitFor();
    await give(page, "drop", "list.txt", "text/plain", "milk");
    await give(page, "paste", "words.md", "text/markdown", "# words");
    await files(page).getByText("words.md").waitFor();
    await page.getByRole("button", { name: "Remove clip.mp4" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".file.done").length === 3);
    if (!viewport) assert.deepEqual(await axeFindings(page), []);

    // What is attached and typed is there after a reload.
    await composer(page).fill("Hello");
    await page.waitForFunction(() => localStorage.getItem("fluxway.draft.new")?.includes("Hello"));
    await page.reload();
    await shown(page, "/chat");
    await files(page).getByText("list.txt").waitFor();
    assert.equal(await files(page).getByRole("listitem").count(), 3);
    await page.getByRole("button", { name: "Remove list.txt" }).click();
    await composer(page).press("Enter");
    await page.waitForURL(/\/chat\/conv_/);
    await thread(page).getByRole("button", { name: "Show larger: dot.png" }).waitFor();
    await thread(page).getByRole("link", { name: "words.md" }).waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const messages = await (await context.request.get(world.server.url(`/api/v1/conversations/${id}/messages`))).json();
    const asked = messages.data.find((message) => message.role === "user");
    assert.deepEqual(asked.parts.map((part) => part.kind), ["image", "document", "text"]);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  });
}
