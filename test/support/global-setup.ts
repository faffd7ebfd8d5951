import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Written last by a whole build; carries the time at which that build began. */
const marker = `${root}dist/index.d.cts`;

const newest = (paths: readonly string[]): number => Math.max(...paths.map((path) => statSync(path).mtimeMs));

function sources(): readonly string[] {
  const entries = readdirSync(`${root}src`, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
  return [...files, `${root}package.json`, `${root}tsconfig.json`];
}

/** Builds dist/ when a source is newer than the last whole build. */
export function setup(): void {
  if (existsSync(marker) && statSync(marker).mtimeMs > newest(sources())) return;
  const startedAt = new Date();
  const build = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, encoding: "utf8" });
  if (build.status !== 0) throw new Error(`npm run build failed\n${build.stdout}${build.stderr}`);
  utimesSync(marker, startedAt, startedAt);
}
