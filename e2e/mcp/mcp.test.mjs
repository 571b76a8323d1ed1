// The official MCP servers behind our client, and the official client in front of our server.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const binary = process.env.FLUXWAY_BIN;
const home = mkdtempSync(join(tmpdir(), "fluxway-mcp-"));
const files = mkdtempSync(join(tmpdir(), "fluxway-files-"));
const children = [];
let url;
let key;

function run(...args) {
	const done = spawnSync(binary, args, { env: { ...process.env, FLUXWAY_HOME: home }, encoding: "utf8" });
	assert.equal(done.status, 0, `${args.join(" ")}: ${done.stdout}${done.stderr}`);
	return done.stdout;
}

async function freePort() {
	const server = createServer();
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address();
	await new Promise((resolve) => server.close(resolve));
	return port;
}

// start runs a program until a line says that it is ready.
async function start(command, args, env, ready) {
	const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
	children.push(child);
	let all = "";
	await new Promise((resolve, reject) => {
		for (const stream of [child.stdout, child.stderr]) {
			createInterface({ input: stream }).on("line", (line) => {
				all += `${line}\n`;
				if (ready.test(line)) resolve();
			});
		}
		child.once("exit", (code) => reject(new Error(`${command} ended with ${code}:\n${all}`)));
	});
	return child;
}

async function api(method, path, body) {
	const answer = await fetch(url + path, {
		method,
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: body && JSON.stringify(body),
	});
	const text = await answer.text();
	assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
	return text ? JSON.parse(text) : undefined;
}

const official = (name) => join(here, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
const call = (tool, args) => api("POST", `/api/v1/tools/${tool}/call`, { arguments: args });
const text = (result) => result.parts.map((p) => p.text ?? JSON.stringify(p.json)).join("\n");

before(async () => {
	if (!existsSync(new URL("node_modules/.package-lock.json", import.meta.url))) {
		const done = spawnSync("npm", ["ci", "--ignore-scripts"], { cwd: here, encoding: "utf8" });
		assert.equal(done.status, 0, done.stdout + done.stderr);
	}
	writeFileSync(join(home, "password"), "a-long-password-of-a-test");
	run("setup", "--user", "ada", "--password-file", join(home, "password"));
	key = JSON.parse(run("keys", "create", "--name", "mcp", "--json")).key;
	const port = await freePort();
	url = `http://127.0.0.1:${port}`;
	await start(binary, ["up"], { FLUXWAY_HOME: home, FLUXWAY_LISTEN: `127.0.0.1:${port}` }, new RegExp(String(port)));
	writeFileSync(join(files, "note.txt"), "remember the milk");
	const looks = { level: "public", read_only: ["*"] };
	await api("POST", "/api/v1/mcp/servers", { name: "everything", command: "node", args: [official("everything")], ...looks });
	await api("POST", "/api/v1/mcp/servers", { name: "files", command: "node", args: [official("filesystem"), files], ...looks });
	await api("POST", "/api/v1/mcp/servers", { name: "memory", command: "node", args: [official("memory")], env: { MEMORY_FILE_PATH: join(files, "memory.json") }, ...looks });
});

after(async () => {
	for (const child of children.reverse()) {
		if (child.exitCode !== null) continue;
		const gone = new Promise((resolve) => child.once("exit", resolve));
		child.kill();
		await gone;
	}
	for (const folder of [home, files]) rmSync(folder, { recursive: true, force: true });
});

test("the official servers over stdio", async () => {
	for (const name of ["everything", "files", "memory"]) {
		const server = await api("POST", `/api/v1/mcp/servers/${name}/start`);
		assert.equal(server.state, "ready");
		assert.ok(server.tools > 5, `${name} has ${server.tools} tools`);
	}
	assert.match(text(await call("everything__echo", { message: "hello" })), /hello/);
	assert.match(text(await call("everything__get-sum", { a: 2, b: 3 })), /5/);
	assert.match(text(await call("files__list_allowed_directories", {})), new RegExp(files));
	// A path outside of every project is a question for a person, whatever the server thinks of it.
	const asked = await call("files__read_text_file", { path: join(files, "note.txt") });
	assert.equal(asked.needs?.kind, "approval", JSON.stringify(asked));
	await call("memory__create_entities", { entities: [{ name: "Ada", entityType: "person", observations: ["likes tea"] }] });
	assert.match(text(await call("memory__read_graph", {})), /likes tea/);
	const image = await call("everything__get-tiny-image", {});
	assert.ok(image.parts.some((p) => p.kind === "image" && p.media_type === "image/png"));
});

test("the official server over HTTP, in both kinds", async () => {
	for (const [name, mode, path] of [["webhttp", "streamableHttp", "/mcp"], ["websse", "sse", "/sse"]]) {
		const port = await freePort();
		await start("node", [official("everything"), mode], { PORT: String(port) }, /listening|running|started/i);
		await api("POST", "/api/v1/mcp/servers", {
			name, url: `http://127.0.0.1:${port}${path}`, transport: mode === "sse" ? "sse" : "http", level: "public", read_only: ["*"],
		});
		assert.equal((await api("POST", `/api/v1/mcp/servers/${name}/start`)).state, "ready");
		assert.match(text(await call(`${name}__echo`, { message: mode })), new RegExp(mode));
	}
});

test("the official client, over HTTP and through fluxway mcp serve", async () => {
	const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
	const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
	const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
	const ways = {
		http: new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
		stdio: new StdioClientTransport({ command: binary, args: ["mcp", "serve"], env: { ...process.env, FLUXWAY_HOME: home } }),
	};
	for (const [way, transport] of Object.entries(ways)) {
		const client = new Client({ name: "test", version: "1" });
		await client.connect(transport);
		const { tools } = await client.listTools();
		assert.ok(tools.some((t) => t.name === "everything__echo"), `${way}: ${tools.map((t) => t.name)}`);
		const result = await client.callTool({ name: "everything__echo", arguments: { message: way } });
		assert.match(result.content[0].text, new RegExp(way));
		await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /no tool/);
		assert.ok((await client.listPrompts()).prompts.length > 0);
		await client.close();
	}
});
