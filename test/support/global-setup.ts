import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Builds dist/ when a source is newer than the last whole build, whose last file is this one. */
export function setup(): void {
  const words = ["test/support/when-newer.mjs", "dist/index.d.cts", "npm", "run", "--silent", "build"];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm run build failed\n${stdout}${stderr}`);
}
