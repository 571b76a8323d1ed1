// A vendor at the wire: it speaks OpenAI's chat protocol and says what a test tells it to, when it tells it to.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

const model = "llama-3.3-70b-versatile";

/**
 * Starts a vendor for the tests of one file and gives the environment that points the program at it. `answer` gets
 * `say`, which sends one piece of the answer, the last words it was asked, and how: whether it streams, and a signal that
 * nobody listens any more. The answer is whole when it has run. With a `key`, any other one is refused.
 */
export async function vendor(answer, { key } = {}) {
  const server = createServer(async (request, response) => {
    const json = (status, body) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (key && request.headers.authorization !== `Bearer ${key}`) {
      return json(401, { error: { message: "Invalid API Key", code: "invalid_api_key" } });
    }
    if (request.url.endsWith("/models")) return json(200, { data: [{ id: model }] });
    const { stream, messages } = JSON.parse(await text(request));
    const asked = messages.at(-1).content;
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const how = { stream, gone: gone.signal };
    const words = typeof asked === "string" ? asked : asked.map((part) => part.text ?? "").join("");
    if (!stream) {
      const said = [];
      await answer((content) => said.push(content), words, how);
      const message = { role: "assistant", content: said.join("") };
      return json(200, { id: "c1", model, choices: [{ index: 0, message, finish_reason: "stop" }] });
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const chunk = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "c1", model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    await answer((content) => chunk({ content }), words, how);
    if (gone.signal.aborted) return;
    chunk({}, "stop");
    response.end("data: [DONE]\n\n");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { GROQ_BASE_URL: `http://127.0.0.1:${server.address().port}/v1` };
}

/**
 * An answer for a vendor that speaks at an even pace, and `spoken`, which resolves when so many pieces of one have been said:
 * asking the page would be work of the page.
 */
export function paced(pieces, perSecond) {
  const waiting = [];
  const answer = async (say, _, { stream, gone }) => {
    if (!stream) return say(pieces[0]); // a title, or the like
    const began = performance.now();
    for (let said = 0; said < pieces.length && !gone.aborted; ) {
      await pause(8);
      const due = Math.min(pieces.length, Math.floor(((performance.now() - began) / 1000) * perSecond));
      for (; said < due; said++) say(pieces[said]);
      for (const one of waiting) if (said >= one.least) one.resolve();
    }
  };
  return { answer, spoken: (least) => new Promise((resolve) => waiting.push({ least, resolve })) };
}
