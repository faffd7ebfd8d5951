import { link, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { listening } from "../support/listening.ts";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

/** A separate store of this test, removed after it. */
async function storeOnDisk(): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), "managed-orders-in-use-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { STORE: `sqlite:${folder}/orders.db`, MARKET: "manual", CLOCK: "manual" };
}

/** Starts a sandbox that is killed at the end of the test. */
async function start(environment: Readonly<Record<string, string>>): Promise<SandboxProcess> {
  const sandbox = await startSandboxProcess(environment);
  onTestFinished(() => sandbox.kill());
  return sandbox;
}

const refusalOf = (environment: Readonly<Record<string, string>>): Promise<string> =>
  startSandboxProcess(environment).then(
    () => "started",
    (error: Error) => error.message.trim(),
  );

/** The status codes of a managed and of a native order that are placed now. */
async function placeBoth(sandbox: SandboxProcess): Promise<readonly number[]> {
  const fields = { symbol: "BTC/USD", side: "BUY", quantity: "20", price: "1" };
  const managed = await sandbox.signed("POST", "/api/order", { ...fields, type: "SYNTHETIC_LIMIT" });
  const native = await sandbox.signed("POST", "/api/v2/order", { ...fields, type: "LIMIT" });
  return [managed.status, native.status];
}

it("I60, I81: a second sandbox on the same store is refused in one line, and does not disturb the first", async () => {
  const environment = await storeOnDisk();
  const first = await start(environment);
  const refused =
    "the sandbox ended with 2: managed-orders: orders.db is in use by another process: end that process, or choose another path";
  const { port } = new URL(first.url);
  // At the same time, because each waits some seconds for the store to become free.
  const refusals = [refusalOf(environment), refusalOf({ ...environment, PORT: port })];
  expect(await Promise.all(refusals)).toEqual([refused, refused]);
  expect(await placeBoth(first)).toEqual([200, 200]);
});

it("I81, I82: a second hard link of the store or of the venue's record is one sentence and exit code 2", async () => {
  const environment = await storeOnDisk();
  const folder = dirname(environment["STORE"]?.slice("sqlite:".length) ?? "");
  await (await start(environment)).kill();
  for (const name of ["orders.venue.jsonl", "orders.db"]) {
    await link(join(folder, name), join(folder, `second-${name}`));
    expect(await refusalOf(environment)).toBe(
      `the sandbox ended with 2: managed-orders: ${name} has more than one hard link: remove all of its names except one`,
    );
  }
});

it("I01: the store is free as soon as its sandbox was killed, or has stopped", async () => {
  const environment = await storeOnDisk();
  const first = await start(environment);
  expect(await placeBoth(first)).toEqual([200, 200]);
  await first.kill();
  const second = await start(environment);
  second.process.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  const third = await start(environment);
  const { body } = await third.signed("GET", "/api/v2/allOrders", { symbol: "BTC/USD" });
  expect(body).toHaveLength(1);
});

it("sandbox.md: a port in use is one clear line", async () => {
  const blocker = createServer();
  onTestFinished(() => void blocker.close());
  const port = await listening(blocker);
  expect(await refusalOf({ STORE: "memory:", PORT: String(port) })).toBe(
    `the sandbox ended with 2: managed-orders: port ${port} of 127.0.0.1 is in use (EADDRINUSE): end the program that listens there, or pass another port; 0 selects a free one`,
  );
});
