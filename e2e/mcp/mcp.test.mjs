// The official MCP servers behind our client, and the official clients in front of our server.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { model } from "./model.mjs";
import { binary, finish, freePort, inspector, install, official, World } from "./world.mjs";

const world = new World();
const files = mkdtempSync(join(tmpdir(), "fluxway files "));

const call = (tool, args) => world.api("POST", `/api/v1/tools/${tool}/call`, { arguments: args });
const text = (result) => result.parts.map((p) => p.text ?? JSON.stringify(p.json)).join("\n");
const add = (server) => world.api("POST", "/api/v1/mcp/servers", { level: "public", read_only: ["*"], ...server });

let vendor;

before(async () => {
	install();
	vendor = await model();
	Object.assign(world.env, { MISTRAL_API_KEY: "a-key-of-a-test", MISTRAL_BASE_URL: vendor.url, FLUXWAY_MODELS_DEFAULT: "mistral/mistral-small-latest" });
	await world.open();
	await world.api("POST", "/api/v1/projects", { name: "notes", folder: files });
	writeFileSync(join(files, "note.txt"), "remember the milk");
	await add({ name: "everything", command: "node", args: [official("everything")] });
	await add({ name: "files", command: "node", args: [official("filesystem"), files], roots: false });
	await add({ name: "memory", command: "node", args: [official("memory")], env: { MEMORY_FILE_PATH: join(files, "memory.json") } });
	await Promise.all(["everything", "files", "memory"].map((name) => world.api("POST", `/api/v1/mcp/servers/${name}/start`)));
});

after(async () => {
	await world.close();
	vendor?.close();
	rmSync(files, { recursive: true, force: true });
});

test("the official servers over stdio", async () => {
	const { data } = await world.api("GET", "/api/v1/mcp/servers");
	for (const server of data) {
		assert.equal(server.state, "ready", JSON.stringify(server));
		assert.ok(server.tools > 5, `${server.name} has ${server.tools} tools`);
	}
	assert.match(text(await call("everything__echo", { message: "hello" })), /hello/);
	assert.match(text(await call("everything__get-sum", { a: 2, b: 3 })), /5/);
	assert.ok(text(await call("files__list_allowed_directories", {})).includes(files));
	// A path outside of every project is a question for a person, whatever the server thinks of it.
	const asked = await call("files__read_text_file", { path: join(files, "note.txt") });
	assert.equal(asked.needs?.kind, "approval", JSON.stringify(asked));
	const image = await call("everything__get-tiny-image", {});
	assert.ok(image.parts.some((p) => p.kind === "image" && p.media_type === "image/png"));
});

test("the memory server's tools have the shapes that it says", async () => {
	const { data } = await world.api("GET", "/api/v1/mcp/servers/memory/tools");
	assert.deepEqual(data.map((t) => `${t.name} ${t.state} ${Object.keys(t.schema.properties ?? {})}`).sort(), [
		"memory__add_observations ready observations",
		"memory__create_entities ready entities",
		"memory__create_relations ready relations",
		"memory__delete_entities ready entityNames",
		"memory__delete_observations ready deletions",
		"memory__delete_relations ready relations",
		"memory__open_nodes ready names",
		"memory__read_graph ready ",
		"memory__search_nodes ready query",
	]);
	await call("memory__create_entities", { entities: [{ name: "Ada", entityType: "person", observations: ["likes tea"] }] });
	await call("memory__add_observations", { observations: [{ entityName: "Ada", contents: ["writes programs"] }] });
	const found = await call("memory__search_nodes", { query: "tea" });
	assert.deepEqual(JSON.parse(text(found)).entities[0], { name: "Ada", entityType: "person", observations: ["likes tea", "writes programs"] });
	const wrong = await call("memory__create_entities", { entities: [{ name: "Ben" }] });
	assert.equal(wrong.code, "invalid_arguments", JSON.stringify(wrong));
});

// ask has an agent work on a message until it is done or waits for a person.
async function ask(message) {
	const { run } = await world.api("POST", "/api/v1/agents/assistant/chat", { message });
	return settled(run);
}

// settled looks at a run whenever something was said about its conversation, until it waits or is over.
async function settled({ id, conversation }) {
	const gone = new AbortController();
	const headers = { authorization: `Bearer ${world.key}` };
	const stream = await fetch(`${world.url}/api/v1/events/stream?channels=conversations/${conversation}`, { headers, signal: gone.signal });
	const heard = stream.body[Symbol.asyncIterator]();
	try {
		for (;;) {
			const run = await world.api("GET", `/api/v1/runs/${id}`);
			if (!["queued", "running"].includes(run.state)) return run;
			await heard.next();
		}
	} finally {
		gone.abort();
	}
}

async function said(run) {
	const { data } = await world.api("GET", `/api/v1/conversations/${run.conversation}/messages`);
	return data.filter((m) => m.role === "assistant").flatMap((m) => m.parts.map((p) => p.text ?? "")).join("\n");
}

test("what the official server elicits, samples and wants to know of our folders", async () => {
	let run = await ask("call everything__trigger-elicitation-request {}");
	assert.equal(run.state, "waiting", JSON.stringify(run));
	assert.match(run.needs[0].question, /^The MCP server everything asks: Please provide inputs/);
	assert.match(run.needs[0].help, /- name \(string, required\)[^]*preset 42/);
	assert.equal(run.needs[0].fields.find((f) => f.name === "legacyTitledEnum").choices[0].label, "Cats");
	await world.api("POST", `/api/v1/runs/${run.id}/answer`, { answer: "check: yes" });
	run = await settled(run);
	assert.match(run.needs[0].help, /^name is missing\./, "an answer that cannot be read is asked for again");
	await world.api("POST", `/api/v1/runs/${run.id}/answer`, { answer: "name: Ada Lovelace\ncheck: yes\ninteger: 7" });
	run = await settled(run);
	assert.equal(run.state, "finished", JSON.stringify(run));
	assert.match(await said(run), /Ada Lovelace[^]*7/);

	run = await ask('call everything__trigger-sampling-request {"prompt":"what is tea?","maxTokens":50}');
	assert.equal(run.state, "waiting", JSON.stringify(run));
	assert.match(run.needs[0].question, /have a model answer/);
	assert.match(run.needs[0].help, /what is tea\?/);
	await world.api("POST", `/api/v1/runs/${run.id}/answer`, { answers: ["Allow"] });
	run = await settled(run);
	assert.match(await said(run), /I read: [^]*what is tea\?/);
	const { data } = await world.api("GET", "/api/v1/costs/records?limit=50");
	assert.ok(data.some((r) => r.run === run.id && r.door === "mcp"), JSON.stringify(data[0]));

	run = await ask("call everything__get-roots-list {}");
	assert.ok((await said(run)).includes(encodeURI(`file://${files}`)), await said(run));
});

test("the official server over HTTP, in both kinds", async () => {
	for (const [name, mode, path] of [["webhttp", "streamableHttp", "/mcp"], ["websse", "sse", "/sse"]]) {
		const port = await freePort();
		await world.start("node", [official("everything"), mode], { PORT: String(port) }, /listening|running|started/i);
		await add({ name, url: `http://127.0.0.1:${port}${path}`, transport: mode === "sse" ? "sse" : "http" });
		assert.equal((await world.api("POST", `/api/v1/mcp/servers/${name}/start`)).state, "ready");
		assert.match(text(await call(`${name}__echo`, { message: mode })), new RegExp(mode));
	}
});

test("the official client, over HTTP and through fluxway mcp serve", async () => {
	const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
	const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
	const ways = {
		http: new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${world.key}` } } }),
		stdio: new StdioClientTransport({ command: binary, args: ["mcp", "serve"], env: world.env }),
	};
	for (const [way, transport] of Object.entries(ways)) {
		const client = new Client({ name: "test", version: "1" });
		await client.connect(transport);
		const { tools } = await client.listTools();
		assert.ok(tools.some((t) => t.name === "everything__echo"), `${way}: ${tools.map((t) => t.name)}`);
		const result = await client.callTool({ name: "everything__echo", arguments: { message: way } });
		assert.match(result.content[0].text, new RegExp(way));
		await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /no tool/);
		const { prompts } = await client.listPrompts();
		assert.ok(prompts.some((p) => p.name === "assistant"), `${way}: ${prompts.map((p) => p.name)}`);
		// An agent is a tool; what it is asked becomes a conversation, which is a resource.
		const answer = await client.callTool({ name: "agent__assistant", arguments: { message: `hello over ${way}` } });
		assert.ok(!answer.isError && answer.content[0].text.length > 0, JSON.stringify(answer));
		const nobody = await client.callTool({ name: "agent__nobody", arguments: { message: "hello" } });
		assert.ok(nobody.isError && /no agent/i.test(nobody.content[0].text), JSON.stringify(nobody));
		const { resources } = await client.listResources();
		const read = await client.readResource({ uri: resources[0].uri });
		assert.match(read.contents[0].text, new RegExp(`hello over ${way}`));
		await client.close();
	}
});

test("prompts and resources of the official server, over HTTP and through fluxway mcp serve", async () => {
	const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
	const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
	const types = await import("@modelcontextprotocol/sdk/types.js");
	const ways = {
		http: new StreamableHTTPClientTransport(new URL(`${world.url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${world.key}` } } }),
		stdio: new StdioClientTransport({ command: binary, args: ["mcp", "serve"], env: world.env }),
	};
	const from = "fluxway://mcp/everything/";
	for (const [way, transport] of Object.entries(ways)) {
		const client = new Client({ name: "test", version: "1" });
		// next waits for something that the server says by itself.
		const heard = (schema, fits = () => true) =>
			new Promise((resolve) => client.setNotificationHandler(schema, (n) => fits(n) && resolve(n)));
		await client.connect(transport);

		const { prompts } = await client.listPrompts();
		const prompt = prompts.find((p) => p.name === "everything__args-prompt");
		assert.ok(prompt?.arguments.some((a) => a.name === "city" && a.required), `${way}: ${prompts.map((p) => p.name)}`);
		const got = await client.getPrompt({ name: "everything__args-prompt", arguments: { city: "Rome" } });
		assert.match(got.messages[0].content.text, /Rome/);
		await assert.rejects(client.getPrompt({ name: "everything__no-prompt" }), /no prompt/);
		await assert.rejects(client.getPrompt({ name: "everything__args-prompt", arguments: {} }), /city|invalid/i);

		const { resources } = await client.listResources();
		const document = resources.find((r) => r.uri.startsWith(`${from}demo://resource/static/`));
		assert.ok(document, `${way}: ${resources.map((r) => r.uri)}`);
		const read = await client.readResource({ uri: document.uri });
		assert.equal(read.contents[0].uri, document.uri);
		assert.ok(read.contents[0].text.length > 20);
		const { resourceTemplates } = await client.listResourceTemplates();
		assert.ok(resourceTemplates.some((t) => t.uriTemplate === `${from}demo://resource/dynamic/text/{resourceId}`), JSON.stringify(resourceTemplates));
		const made = await client.readResource({ uri: `${from}demo://resource/dynamic/blob/7` });
		assert.ok(made.contents[0].blob.length > 4 && made.contents[0].uri === `${from}demo://resource/dynamic/blob/7`);
		await assert.rejects(client.readResource({ uri: `${from}demo://nothing` }), (e) => e.code === types.ErrorCode.InvalidParams || e.code === -32002);
		await assert.rejects(client.readResource({ uri: "fluxway://mcp/nobody/demo://x" }), /not found/i);

		const updated = heard(types.ResourceUpdatedNotificationSchema, (n) => n.params.uri === document.uri);
		await client.subscribeResource({ uri: document.uri });
		await client.callTool({ name: "everything__toggle-subscriber-updates", arguments: {} });
		await updated;
		await client.unsubscribeResource({ uri: document.uri });
		await client.callTool({ name: "everything__toggle-subscriber-updates", arguments: {} }); // its clock would keep it running

		const more = heard(types.ResourceListChangedNotificationSchema);
		await client.callTool({ name: "everything__gzip-file-as-resource", arguments: { name: `${way}.gz`, data: "data:text/plain,hello" } });
		await more;
		const now = await client.listResources();
		assert.ok(now.resources.some((r) => r.uri.endsWith(`/${way}.gz`)), JSON.stringify(now.resources.map((r) => r.uri)));

		// The server's patterns are about prompts and resources too.
		const fewer = heard(types.PromptListChangedNotificationSchema);
		await world.api("PATCH", "/api/v1/mcp/servers/everything", { deny: ["args-*", "demo://resource/static/*"] });
		await fewer;
		const left = await client.listPrompts();
		assert.ok(left.prompts.some((p) => p.name === "everything__simple-prompt") && !left.prompts.some((p) => p.name === "everything__args-prompt"));
		await assert.rejects(client.getPrompt({ name: "everything__args-prompt", arguments: { city: "Rome" } }), /no prompt/);
		await assert.rejects(client.readResource({ uri: document.uri }), /not found/i);
		await world.api("PATCH", "/api/v1/mcp/servers/everything", { deny: [] });
		await client.close();
	}
	// Each was judged and kept like a call of a tool.
	for (const [tool, outcomes] of [["everything__read_resource", ["error", "ok"]], ["everything__get_prompt", ["error", "ok"]]]) {
		const { data } = await world.api("GET", `/api/v1/guard/audit?tool=${tool}&door=mcp`);
		assert.deepEqual([...new Set(data.map((c) => c.outcome))].sort(), outcomes, JSON.stringify(data[0]));
	}
});

test("the official inspector, over HTTP and through fluxway mcp serve", async () => {
	const ways = {
		http: [`${world.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${world.key}`],
		stdio: ["-e", `FLUXWAY_HOME=${world.home}`, binary, "mcp", "serve"],
	};
	const inspect = async (way, ...more) => {
		const env = { ...world.env, HOME: files };
		const done = await finish(process.execPath, [...inspector, ...ways[way], ...more], { env, cwd: files });
		assert.equal(done.status, 0, `${way} ${more}: ${done.stdout}${done.stderr}`);
		return JSON.parse(done.stdout);
	};
	const [listed, called, prompts, other, read] = await Promise.all([
		inspect("http", "--method", "tools/list"),
		inspect("http", "--method", "tools/call", "--tool-name", "everything__echo", "--tool-arg", "message=inspected"),
		inspect("http", "--method", "prompts/list"),
		inspect("stdio", "--method", "tools/call", "--tool-name", "everything__get-sum", "--tool-arg", "a=2", "b=3"),
		inspect("http", "--method", "resources/read", "--uri", "fluxway://mcp/everything/demo://resource/dynamic/text/3"),
	]);
	assert.match(read.contents[0].text, /Resource 3/);
	assert.ok(listed.tools.some((t) => t.name === "everything__echo"));
	assert.match(called.content[0].text, /inspected/);
	assert.ok(prompts.prompts.length > 0);
	assert.match(other.content[0].text, /5/);
});

test("fluxway mcp manages servers", async () => {
	const list = join(files, "servers.json");
	writeFileSync(list, JSON.stringify({ mcpServers: { "Other Memory": { command: "node", args: [official("memory")], env: { API_KEY: "s3cret" } } } }));
	const added = JSON.parse(await world.run("mcp", "add", "--file", list, "--json")).servers[0];
	assert.equal(added.name, "other-memory");
	assert.deepEqual(added.secrets, ["API_KEY"]);
	await world.run("mcp", "add", "plain", "--", "node", official("memory"));
	assert.match(await world.run("mcp", "start", "plain"), /plain is ready, with 9 tools/);
	assert.match(await world.run("mcp", "tools", "plain", "--force"), /ready +plain__read_graph/);
	assert.match(await world.run("mcp", "list"), /other-memory +idle/);
	assert.match(await world.run("mcp", "call", "everything__echo", '{"message":"from the shell"}'), /from the shell/);
	assert.match(await world.run("mcp", "logs", "plain"), /fluxway +ready/);
	assert.match(await world.run("mcp", "restart", "plain"), /ready/);
	assert.match(await world.run("mcp", "stop", "plain"), /plain is stopped/);
	assert.match(await world.run("mcp", "consent", "plain"), /9 tools/);
	for (const name of ["plain", "other-memory"]) await world.run("mcp", "remove", name);
	const gone = await finish(binary, ["mcp", "tools", "plain"], { env: world.env });
	assert.equal(gone.status === 0, false);
	assert.match(gone.stderr, /no MCP server "plain"/);
});

test("fluxway mcp new writes, builds, tests and adds a server in both languages", async () => {
	await Promise.all(
		["go", "typescript"].map(async (language) => {
			const name = `new-${language}`;
			const folder = join(files, "new servers", name);
			const made = JSON.parse(
				await world.run("mcp", "new", name, "--language", language, "--folder", folder, "--tool", "measure", "--description", 'Measures "text".', "--yes", "--json"),
			);
			assert.deepEqual({ added: made.added, tools: made.tools, folder: made.folder }, { added: true, tools: 1, folder });
			await world.api("PATCH", `/api/v1/mcp/servers/${name}`, { level: "public", read_only: ["*"] });
			assert.deepEqual(JSON.parse(text(await call(`${name}__measure`, { text: "two words" }))), { words: 2, characters: 9 });
		}),
	);
});
