import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Bundles a program of the tests, such as `test/campaigns/fuzz/main.ts`, into one file for Node.js; returns its path. */
export async function bundleProgram(source: string, name: string): Promise<string> {
  const outfile = join(root, `node_modules/.cache/${name}.mjs`);
  await build({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "#hmac": join(root, "src/signing/hmac-node.ts") },
    logLevel: "warning",
  });
  return outfile;
}
