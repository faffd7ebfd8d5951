import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Bundles a program of the tests, such as `test/campaigns/fuzz/main.ts`, into one file for Node.js; returns its path.
 * `sources` is the folder of the sources: this checkout, or one with the files of another commit.
 */
export async function bundleProgram(source: string, name: string, sources: string = root): Promise<string> {
  const outfile = join(root, `node_modules/.cache/${name}.mjs`);
  await build({
    absWorkingDir: sources,
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    alias: { "#hmac": join(sources, "src/signing/hmac-node.ts") },
    logLevel: "warning",
  });
  return outfile;
}
