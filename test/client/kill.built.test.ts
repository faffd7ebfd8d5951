import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { createClient, type FetchLike, UncertainOutcome } from "../../src/client/index.ts";
import { KEY, type SandboxProcess, SECRET, startSandboxProcess } from "../support/sandbox-process.ts";

const STOP = {
  symbol: "BTC/USD",
  side: "SELL",
  type: "STOP_MARKET",
  quantity: "1",
  stopPrice: "50",
} as const;

const folder = mkdtempSync(join(tmpdir(), "managed-orders-client-"));
let sandbox: SandboxProcess | undefined;

afterEach(async () => {
  await sandbox?.kill();
  rmSync(folder, { recursive: true, force: true });
});

it("a SIGKILL of the server between request and answer: reconcile tells the truth after the restart", async () => {
  const store = {
    STORE: `sqlite:${join(folder, "orders.db")}`,
    SANDBOX_API_KEY: KEY,
    SANDBOX_API_SECRET: SECRET,
  };
  let running = await startSandboxProcess(store);
  sandbox = running;
  const { port } = new URL(running.url);
  const restart = async (): Promise<void> => {
    running = await startSandboxProcess({ ...store, PORT: port });
    sandbox = running;
  };
  let when: "before" | "after" | "never" = "never";
  const dying: FetchLike = async (url, request) => {
    const dies = request.method === "POST" ? when : "never";
    if (dies === "before") await running.kill();
    const reply = await fetch(url, request);
    // The order is durable, and its answer is on its way.
    if (dies !== "after") return reply;
    await running.kill();
    throw new TypeError("terminated");
  };
  const baseUrl = new URL(running.url).origin;
  const client = createClient({
    baseUrl,
    apiKey: KEY,
    secret: SECRET,
    fetch: dying,
    settleMs: 0,
    recvWindowMs: 500,
  });
  for (const [moment, truth] of [
    ["after", "placed"],
    ["before", "not placed"],
  ] as const) {
    when = moment;
    const error: unknown = await client.placeOrder(STOP).catch((reason: unknown) => reason);
    when = "never";
    expect(error).toBeInstanceOf(UncertainOutcome);
    await restart();
    const { state } = await (error as UncertainOutcome).reconcile();
    expect(state).toBe(truth);
  }
  expect((await client.openOrders()).total).toBe(1);
});
