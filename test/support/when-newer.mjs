/**
 * Runs a command if a source is newer than its output: `node test/support/when-newer.mjs OUTPUT COMMAND...`. `{}` in
 * the command is a file beside the output, which replaces it in one step when the command has succeeded: a simultaneous
 * reader gets the old or the new output, never a part, even if several commands run at once. Without `{}` the command
 * writes the output itself, as its last step.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const [name, ...command] = process.argv.slice(2);
const output = join(root, name);

function newestSource() {
  const entries = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true });
  // Folders too: they show that files were deleted.
  const inside = entries.map((entry) => join(entry.parentPath, entry.name));
  const all = [...inside, join(root, "src"), join(root, "package.json"), join(root, "tsconfig.json")];
  return Math.max(...all.map((path) => statSync(path).mtimeMs));
}

function build() {
  const beside = join(dirname(output), `.${process.pid}-${Date.now()}`);
  mkdirSync(dirname(output), { recursive: true });
  const startedAt = new Date();
  const words = command.map((word) => word.replace("{}", beside));
  const { status, error } = spawnSync(words[0], words.slice(1), { cwd: root, stdio: "inherit" });
  try {
    if (error !== undefined) throw error;
    if (status !== 0) return status ?? 1;
    // A file that changed during the build is newer than the output.
    utimesSync(existsSync(beside) ? beside : output, startedAt, startedAt);
    if (existsSync(beside)) renameSync(beside, output);
    return 0;
  } finally {
    rmSync(beside, { force: true });
  }
}

const isNew = existsSync(output) && statSync(output).mtimeMs > newestSource();
process.exitCode = isNew ? 0 : build();
