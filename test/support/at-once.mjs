/**
 * Runs scripts of package.json side by side and prints the output of each when it ends:
 * `node test/support/at-once.mjs lint typecheck`. Ends with 1 if any of them fails.
 */
import { spawn } from "node:child_process";

const scripts = process.argv.slice(2);
const codes = await Promise.all(scripts.map(run));
const failed = scripts.filter((_, index) => codes[index] !== 0);
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs one script and resolves to its exit code; a script that a signal ended counts as failed. */
function run(script) {
  return new Promise((resolve, reject) => {
    const child = spawn("npm", ["run", "-s", script], { stdio: ["ignore", "pipe", "pipe"] });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(data));
    child.on("error", reject);
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}
