// A vendor at the wire: it speaks OpenAI's chat protocol and says what a test tells it to, when it tells it to.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { after } from "node:test";

const model = "llama-3.3-70b-versatile";

/**
 * Starts a vendor for the tests of one file and gives the environment that points the program at it. `answer` gets
 * `say`, which sends one piece of the answer, and the last words it was asked; the answer is whole when it has run. With a
 * `key`, any other one is refused.
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
    const words = typeof asked === "string" ? asked : asked.map((part) => part.text ?? "").join("");
    if (!stream) {
      const said = [];
      await answer((content) => said.push(content), words);
      const message = { role: "assistant", content: said.join("") };
      return json(200, { id: "c1", model, choices: [{ index: 0, message, finish_reason: "stop" }] });
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const chunk = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "c1", model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    await answer((content) => chunk({ content }), words);
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
