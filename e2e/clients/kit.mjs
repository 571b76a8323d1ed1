// Starts our server with fake vendors behind it, and gives every official client the same few verbs.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

// install fetches the pinned clients once.
function install() {
	if (existsSync(new URL("node_modules/.package-lock.json", import.meta.url))) return;
	const done = spawnSync("npm", ["ci", "--ignore-scripts"], { cwd: here, encoding: "utf8" });
	if (done.status !== 0) throw new Error(`npm ci in e2e/clients failed:\n${done.stdout}\n${done.stderr}`);
}

export async function start() {
	install();
	const child = spawn("go", ["run", "./gateway"], { cwd: here, stdio: ["pipe", "pipe", "inherit"] });
	const lines = createInterface({ input: child.stdout });
	const [line] = await Promise.race([
		new Promise((resolve) => lines.once("line", (l) => resolve([l]))),
		new Promise((_, reject) => child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)))),
	]);
	const { url, key, limited, control } = JSON.parse(line);
	const clients = await makeClients(url, key);
	return {
		url, key, limited, clients,
		make: (k) => makeClients(url, k),
		async will(provider, ...replies) {
			if (provider === "demo") return;
			const answer = await fetch(`${control}/${provider}`, { method: "POST", body: JSON.stringify(replies) });
			if (!answer.ok) throw new Error(await answer.text());
		},
		async seen(provider) {
			return (await fetch(`${control}/${provider}`)).json();
		},
		async ledger() {
			return (await fetch(`${control}/ledger`)).json();
		},
		stop: () => new Promise((resolve) => {
			child.once("exit", resolve);
			child.stdin.end();
		}),
	};
}

async function makeClients(url, key) {
	const { default: OpenAI } = await import("openai");
	const { default: Anthropic } = await import("@anthropic-ai/sdk");
	const { GoogleGenAI } = await import("@google/genai");
	const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
	const anthropic = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
	const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
	return { chat: chat(openai), responses: responses(openai), messages: messages(anthropic), generate: generate(google), openai, anthropic, google };
}

// Each speaker answers {text, calls: [{id, name, args}], stop, usage: {input, output}, turn}; turn is what goes back
// into the history. A question is {text, image?, tools?, schema?, history?, signal?, system?}; with deltas, a list, it is streamed.

function chat(client) {
	const body = (model, q) => ({
		model, messages: [...(q.system ? [{ role: "system", content: q.system }] : []), ...(q.history ?? []), ...(q.text ? [{
			role: "user",
			content: q.image ? [{ type: "text", text: q.text }, { type: "image_url", image_url: { url: `data:image/png;base64,${q.image}` } }] : q.text,
		}] : [])],
		...(q.tools && { tools: q.tools.map((t) => ({ type: "function", function: t })) }),
		...(q.schema && { response_format: { type: "json_schema", json_schema: { name: "answer", schema: q.schema, strict: true } } }),
	});
	const read = (completion) => {
		const { message, finish_reason } = completion.choices[0];
		return {
			text: message.content ?? "", stop: finish_reason, turn: [message],
			calls: (message.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, args: JSON.parse(c.function.arguments) })),
			usage: { input: completion.usage?.prompt_tokens, output: completion.usage?.completion_tokens },
		};
	};
	return {
		user: (text) => [{ role: "user", content: text }],
		results: (list) => list.map((r) => ({ role: "tool", tool_call_id: r.id, content: r.text })),
		async ask(model, q) {
			if (!q.deltas) return read(await client.chat.completions.create(body(model, q), { signal: q.signal }));
			const stream = client.chat.completions.stream({ ...body(model, q), stream_options: { include_usage: true } }, { signal: q.signal });
			for await (const chunk of stream) {
				const text = chunk.choices[0]?.delta?.content;
				if (text) q.deltas.push(text);
			}
			return read(await stream.finalChatCompletion());
		},
	};
}

function responses(client) {
	const body = (model, q) => ({
		model, store: false, include: ["reasoning.encrypted_content"], ...(q.system && { instructions: q.system }),
		input: [...(q.history ?? []), ...(q.text ? [{
			role: "user",
			content: [{ type: "input_text", text: q.text }, ...(q.image ? [{ type: "input_image", image_url: `data:image/png;base64,${q.image}`, detail: "auto" }] : [])],
		}] : [])],
		...(q.tools && { tools: q.tools.map((t) => ({ type: "function", strict: false, ...t })) }),
		...(q.schema && { text: { format: { type: "json_schema", name: "answer", schema: q.schema, strict: true } } }),
	});
	const read = (r) => ({
		text: r.output_text ?? "", stop: r.status, turn: r.output.map(({ parsed_arguments: _, ...item }) => item),
		calls: r.output.filter((i) => i.type === "function_call").map((c) => ({ id: c.call_id, name: c.name, args: JSON.parse(c.arguments) })),
		usage: { input: r.usage?.input_tokens, output: r.usage?.output_tokens },
	});
	return {
		user: (text) => [{ role: "user", content: text }],
		results: (list) => list.map((r) => ({ type: "function_call_output", call_id: r.id, output: r.text })),
		async ask(model, q) {
			if (!q.deltas) return read(await client.responses.create(body(model, q), { signal: q.signal }));
			const stream = client.responses.stream(body(model, q), { signal: q.signal });
			for await (const event of stream) {
				if (event.type === "response.output_text.delta") q.deltas.push(event.delta);
				if (event.type === "response.failed") throw Object.assign(new Error(event.response.error.message), { code: event.response.error.code });
			}
			return read(await stream.finalResponse());
		},
	};
}

function messages(client) {
	const body = (model, q) => ({
		model, max_tokens: 1000, ...(q.system && { system: q.system }),
		messages: [...(q.history ?? []), ...(q.text ? [{
			role: "user",
			content: q.image ? [{ type: "text", text: q.text }, { type: "image", source: { type: "base64", media_type: "image/png", data: q.image } }] : q.text,
		}] : [])],
		...(q.tools && { tools: q.tools.map((t) => ({ name: t.name, description: t.description, input_schema: t.parameters })) }),
		...(q.schema && { output_config: { format: { type: "json_schema", schema: q.schema } } }),
	});
	const read = (m) => ({
		text: m.content.filter((b) => b.type === "text").map((b) => b.text).join(""), stop: m.stop_reason,
		turn: [{ role: "assistant", content: m.content }],
		calls: m.content.filter((b) => b.type === "tool_use").map((b) => ({ id: b.id, name: b.name, args: b.input })),
		usage: { input: m.usage.input_tokens, output: m.usage.output_tokens },
	});
	return {
		user: (text) => [{ role: "user", content: text }],
		results: (list) => [{ role: "user", content: list.map((r) => ({ type: "tool_result", tool_use_id: r.id, content: r.text })) }],
		async ask(model, q) {
			if (!q.deltas) return read(await client.messages.create(body(model, q), { signal: q.signal }));
			const stream = client.messages.stream(body(model, q), { signal: q.signal });
			stream.on("text", (text) => q.deltas.push(text));
			return read(await stream.finalMessage());
		},
	};
}

function generate(client) {
	const body = (model, q) => ({
		model,
		contents: [...(q.history ?? []), ...(q.text ? [{
			role: "user", parts: [{ text: q.text }, ...(q.image ? [{ inlineData: { mimeType: "image/png", data: q.image } }] : [])],
		}] : [])],
		config: {
			abortSignal: q.signal, ...(q.system && { systemInstruction: q.system }),
			...(q.tools && { tools: [{ functionDeclarations: q.tools.map((t) => ({ name: t.name, description: t.description, parametersJsonSchema: t.parameters })) }] }),
			...(q.schema && { responseMimeType: "application/json", responseJsonSchema: q.schema }),
		},
	});
	const read = (parts, stop, usage) => ({
		text: parts.filter((p) => p.text && !p.thought).map((p) => p.text).join(""), stop, turn: [{ role: "model", parts }],
		calls: parts.filter((p) => p.functionCall).map((p) => ({ id: p.functionCall.id ?? p.functionCall.name, name: p.functionCall.name, args: p.functionCall.args ?? {} })),
		usage: { input: usage?.promptTokenCount, output: usage?.candidatesTokenCount },
	});
	return {
		user: (text) => [{ role: "user", parts: [{ text }] }],
		results: (list) => [{ role: "user", parts: list.map((r) => ({ functionResponse: { id: r.id, name: r.name, response: { output: r.text } } })) }],
		async ask(model, q) {
			if (!q.deltas) {
				const r = await client.models.generateContent(body(model, q));
				return read(r.candidates[0].content.parts, r.candidates[0].finishReason, r.usageMetadata);
			}
			const parts = [];
			let stop, usage;
			for await (const chunk of await client.models.generateContentStream(body(model, q))) {
				const candidate = chunk.candidates?.[0];
				for (const p of candidate?.content?.parts ?? []) {
					if (p.text && !p.thought) q.deltas.push(p.text);
					if (p.text !== "" || p.functionCall || p.thoughtSignature) parts.push(p);
				}
				stop = candidate?.finishReason ?? stop;
				usage = chunk.usageMetadata ?? usage;
			}
			return read(parts, stop, usage);
		},
	};
}
