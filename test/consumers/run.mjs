import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A program that runs longer has not ended by itself. */
const LONGEST_MS = 180_000;

/** Returns the path of a file below test/consumers. */
export const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Returns the path of an installed program. Throws if npm has not installed it, as on other processors. */
export function installed(path) {
  const found = here(`node_modules/${path}`);
  if (!existsSync(found)) throw new Error(`npm has not installed ${path}: it exists for Linux on x64 only`);
  return found;
}

/** Runs a command in a folder and resolves to what it prints. Rejects with all of its output if it fails. */
export async function run(folder, [command, ...words], env = {}) {
  // Nothing of the environment counts but this: the home is the folder, so caches are new.
  const child = spawn(command, words, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST_MS,
    killSignal: "SIGKILL",
  });
  let [printed, said] = ["", ""];
  child.stdout.on("data", (part) => (printed += part));
  child.stderr.on("data", (part) => (said += part));
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...ended) => resolve(ended));
  });
  if (code === 0) return printed;
  throw new Error(`${[command, ...words].join(" ")} ended with ${signal ?? code}\n${printed}${said}`);
}

/** Runs a command whose last line is the steps of the program, as JSON. */
export async function stepsOf(folder, command, env) {
  const printed = await run(folder, command, env);
  return JSON.parse(printed.trim().split("\n").at(-1));
}
