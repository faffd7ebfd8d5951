/** Removes the texts of the sources from the source maps in dist/: the package contains the sources themselves. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".map")) continue;
  const { sourcesContent: _, ...map } = JSON.parse(readFileSync(join(dist, name), "utf8"));
  writeFileSync(join(dist, name), JSON.stringify(map));
}
