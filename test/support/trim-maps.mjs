/**
 * Removes from dist/ what nobody reads: the texts of the sources in the source maps, because the package contains the
 * sources themselves, and the form for CommonJS of the command, which package.json names as an ES module.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

for (const name of ["cli.cjs", "cli.cjs.map"]) rmSync(join(dist, "sandbox", name), { force: true });

for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".map")) continue;
  const { sourcesContent: _, ...map } = JSON.parse(readFileSync(join(dist, name), "utf8"));
  writeFileSync(join(dist, name), JSON.stringify(map));
}
