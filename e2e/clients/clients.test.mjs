// The official clients of OpenAI, Anthropic and Google against our doors, with every adapter behind them.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { start } from "./kit.mjs";

const doors = ["chat", "responses", "messages", "generate"];
const upstreams = {
	chat: "chat/gpt-test", openai: "openai/gpt-test", anthropic: "anthropic/claude-test-4-5",
	gemini: "gemini/gemini-2.5-test", ollama: "ollama/llama-test", demo: "demo/assistant",
};
const stops = {
	chat: { end: "stop", tools: "tool_calls", length: "length" },
	responses: { end: "completed", tools: "completed", length: "incomplete" },
	messages: { end: "end_turn", tools: "tool_use", length: "max_tokens" },
	generate: { end: "STOP", tools: "STOP", length: "MAX_TOKENS" },
};
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const schema = { type: "object", properties: { colour: { type: "string" } }, required: ["colour"], additionalProperties: false };
const delegate = {
	name: "delegate", description: "Hands a task over.",
	parameters: { type: "object", properties: { agent: { type: "string" }, task: { type: "string" } }, required: ["agent", "task"] },
};

let world;
before(async () => { world = await start(); });
after(() => world?.stop());

// answer asks with and without streaming and checks that both say the same.
for (const door of doors) {
	for (const [provider, model] of Object.entries(upstreams)) {
		const demo = provider === "demo";
		for (const streamed of [false, true]) {
			const question = (q) => ({ ...q, ...(streamed && { deltas: [] }) });
			describe(`${door} client, ${provider} behind, ${streamed ? "streamed" : "whole"}`, () => {
				test("text, stop and usage", async () => {
					await world.will(provider, { Says: "Grüß Gott, wörld 👋 \"again\".\nNew line.", Usage: { input: 100, output: 30 } });
					const q = question({ text: demo ? "hello" : "Say it.", system: "Be brief." });
					const a = await world.clients[door].ask(model, q);
					if (demo) assert.match(a.text, /demonstration/);
					else {
						assert.equal(a.text, "Grüß Gott, wörld 👋 \"again\".\nNew line.");
						assert.deepEqual(a.usage, { input: 100, output: 30 });
						const [last] = (await world.seen(provider)).slice(-1);
						assert.ok(last.includes("Be brief.") && last.includes("Say it."), last);
					}
					assert.equal(a.stop, stops[door].end);
					if (streamed) {
						assert.ok(q.deltas.length > 1, "it came in one piece");
						assert.equal(q.deltas.join(""), a.text);
					}
				});

				test("a cut answer is named so", { skip: demo }, async () => {
					await world.will(provider, { Says: "So it", Stop: "length" });
					const a = await world.clients[door].ask(model, question({ text: "Go on." }));
					assert.equal(a.stop, stops[door].length);
				});

				test("parallel tools, with results in the next turn", async () => {
					const text = "ask the researcher and the coder: why is it slow?";
					const ask = world.clients[door];
					await world.will(provider,
						{ Says: "I ask them.", Calls: [{ ID: "call_a", Name: "delegate", Args: "{\"agent\":\"researcher\",\"task\":\"why ü?\"}" }, { ID: "call_b", Name: "delegate", Args: "{\"agent\":\"coder\",\"task\":\"why?\"}" }] },
						{ Says: "It is the disk." });
					const first = await ask.ask(model, question({ text, tools: [delegate] }));
					assert.deepEqual(first.calls.map((c) => [c.name, c.args.agent]), [["delegate", "researcher"], ["delegate", "coder"]]);
					assert.equal(first.stop, stops[door].tools);
					const results = first.calls.map((c, i) => ({ id: c.id, name: c.name, text: `result-${i}` }));
					const history = [...ask.user(text), ...first.turn, ...ask.results(results)];
					const second = await ask.ask(model, question({ history, tools: [delegate] }));
					assert.match(second.text, demo ? /result-0[^]*result-1/ : /^It is the disk\.$/);
					if (!demo) {
						const [last] = (await world.seen(provider)).slice(-1);
						for (const want of ["result-0", "result-1", "researcher", "why ü?"]) assert.ok(last.includes(want), `the vendor did not get ${want}: ${last}`);
					}
				});

				test("an image", async () => {
					await world.will(provider, { Says: "Red." });
					const a = await world.clients[door].ask(model, question({ text: "Which colour?", image: pixel }));
					if (demo) return assert.notEqual(a.text, "");
					assert.equal(a.text, "Red.");
					const [last] = (await world.seen(provider)).slice(-1);
					assert.ok(last.includes(pixel), "the image did not arrive");
				});

				test("structured output", async () => {
					await world.will(provider, { Says: "{\"colour\":\"red\"}" });
					const a = await world.clients[door].ask(model, question({ text: "Which colour?", schema }));
					assert.equal(typeof JSON.parse(a.text).colour, "string");
					if (demo) return;
					const [last] = (await world.seen(provider)).slice(-1);
					assert.ok(last.includes("\"colour\""), last);
				});

				test("an answer that breaks off is an error", { skip: demo || !streamed }, async () => {
					await world.will(provider, { Says: "one two three four five six seven eight", CutAfter: 6 });
					const q = question({ text: "Count." });
					await assert.rejects(world.clients[door].ask(model, q));
				});
			});
		}
	}
}
