import { type ChildProcess, spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../", import.meta.url));
const running: ChildProcess[] = [];
const folders: string[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A separate checkout, right after `npm ci`: nothing was built in it. */
function freshCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-start-"));
  folders.push(folder);
  for (const name of [
    ...["src", "test/program.mjs", "test/support/build-console.mjs"],
    ...["package.json", "tsconfig.json"],
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== ".cache" && name !== ".vite")
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  return folder;
}

type RunningSandbox = Readonly<{ url: string }>;

/** The steps of `npm start`, without npm; resolves when the sandbox is ready, rejects with its output otherwise. */
function start(checkout: string): Promise<RunningSandbox> {
  const { prestart, start } = manifest.scripts;
  const child = spawn("sh", ["-c", `${prestart} && exec ${start}`], {
    cwd: checkout,
    env: {
      PATH: `${join(checkout, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
      STORE: "memory:",
      MARKET: "manual",
      PORT: "auto",
      CONTROL_PORT: "off",
      LOG: "json",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", (line) =>
      resolve(JSON.parse(line) as RunningSandbox),
    );
    child.once("exit", (code) => reject(new Error(`npm start ended with ${code}: ${errors}`)));
  });
}

const answers = async ({ url }: RunningSandbox): Promise<boolean> =>
  (await fetch(`${url}/api/ping`)).ok && (await fetch(`${url}/console.js`)).ok;

it("npm start: several from one fresh checkout at once, and again after a change of a source, do not break each other", async () => {
  const checkout = freshCheckout();
  const built = join(checkout, "node_modules/.cache/sandbox.mjs");
  const first = await Promise.all([start(checkout), start(checkout)]);
  const { mtimeMs, ino } = statSync(built);
  first.push(await start(checkout));
  expect(statSync(built)).toMatchObject({ mtimeMs, ino });
  appendFileSync(join(checkout, "src/sandbox/cli.ts"), "\nprocess.title = 'changed';\n");
  const second = [await start(checkout)];
  expect(statSync(built).ino).not.toBe(ino);
  const all = [...first, ...second];
  expect(await Promise.all(all.map(answers))).toEqual(all.map(() => true));
  expect(readdirSync(join(checkout, "node_modules/.cache"))).toEqual([
    "console.json",
    "front-thread.mjs",
    "sandbox.mjs",
  ]);
});
