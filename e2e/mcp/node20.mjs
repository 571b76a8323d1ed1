// Gives a package that imports fs.globSync, which is newer than the Node we ask for, one that finds nothing.
import { register } from "node:module";

const fs = `export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => [];`;
const address = (code) => `data:text/javascript,${encodeURIComponent(code)}`;

register(
	address(`export const resolve = (name, context, next) =>
		name === "fs" && context.parentURL?.includes("/conformance/dist/")
			? { url: ${JSON.stringify(address(fs))}, shortCircuit: true }
			: next(name, context);`),
);
