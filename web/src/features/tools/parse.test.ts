import { expect, test } from "vitest";
import { readServers } from "./parse";

test("the files of other programs are read as they are", () => {
  expect(
    readServers(
      '{"mcpServers":{"File System":{"command":"npx","args":["-y","x"]},"far":{"url":"https://h/mcp"}}}',
    ),
  ).toEqual([
    { name: "file-system", command: "npx", args: ["-y", "x"] },
    { name: "far", url: "https://h/mcp" },
  ]);
  expect(readServers('{"name":"one","command":"c"}')).toEqual([{ name: "one", command: "c" }]);
  expect(readServers('{"one":{"command":"c"}}')).toEqual([{ name: "one", command: "c" }]);
});

test("what may be secret travels apart", () => {
  expect(readServers('{"gh":{"command":"c","env":{"GITHUB_TOKEN":"ghp_1","MODE":"x"}}}')).toEqual([
    {
      name: "gh",
      command: "c",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the server fills it in
      env: { GITHUB_TOKEN: "${GITHUB_TOKEN}", MODE: "x" },
      secrets: { GITHUB_TOKEN: "ghp_1" },
    },
  ]);
});

test("what is no server is left out", () => {
  expect(readServers("{}")).toEqual([]);
  expect(readServers('{"mcpServers":{"x":5,"y":null}}')).toEqual([]);
  expect(() => readServers("not json")).toThrow();
});
