// A Fluxway of its own for a test file, and the programs beside it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const here = fileURLToPath(new URL(".", import.meta.url));
export const binary = process.env.FLUXWAY_BIN;

const packages = (name) => join(here, "node_modules/@modelcontextprotocol", name);

/** An official server, to be started with node. */
export const official = (name) => join(packages(`server-${name}`), "dist/index.js");

// The suite says that it needs a newer Node than we do, for one function that it never calls in what we use of it.
const older = ["--import", new URL("node20.mjs", import.meta.url).href];
export const suite = [...older, join(packages("conformance"), "dist/index.js")];
export const inspector = [join(packages("inspector"), "clients/launcher/build/index.js"), "--cli"];

/** Installs the packages that the lock file names, unless they are there. */
export function install() {
	const lock = createHash("sha256").update(readFileSync(join(here, "package-lock.json"))).digest("hex");
	const mark = join(here, "node_modules/.of-lock");
	if (existsSync(mark) && readFileSync(mark, "utf8") === lock) return;
	// `npm ci` wants every platform's build of an optional package in the lock file, and npm itself leaves them out.
	const done = spawnSync("npm", ["install", "--ignore-scripts", "--no-save"], { cwd: here, encoding: "utf8" });
	assert.equal(done.status, 0, done.stdout + done.stderr);
	writeFileSync(mark, lock);
}

/** Builds a Go program into a folder. */
export function build(folder, name, path) {
	const out = join(folder, name);
	const done = spawnSync("go", ["build", "-o", out, path], { cwd: join(here, "../.."), encoding: "utf8" });
	assert.equal(done.status, 0, done.stderr);
	return out;
}

export async function freePort() {
	const server = createServer();
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address();
	await new Promise((resolve) => server.close(resolve));
	return port;
}

/** Runs a program to its end without blocking what answers it in this process. */
export function finish(command, args, options = {}) {
	const child = spawn(command, args, { ...options, stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"] });
	if (options.input !== undefined) child.stdin.end(options.input);
	return new Promise((resolve, reject) => {
		const out = { stdout: "", stderr: "" };
		for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (out[name] += text));
		child.once("error", reject);
		child.once("close", (status) => resolve({ status, ...out }));
	});
}

/** A data folder, the server on it and a key. */
export class World {
	constructor() {
		this.home = mkdtempSync(join(tmpdir(), "fluxway mcp "));
		this.env = { ...process.env, FLUXWAY_HOME: this.home };
		this.children = [];
	}

	/** Runs a command of the program, and gives what it printed. */
	async run(...args) {
		const done = await finish(binary, args, { env: this.env, cwd: this.home });
		assert.equal(done.status, 0, `fluxway ${args.join(" ")}: ${done.stdout}${done.stderr}`);
		return done.stdout;
	}

	/** Starts a program and waits until a line says that it is ready. */
	async start(command, args, env, ready) {
		const child = spawn(command, args, { env: { ...this.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
		this.children.push(child);
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
	}

	async open() {
		writeFileSync(join(this.home, "password"), "a-long-password-of-a-test");
		await this.run("setup", "--user", "ada", "--password-file", join(this.home, "password"));
		this.key = JSON.parse(await this.run("keys", "create", "--name", "mcp", "--json")).key;
		const port = await freePort();
		this.url = `http://127.0.0.1:${port}`;
		this.env.FLUXWAY_LISTEN = `127.0.0.1:${port}`;
		await this.start(binary, ["up"], {}, new RegExp(String(port)));
	}

	async api(method, path, body) {
		const answer = await fetch(this.url + path, {
			method,
			headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
			body: body && JSON.stringify(body),
		});
		const text = await answer.text();
		assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
		return text ? JSON.parse(text) : undefined;
	}

	async close() {
		for (const child of this.children.reverse()) {
			if (child.exitCode !== null) continue;
			const gone = new Promise((resolve) => child.once("exit", resolve));
			child.kill();
			await gone;
		}
		rmSync(this.home, { recursive: true, force: true });
	}
}
