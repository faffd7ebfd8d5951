import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const EXPECTED = here("../../examples/ccxt-sandbox/expected.txt");
const LIMIT_MS = 60_000;

/** Runs examples/ccxt-sandbox beside the installed ccxt; returns its output with its errors. */
function outputOf(env) {
  const copy = here("node_modules/.cache/ccxt-sandbox.mjs");
  mkdirSync(here("node_modules/.cache"), { recursive: true });
  copyFileSync(here("../../examples/ccxt-sandbox/main.mjs"), copy);
  const example = spawn(process.execPath, [copy], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
  return new Promise((resolve, reject) => {
    let text = "";
    for (const stream of [example.stdout, example.stderr]) stream.on("data", (chunk) => (text += chunk));
    example.once("error", reject);
    example.once("close", () => resolve(text));
  });
}

/** Throws if the example prints something else than its expected.txt; `isUpdate` writes the file. */
export async function checkExample({ url, controlUrl, key, secret, isUpdate }) {
  const printed = await outputOf({
    ...{ SANDBOX_URL: url, CONTROL_URL: controlUrl },
    ...{ SANDBOX_API_KEY: key, SANDBOX_API_SECRET: secret },
  });
  if (isUpdate) writeFileSync(EXPECTED, printed);
  else if (printed !== readFileSync(EXPECTED, "utf8"))
    throw new Error(`it printed, and not what is in its expected.txt:\n${printed}`);
}
