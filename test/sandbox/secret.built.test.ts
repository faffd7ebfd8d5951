import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const hasTerminals = spawnSync("script", ["--version"]).status === 0;

const cli = fileURLToPath(new URL("../../dist/sandbox/cli.js", import.meta.url));

it("I72: a generated secret is not printed if standard output is not a terminal", async () => {
  const env = { PATH: process.env["PATH"], STORE: "memory:", PORT: "auto", CONTROL_PORT: "auto" };
  const sandbox = execFile(process.execPath, [cli, "sandbox"], { env });
  onTestFinished(() => void sandbox.kill("SIGKILL"));
  let answer = "";
  for await (const chunk of sandbox.stdout ?? []) {
    answer += String(chunk);
    if (/Secret[^\n]*\n/.test(answer)) break;
  }
  expect(answer).toContain(
    "  Secret    not shown, because the output is not a terminal; set SANDBOX_API_KEY and SANDBOX_API_SECRET to choose your own\n",
  );
  expect(answer.match(/[0-9A-Za-z]{64}/g)).toHaveLength(1);
});

it.runIf(hasTerminals)("I72: it is shown on a terminal, once", async () => {
  const env = { PATH: process.env["PATH"], STORE: "memory:", PORT: "auto", CONTROL_PORT: "auto" };
  const command = `exec "${process.execPath}" "${cli}" sandbox`;
  const sandbox = execFile("script", ["--quiet", "--return", "--command", command, "/dev/null"], { env });
  onTestFinished(() => void sandbox.kill("SIGKILL"));
  let answer = "";
  for await (const chunk of sandbox.stdout ?? []) {
    answer += String(chunk);
    if (/Secret[^\n]*\n/.test(answer)) break;
  }
  expect(answer).toMatch(/ {2}Secret {4}[0-9A-Za-z]{64} {3}\(demo account 1, this sandbox only\)/);
  expect(answer.match(/[0-9A-Za-z]{64}/g)).toHaveLength(2);
});
