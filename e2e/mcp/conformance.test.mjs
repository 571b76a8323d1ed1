// The official conformance suite against our client and our server, in both eras of the protocol. What does not apply to
// us is in not-applicable.json with the reason; what fails without being there fails the test, and so does what is there and passes.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { doorway } from "./doorway.mjs";
import { build, finish, here, install, suite, World } from "./world.mjs";

const revisions = ["2025-11-25", "2026-07-28"];
const known = JSON.parse(readFileSync(join(here, "not-applicable.json"), "utf8"));
const work = mkdtempSync(join(tmpdir(), "fluxway-conformance-"));
const world = new World();
const env = { ...process.env, FLUXWAY_PROBE_DATABASE: join(work, "fresh.db") };
let door;
let probe;

before(async () => {
	install();
	probe = build(work, "probe", "./e2e/mcp/probe");
	const made = await finish(probe, ["prepare"], { env });
	assert.equal(made.status, 0, made.stderr);
	await world.open();
	const everything = build(work, "everything", "github.com/modelcontextprotocol/go-sdk/conformance/everything-server");
	await world.api("POST", "/api/v1/mcp/servers", { name: "suite", command: everything, level: "public", read_only: ["*"] });
	await world.api("POST", "/api/v1/mcp/servers/suite/start");
	door = await doorway(world.url, world.key, "suite");
});

after(async () => {
	door?.close();
	await world.close();
	rmSync(work, { recursive: true, force: true });
});

// failing reads what a run of the suite left behind: by scenario, the checks that failed.
function failing(folder, side) {
	const found = {};
	for (const name of readdirSync(folder, { recursive: true })) {
		if (!name.endsWith("checks.json")) continue;
		const scenario = name
			.replace(/\/checks\.json$/, "")
			.replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, "")
			.replace(side === "server" ? /^server-/ : /^$/, "");
		const checks = JSON.parse(readFileSync(join(folder, name), "utf8"));
		found[scenario] = checks.filter((check) => check.status === "FAILURE").map((check) => check.id);
	}
	return found;
}

// compare sets what failed beside what is known not to apply.
function compare(found, listed) {
	const wrong = [];
	for (const [scenario, failed] of Object.entries(found)) {
		const single = Object.keys(listed).filter((name) => name.startsWith(`${scenario}:`));
		if (scenario in listed) {
			if (failed.length === 0) wrong.push(`${scenario} is listed as not applicable, and passes`);
			continue;
		}
		for (const id of new Set(failed)) if (!single.includes(`${scenario}:${id}`)) wrong.push(`${scenario} fails: ${id}`);
		for (const name of single) if (!failed.includes(name.slice(scenario.length + 1))) wrong.push(`${name} is listed as not applicable, and passes`);
	}
	for (const name of Object.keys(listed)) if (!(name.split(":")[0] in found)) wrong.push(`${name} is listed, and the suite has no such scenario`);
	return wrong;
}

for (const revision of revisions) {
	for (const side of ["client", "server"]) {
		test(`the ${side} of ${revision}`, async () => {
			const listed = Object.fromEntries(known.filter((n) => n.side === side && n.revisions.includes(revision)).flatMap((n) => n.scenarios.map((s) => [s, n.reason])));
			for (const [name, reason] of Object.entries(listed)) assert.ok(reason.length > 20, `${name} needs a reason`);
			const out = join(work, `${side}-${revision}`);
			const what = side === "client" ? ["--command", probe] : ["--url", door.url];
			const done = await finish(process.execPath, [...suite, side, ...what, "--requirements", revision, "--timeout", "60000", "-o", out], { cwd: work, env });
			const found = failing(out, side);
			assert.ok(Object.keys(found).length > 20, `the suite ran ${Object.keys(found).length} scenarios:\n${done.stdout}${done.stderr}`);
			assert.deepEqual(compare(found, listed), [], done.stdout.slice(done.stdout.indexOf("SUMMARY")));
		});
	}
}

test("a list that is wrong is noticed", () => {
	assert.deepEqual(compare({ a: ["x"], b: [], c: ["y", "z"] }, { b: "", "c:y": "", d: "" }), [
		"a fails: x",
		"b is listed as not applicable, and passes",
		"c fails: z",
		"d is listed, and the suite has no such scenario",
	]);
});
