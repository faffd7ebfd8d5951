import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { build } from "esbuild";
import * as vitest from "vitest";

/**
 * Bundles each test file with the sources that it imports. The function of a file runs the file with modules of its own,
 * so that a mutant starts from fresh modules without a new process.
 */
export async function programsOf(files) {
  const { outputFiles } = await build({
    entryPoints: files,
    // Stryker enters its copy of the sources after esbuild has noted the folder in which it was loaded.
    absWorkingDir: process.cwd(),
    outdir: "/",
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    target: "node20",
    packages: "external",
    alias: { "#hmac": "./src/signing/hmac-node.ts", "#socket": "./src/client/socket-node.ts" },
    plugins: [{ name: "addresses", setup: keepAddresses }],
  });
  return new Map(files.map((file, index) => [file, programOf(file, outputFiles[index].text)]));
}

/** A module finds the files beside it by its address in the sources, not by that of the bundle. */
function keepAddresses({ onLoad }) {
  onLoad({ filter: /\/(src|test)\/.*\.(ts|mjs)$/ }, ({ path }) => {
    const address = JSON.stringify(pathToFileURL(path).href);
    const contents = readFileSync(path, "utf8").replaceAll("import.meta.url", address);
    return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
  });
}

function programOf(file, text) {
  const filename = resolve(file);
  const load = createRequire(filename);
  const require = (name) => (name === "vitest" ? vitest : load(name));
  const script = new Script(`(function (require, module, exports) {${text}\n})`, { filename });
  const run = script.runInThisContext();
  return () => {
    const module = { exports: {} };
    run(require, module, module.exports);
  };
}
