import { spawnSync } from "node:child_process";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fillDisk } from "../campaigns/crash/full-disk.ts";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

const hasLimits = spawnSync("prlimit", ["--version"]).status === 0;

async function folderOnDisk(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "managed-orders-full-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const environment = (path: string): Readonly<Record<string, string>> => ({
  STORE: `sqlite:${path}`,
  MARKET: "manual",
  CLOCK: "manual",
});

async function start(path: string): Promise<SandboxProcess> {
  const sandbox = await startSandboxProcess(environment(path));
  onTestFinished(() => sandbox.kill());
  return sandbox;
}

const refusalOf = (path: string): Promise<string> =>
  startSandboxProcess(environment(path)).then(
    () => "started",
    (error: Error) => error.message.trim(),
  );

it.runIf(hasLimits)(
  "on a full disk orders are refused and no acknowledged order is lost; with room it continues without a restart",
  async () => {
    const path = join(await folderOnDisk(), "orders.db");
    const sandbox = await start(path);
    const { codes, answer } = await fillDisk(sandbox, {
      fill: () => limitFiles(sandbox, "100"),
      free: () => limitFiles(sandbox, "unlimited"),
    });
    expect(codes).toEqual({
      before: [200, 200],
      full: [-1001, -1006],
      still: [-1001, -1001],
      after: [200, 200],
    });
    expect(answer).toEqual([
      "managed-orders: the store cannot be written or read (disk I/O error): requests that cannot be stored are refused until it recovers",
      "managed-orders: the venue's record cannot be written (the file has reached the maximum size): requests that cannot be stored are refused until it recovers",
      "managed-orders: the store can be written again",
      "managed-orders: the venue's record can be written again",
    ]);
    await sandbox.kill();
    const again = await start(path);
    const { body } = await again.signed("GET", "/api/v3/openOrders", { apiManaged: true });
    const orders = body["orders"] as readonly Record<string, unknown>[];
    expect(orders.map((order) => order["clientOrderId"])).toEqual(["before", "after"]);
  },
);

function limitFiles({ process: { pid } }: SandboxProcess, bytes: string): void {
  const { status } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);
  expect(status).toBe(0);
}

it.runIf(process.platform === "linux")("I82: a read-only store is one sentence and exit code 2", async () => {
  expect(await refusalOf("/proc/managed-orders.db")).toMatch(
    /^the sandbox ended with 2: managed-orders: managed-orders\.db cannot be opened \([A-Z]+\): [a-z ]+$/,
  );
});

it("I82: a damaged store and a damaged record of the venue are one sentence and exit code 2", async () => {
  const folder = await folderOnDisk();
  const path = join(folder, "orders.db");
  await (await start(path)).kill();
  await appendFile(join(folder, "orders.venue.jsonl"), "nonsense\n");
  expect(await refusalOf(path)).toBe(
    "the sandbox ended with 2: managed-orders: the venue's record cannot be read at line 2",
  );
  await rm(join(folder, "orders.db-wal"), { force: true });
  await writeFile(path, "no database at all".repeat(1_000));
  expect(await refusalOf(path)).toBe(
    "the sandbox ended with 2: managed-orders: orders.db is not a SQLite database: choose another path",
  );
});
