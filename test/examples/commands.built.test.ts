import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";
import { type Block, blocksOf, root } from "./markdown.ts";
import { settingsOf } from "./sandbox-settings.ts";
import { openShell } from "./shell-session.ts";

const tools = ["bash", "curl", "openssl"].every((tool) => spawnSync(tool, ["--version"]).error === undefined);
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The settings in a block; the store is in a folder of the test. */
function settingsIn(block: Block, folder: string): Readonly<Record<string, string>> {
  const settings = settingsOf(block);
  return { ...settings, STORE: (settings["STORE"] ?? "memory:").replace("./data", folder) };
}

/** The ports of the previous sandbox, because the shell keeps its addresses. */
function portsOf(before: SandboxProcess | undefined): Readonly<Record<string, string>> {
  if (before === undefined) return {};
  return { PORT: new URL(before.url).port, CONTROL_PORT: new URL(before.controlUrl).port };
}

/** Replaces the ports of this run by the addresses on the page. */
function asWritten(text: string, { url, controlUrl }: SandboxProcess): string {
  return text.replaceAll(url, "http://127.0.0.1:8080").replaceAll(controlUrl, "http://127.0.0.1:8081");
}

function asRun(text: string, { url, controlUrl }: SandboxProcess): string {
  return text.replaceAll("http://127.0.0.1:8080", url).replaceAll("http://127.0.0.1:8081", controlUrl);
}

/** Makes a folder that has the built package installed, until the end of the test. */
function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-page-"));
  folders.push(folder);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/managed-orders"), "dir");
  return folder;
}

/**
 * Follows a page: a `bash` block with `npm start` starts the sandbox, or restarts it when it has ended; a `sh` block
 * runs in one shell and must print the `text` block right after it, or nothing. A block that the page says to save is
 * written to that file.
 */
async function follow(page: string): Promise<void> {
  const folder = projectFolder();
  const blocks = blocksOf(page);
  const shell = openShell(folder);
  let sandbox: SandboxProcess | undefined;
  try {
    for (const [index, block] of blocks.entries()) {
      if (block.language === "bash" && block.text.includes("npm start")) {
        if (sandbox !== undefined) expect(await sandbox.ended, block.name).toBe("SIGKILL");
        sandbox = await startSandboxProcess({ ...settingsIn(block, folder), ...portsOf(sandbox) });
      }
      if (sandbox === undefined) continue;
      if (block.file !== undefined) writeFileSync(join(folder, block.file), asRun(block.text, sandbox));
      if (block.language !== "sh") continue;
      const next = blocks[index + 1];
      const printed = asWritten(await shell.run(asRun(block.text, sandbox)), sandbox);
      expect(printed, block.name).toBe(next?.language === "text" ? next.text : "");
    }
  } finally {
    shell.end();
    await sandbox?.kill();
  }
}

for (const page of ["docs/tutorial.md", "docs/sandbox.md"]) {
  it.skipIf(!tools)(`every command of ${page} prints the output on the page`, () => follow(page));
}

it.skipIf(!tools)("README: both first orders are placed, and the one at the market is filled", async () => {
  const blocks = blocksOf("README.md");
  const [lines] = blocks.filter(({ language }) => language === "sh");
  const [program] = blocks.filter(({ file }) => file === "first.mjs");
  const folder = projectFolder();
  const sandbox = await startSandboxProcess({
    STORE: "memory:",
    SANDBOX_API_KEY: "k",
    SANDBOX_API_SECRET: "s",
  });
  const shell = openShell(folder, { KEY: "k", SECRET: "s" });
  try {
    const [sign = "", place = "", read = ""] = (lines?.text ?? "").trim().split("\n");
    await shell.run(sign);
    expect(await shell.run(asRun(place, sandbox))).toContain('"status":"NEW","apiState":"WAITING"');
    let seen = "";
    for (let n = 0; n < 50 && !seen.includes("FILLED"); n++)
      seen = await shell.run(asRun(`${read}; sleep 0.1`, sandbox));
    expect(seen).toContain('"status":"FILLED"');
    writeFileSync(join(folder, "first.mjs"), asRun(program?.text ?? "", sandbox));
    expect(await shell.run("node first.mjs")).toMatch(/^[\w.-]+ NEW WAITING\n$/);
  } finally {
    shell.end();
    await sandbox.kill();
  }
});
