/**
 * Builds the console page of the sandbox into one file: `node test/support/build-console.mjs OUTPUT`. The file has the
 * texts of the page, its script and its style by name, so that a sandbox never serves parts of two builds.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL("../../src/sandbox/console/", import.meta.url));
const [output] = process.argv.slice(2);

const { outputFiles } = await build({
  entryPoints: [`${folder}page.ts`, `${folder}console.css`],
  tsconfig: `${folder}tsconfig.json`,
  outdir: "/",
  ...{ bundle: true, minify: true, format: "esm", target: "es2022", write: false, logLevel: "warning" },
});
const text = (extension) => outputFiles.find(({ path }) => path.endsWith(extension)).text;
const files = {
  "index.html": readFileSync(`${folder}index.html`, "utf8"),
  "console.js": text(".js"),
  "console.css": text(".css"),
};
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, JSON.stringify(files));
