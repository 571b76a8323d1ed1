// The program as a person has it: the built binary with a data directory of its own.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const password = "correct horse battery staple";

const binary = process.env.FLUXWAY_BIN ?? fileURLToPath(new URL("../../bin/fluxway", import.meta.url));

/** A port nobody listens on. */
async function freePort() {
  const probe = createServer();
  await new Promise((resolve, reject) => probe.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A data directory and the process that serves it, if one runs. */
export class Server {
  /** A server on an empty data directory, started. Its setup link is in `link`. */
  static async empty(env = {}) {
    const server = new Server();
    server.dir = mkdtempSync(join(tmpdir(), "fluxway flows "));
    server.origin = `http://127.0.0.1:${await freePort()}`;
    server.env = {
      PATH: process.env.PATH,
      HOME: server.dir,
      FLUXWAY_HOME: join(server.dir, "home"),
      FLUXWAY_LISTEN: server.origin.slice("http://".length),
      ...env,
    };
    await server.start();
    return server;
  }

  /** A server whose administrator is mira. */
  static async ready(env = {}) {
    const server = await Server.empty(env);
    const code = new URL(server.link).hash.replace("#code=", "");
    await server.post("/api/v1/setup", { code, user: "mira", name: "Mira Holm", password });
    return server;
  }

  /** Starts the process; resolves when it is ready to answer. */
  async start() {
    this.log = "";
    this.heard = new Set();
    this.process = spawn(binary, ["up"], { cwd: this.dir, env: this.env, stdio: ["ignore", "pipe", "pipe"] });
    this.ended = new Promise((resolve) => this.process.once("close", resolve));
    this.process.once("error", (error) => this.listen(String(error)));
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => this.listen(text));
    }
    await this.answers();
    await this.logs(/^\s+Stop\b/m); // the last line of the banner: what it printed has arrived
    this.link = /http:\S+\/setup#code=\S+/.exec(this.log)?.[0];
  }

  /** Whether the process has ended. */
  get over() {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  listen(text) {
    this.log += text;
    for (const check of this.heard) check();
  }

  /** Waits until the log holds a match that was not there before `from`. */
  async logs(pattern, from = 0) {
    return await new Promise((resolve, reject) => {
      const check = () => {
        const found = pattern.exec(this.log.slice(from));
        if (!found) return;
        clearTimeout(timer);
        this.heard.delete(check);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.heard.delete(check);
        reject(new Error(`The log never said ${pattern}:\n${this.log.slice(from)}`));
      }, 60_000);
      this.heard.add(check);
      check();
    });
  }

  /** Asks until the server is ready: a process of its own has no other way to tell. */
  async answers() {
    const deadline = Date.now() + 60_000;
    while (!this.over && Date.now() < deadline) {
      const answer = await fetch(this.url("/readyz")).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`The server did not become ready:\n${this.log}`);
  }

  url(path) {
    return this.origin + path;
  }

  /** Sends JSON without any identity unless headers bring one; throws on anything but 2xx. */
  async post(path, body, headers = {}) {
    return await this.call("POST", path, body, headers);
  }

  async call(method, path, body, headers = {}) {
    const answer = await fetch(this.url(path), {
      method,
      headers: { ...(body ? { "Content-Type": "application/json" } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Runs a command of the program on this data directory and gives what it printed. */
  run(...args) {
    return execFileSync(binary, args, { cwd: this.dir, env: this.env, encoding: "utf8" });
  }

  /** Ends the process without a chance to tidy up. */
  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }

  /** Ends the process as a service manager would and removes its data. */
  async remove() {
    this.process.kill("SIGTERM");
    await this.ended;
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Writes a file beside the server and gives its path. */
  file(name, text) {
    const path = join(this.dir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }
}
