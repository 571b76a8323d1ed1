// The official clients raise their typed errors, and what else they can do works: lists, embeddings, audio, counting, cancelling.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { start } from "./kit.mjs";

let world, openaiErrors, anthropicErrors, google;
before(async () => {
	world = await start();
	openaiErrors = (await import("openai")).default;
	anthropicErrors = (await import("@anthropic-ai/sdk")).default;
	google = await import("@google/genai");
});
after(() => world?.stop());

// rejected is the error of a call that must fail.
async function rejected(promise) {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	assert.fail("it did not fail");
}

// settled waits for the ledger, which writes behind.
async function settled(done) {
	for (let i = 0; ; i++) {
		const rows = await world.ledger();
		if (done(rows)) return rows;
		assert.ok(i < 100, `the ledger does not settle: ${JSON.stringify(rows.slice(0, 3))}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

const doors = ["chat", "responses", "messages", "generate"];

function check(door, error, status, name) {
	assert.equal(error.status, status, String(error));
	if (door === "generate") return assert.ok(error instanceof google.ApiError, error.constructor.name);
	const family = door === "messages" ? anthropicErrors : openaiErrors;
	assert.ok(error instanceof family[name], `${error.constructor.name}, want ${name}`);
}

for (const door of doors) {
	for (const streamed of [false, true]) {
		const deltas = () => (streamed ? { deltas: [] } : {});
		describe(`errors, ${door} client, ${streamed ? "streamed" : "whole"}`, () => {
			test("a wrong key", async () => {
				const clients = await world.make("fx_wrong");
				const error = await rejected(clients[door].ask("demo/assistant", { text: "hi", ...deltas() }));
				check(door, error, 401, "AuthenticationError");
			});
			test("a key without the permission", async () => {
				const clients = await world.make(world.limited);
				check(door, await rejected(clients[door].ask("demo/assistant", { text: "hi", ...deltas() })), 403, "PermissionDeniedError");
			});
			test("a model that does not exist, with a hint", async () => {
				const error = await rejected(world.clients[door].ask("demo2/assistant", { text: "hi", ...deltas() }));
				check(door, error, 404, "NotFoundError");
				assert.match(error.message, /provider\/model|Did you mean/);
			});
			test("a vendor's rate limit, with its time", async () => {
				await world.will("strict", { Status: 429, Code: "rate_limit_exceeded", Message: "slow down", Header: { "Retry-After": "7" } });
				const error = await rejected(world.clients[door].ask("strict/gpt-test", { text: "hi", ...deltas() }));
				check(door, error, 429, "RateLimitError");
				if (door !== "generate") assert.equal(error.headers.get("retry-after"), "7");
			});
			test("a bad request", async () => {
				await world.will("strict", { Status: 400, Code: "invalid_value", Message: "temperature: out of range" });
				const error = await rejected(world.clients[door].ask("strict/gpt-test", { text: "hi", ...deltas() }));
				check(door, error, 400, "BadRequestError");
				assert.match(error.message, /out of range/);
			});
			test("an overloaded vendor", async () => {
				await world.will("strict", { Status: 503, Code: "overloaded_error", Message: "busy" });
				const error = await rejected(world.clients[door].ask("strict/gpt-test", { text: "hi", ...deltas() }));
				check(door, error, 503, "InternalServerError");
			});
			test("an error in the middle", { skip: !streamed }, async () => {
				await world.will("strict", { Says: "one two three four five", FailAfter: 4, Code: "overloaded_error", Message: "Overloaded, sorry" });
				await rejected(world.clients[door].ask("strict/gpt-test", { text: "hi", deltas: [] }));
			});
		});
	}
}

describe("besides answers", () => {
	test("models are listed and found", async () => {
		const ids = [];
		for await (const m of world.clients.openai.models.list()) ids.push(m.id);
		assert.ok(ids.includes("fast") && ids.includes("demo/assistant"), ids.join());
		assert.equal((await world.clients.openai.models.retrieve("demo/assistant")).id, "demo/assistant");
		assert.equal((await rejected(world.clients.openai.models.retrieve("nobody/x"))).status, 404);
		const [first] = (await world.clients.anthropic.models.list()).data;
		assert.equal(first.type, "model");
		const pager = await world.clients.google.models.list();
		assert.match(pager.page[0].name, /^models\//);
	});
	test("aliases work", async () => {
		await world.will("chat", { Says: "By another name." });
		assert.equal((await world.clients.chat.ask("fast", { text: "hi" })).text, "By another name.");
	});
	test("embeddings, as numbers and packed", async () => {
		for (const encoding_format of [undefined, "float", "base64"]) {
			const e = await world.clients.openai.embeddings.create({ model: "chat/embed-test", input: ["a", "b"], ...(encoding_format && { encoding_format }) });
			assert.equal(e.data.length, 2);
			if (encoding_format !== "base64") assert.deepEqual(e.data[1].embedding, [1, 0.5]);
		}
		const g = await world.clients.google.models.embedContent({ model: "chat/embed-test", contents: ["a", "b"] });
		assert.deepEqual(g.embeddings[1].values, [1, 0.5]);
	});
	test("speech and transcripts", async () => {
		const { toFile } = await import("openai");
		const file = await toFile(Buffer.from("RIFFsound"), "a.wav");
		assert.equal((await world.clients.openai.audio.transcriptions.create({ file, model: "chat/whisper" })).text, "Hello there.");
		const speech = await world.clients.openai.audio.speech.create({ model: "chat/tts", voice: "alloy", input: "hi" });
		assert.equal(Buffer.from(await speech.arrayBuffer()).toString(), "ID3sound");
	});
	test("tokens are counted", async () => {
		const a = await world.clients.anthropic.messages.countTokens({ model: "anthropic/claude-test-4-5", messages: [{ role: "user", content: "count me" }] });
		assert.ok(a.input_tokens > 0);
		const g = await world.clients.google.models.countTokens({ model: "demo/assistant", contents: "count me" });
		assert.ok(g.totalTokens > 0);
	});
	test("a chat stream without usage has no chunk without choices", async () => {
		const stream = await world.clients.openai.chat.completions.create({ model: "chat/gpt-test", stream: true, messages: [{ role: "user", content: "hi" }] });
		for await (const chunk of stream) assert.equal(chunk.choices.length, 1);
	});
	test("thoughts of Claude survive a foreign client", async () => {
		const reply = { Thinks: "I must look.", Signature: "c2VhbGVk+/==", Says: "One moment.", Calls: [{ ID: "call_a", Name: "look", Args: "{}" }] };
		const tools = [{ name: "look", description: "Looks.", parameters: { type: "object", properties: {} } }];
		for (const door of ["chat", "responses", "generate"]) {
			for (const streamed of door === "chat" ? [false] : [false, true]) { // OpenAI's helper drops what it does not know while streaming
				await world.will("anthropic", reply, { Says: "Seen." });
				const ask = world.clients[door];
				const first = await ask.ask("anthropic/claude-test-4-5", { text: "Look.", tools, ...(streamed && { deltas: [] }) });
				const history = [...ask.user("Look."), ...first.turn, ...ask.results(first.calls.map((c) => ({ ...c, text: "a cat" })))];
				await ask.ask("anthropic/claude-test-4-5", { history, tools });
				const [last] = (await world.seen("anthropic")).slice(-1);
				assert.ok(last.includes("c2VhbGVk+/==") && last.includes("I must look."), `${door}: ${last}`);
			}
		}
	});
	test("who goes away is charged for what came", async () => {
		for (const door of doors) {
			await world.will("chat", { Says: "one two three four five", HoldAfter: 4 });
			const leave = new AbortController();
			const deltas = { push: () => leave.abort() };
			await rejected(world.clients[door].ask("chat/gpt-test", { text: "hi", deltas, signal: leave.signal }));
		}
		const rows = (await settled((all) => all.filter((r) => r.outcome === "cancelled").length >= doors.length)).filter((r) => r.outcome === "cancelled");
		assert.ok(rows.every((r) => r.estimated && r.tokens.input > 0 && r.key && r.user && r.door), JSON.stringify(rows[0]));
	});
	test("every call is in the ledger", async () => {
		for (const door of doors) await world.clients[door].ask("demo/assistant", { text: "hello" });
		const rows = await settled((all) => all.every((r) => r.outcome !== "open"));
		for (const door of ["openai", "anthropic", "gemini"]) assert.ok(rows.some((r) => r.door === door && r.outcome === "ok"), door);
		assert.ok(rows.some((r) => r.outcome === "failed" && r.error_code === "provider_rate"));
	});
	test("a key in the address is refused with a hint", async () => {
		const answer = await fetch(`${world.url}/v1beta/models?key=${world.key}`);
		const { error } = await answer.json();
		assert.equal(answer.status, 401);
		assert.match(error.message, /x-goog-api-key/);
	});
});
