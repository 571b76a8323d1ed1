// What stands between the official suite and our server. The suite knows no keys, and calls tools, prompts and resources by the
// bare names of the server that it expects; ours wants to know who asks, and calls them server__tool, server__prompt and
// fluxway://mcp/server/address. Nothing else is touched.
import { createServer, request } from "node:http";
import { Transform } from "node:stream";

// lines passes text on line by line, so that a name is never cut in two.
function lines(change) {
	let rest = "";
	return new Transform({
		transform(chunk, _, done) {
			const all = (rest + chunk).split("\n");
			rest = all.pop();
			done(null, all.map((line) => `${change(line)}\n`).join(""));
		},
		flush(done) {
			done(null, change(rest));
		},
	});
}

const address = (server) => `fluxway://mcp/${server}/`;

// renamed gives what is asked for the name that our server knows it by.
function renamed(body, headers, server) {
	let message;
	try {
		message = JSON.parse(body);
	} catch {
		return body;
	}
	const { method, params } = message;
	const named = (method === "tools/call" || method === "prompts/get") && /^(test_|json_schema)/.test(params?.name);
	const placed = /^resources\/(read|subscribe|unsubscribe)$/.test(method) && /^test:/.test(params?.uri);
	if (!named && !placed) return body;
	if (named) params.name = `${server}__${params.name}`;
	else params.uri = address(server) + params.uri;
	if (headers["mcp-name"]) headers["mcp-name"] = named ? params.name : params.uri;
	return JSON.stringify(message);
}

export async function doorway(target, key, server) {
	const door = createServer(async (req, res) => {
		const chunks = [];
		for await (const chunk of req) chunks.push(chunk);
		const headers = { ...req.headers, authorization: `Bearer ${key}` };
		const body = renamed(Buffer.concat(chunks).toString(), headers, server);
		if (headers["content-length"]) headers["content-length"] = String(Buffer.byteLength(body));
		const out = request(new URL(req.url, target), { method: req.method, headers }, (answer) => {
			const { "content-length": _, ...rest } = answer.headers;
			res.writeHead(answer.statusCode, rest);
			res.flushHeaders();
			answer.pipe(lines((line) => line.replaceAll(`"name":"${server}__`, `"name":"`).replaceAll(address(server), ""))).pipe(res);
		});
		out.on("error", () => res.destroy());
		res.on("close", () => out.destroy());
		out.end(body);
	});
	await new Promise((resolve) => door.listen(0, "127.0.0.1", resolve));
	return { url: `http://localhost:${door.address().port}/mcp`, close: () => door.close() };
}
