// What stands between the official suite and our server. The suite knows no keys, and calls tools by the bare names of the
// server that it expects; ours wants to know who asks, and calls a server's tools server__tool. Nothing else is touched.
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

// renamed gives a call the name that our server knows the tool by.
function renamed(body, headers, prefix) {
	let message;
	try {
		message = JSON.parse(body);
	} catch {
		return body;
	}
	if (message.method !== "tools/call" || !/^(test_|json_schema)/.test(message.params?.name)) return body;
	message.params.name = prefix + message.params.name;
	if (headers["mcp-name"]) headers["mcp-name"] = prefix + headers["mcp-name"];
	return JSON.stringify(message);
}

export async function doorway(target, key, server) {
	const prefix = `${server}__`;
	const door = createServer(async (req, res) => {
		const chunks = [];
		for await (const chunk of req) chunks.push(chunk);
		const headers = { ...req.headers, authorization: `Bearer ${key}` };
		const body = renamed(Buffer.concat(chunks).toString(), headers, prefix);
		if (headers["content-length"]) headers["content-length"] = String(Buffer.byteLength(body));
		const out = request(new URL(req.url, target), { method: req.method, headers }, (answer) => {
			const { "content-length": _, ...rest } = answer.headers;
			res.writeHead(answer.statusCode, rest);
			res.flushHeaders();
			answer.pipe(lines((line) => line.replaceAll(`"name":"${prefix}`, `"name":"`))).pipe(res);
		});
		out.on("error", () => res.destroy());
		res.on("close", () => out.destroy());
		out.end(body);
	});
	await new Promise((resolve) => door.listen(0, "127.0.0.1", resolve));
	return { url: `http://localhost:${door.address().port}/mcp`, close: () => door.close() };
}
