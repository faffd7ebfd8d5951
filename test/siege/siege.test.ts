import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { besiege } from "./campaign.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = join(root, "node_modules/.cache/siege-test.mjs");

/** The short form: two attacks that ended the process or stopped it; how long others wait is what `npm run siege` tells. */
it("decisions GC and GE: a process with a heap of 512 MB outlives large messages and unknown paths; npm run siege has all attacks", {
  timeout: 60_000,
}, async () => {
  await build({
    entryPoints: [join(root, "test/siege/main.ts")],
    outfile: program,
    ...{ bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "warning" },
    alias: { "#hmac": join(root, "src/signing/hmac-node.ts") },
  });
  for (const only of ["64 kB", "unknown paths"]) {
    const extent = { connections: 60, milliseconds: 1_000, only, tell: () => undefined };
    const [outcome] = await besiege(program, extent);
    expect(outcome).toMatchObject({ ended: undefined });
    expect(outcome?.peakBytes).toBeLessThan(400 * 1_048_576);
  }
});
