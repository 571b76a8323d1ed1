// A model that does as it is told: "call NAME ARGUMENTS" makes it call a tool, and it repeats what the tool said.
import { createServer } from "node:http";

function reply({ messages, tools }) {
	const last = messages.at(-1);
	const words = typeof last.content === "string" ? last.content : (last.content ?? []).map((p) => p.text ?? "").join("");
	if (last.role === "tool") return { content: `The tool said: ${words}` };
	const order = /call (\S+) (\{.*\})/.exec(words);
	if (!order || !tools?.length) return { content: `I read: ${words}` };
	return { tool_calls: [{ index: 0, id: `call_${messages.length}`, type: "function", function: { name: order[1], arguments: order[2] } }] };
}

export async function model() {
	const server = createServer(async (req, res) => {
		let text = "";
		for await (const chunk of req) text += chunk;
		if (!req.url.endsWith("/chat/completions")) {
			res.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
			return;
		}
		const asked = JSON.parse(text);
		const said = reply(asked);
		const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
		const base = { id: "chat_1", created: 1, model: asked.model };
		const finish_reason = said.tool_calls ? "tool_calls" : "stop";
		if (!asked.stream) {
			const choices = [{ index: 0, message: { role: "assistant", ...said }, finish_reason }];
			res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...base, object: "chat.completion", choices, usage }));
			return;
		}
		res.writeHead(200, { "content-type": "text/event-stream" });
		for (const choice of [{ index: 0, delta: { role: "assistant", ...said } }, { index: 0, delta: {}, finish_reason }]) {
			res.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [choice] })}\n\n`);
		}
		res.end(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [], usage })}\n\ndata: [DONE]\n\n`);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}
