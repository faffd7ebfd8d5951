import { afterEach, beforeEach, expect, it } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "../support/sandbox-process.ts";

const SYMBOL = "BTC/USD";
let sandbox: SandboxProcess;

beforeEach(async () => {
  sandbox = await startSandboxProcess({
    STORE: "memory:",
    MARKET: "manual",
    CLOCK: "manual",
    QUOTE_MAX_AGE_MS: "3600000",
  });
  await quote(99, 101);
});

afterEach(async () => {
  expect(await sandbox.control("GET", "verify")).toMatchObject({ equal: true });
  for (const child of await children()) expect(child.submissions).toBeLessThanOrEqual(1);
  await sandbox.kill();
});

type Child = { clientOrderId: string; executedQty: string; submissions: number; quantity: string };

const quote = (bid: number, ask: number, sizes: object = {}): Promise<unknown> =>
  sandbox.control("POST", "quotes", { symbol: SYMBOL, bid: String(bid), ask: String(ask), ...sizes });
const pass = (advanceMs: number): Promise<unknown> => sandbox.control("POST", "clock", { advanceMs });
const fault = (venue: object): Promise<unknown> => sandbox.control("POST", "faults", { venue });
const children = (): Promise<readonly Child[]> => sandbox.control("GET", "children");
const settle = (): Promise<unknown> => sandbox.control("POST", "settle", {});

async function placeStop(): Promise<number> {
  const fields = { symbol: SYMBOL, side: "BUY", type: "STOP_MARKET", quantity: "1", stopPrice: "110" };
  const { status, body } = await sandbox.signed("POST", "/api/order", fields);
  expect(status).toBe(200);
  return body["orderId"] as number;
}

async function look(orderId: number): Promise<string> {
  const { body } = await sandbox.signed("GET", "/api/v2/order", { symbol: SYMBOL, orderId });
  return `${body["status"]} ${body["apiState"]} ${body["executedQty"]}${body["cancelPending"] === true ? " cancelPending" : ""}`;
}

async function facts(orderId: number): Promise<readonly string[]> {
  type Line = { changes: { facts: { kind: string; outcome?: string; alert?: string }[] }[] };
  const journal = await sandbox.control<readonly Line[]>("GET", `orders/${orderId}/journal`);
  return journal.flatMap(({ changes }) =>
    changes.flatMap((change) => change.facts.map((fact) => fact.outcome ?? fact.alert ?? fact.kind)),
  );
}

it("complaint 17: timeout-after is UNKNOWN until the look-up finds the fill; nothing is sent again", async () => {
  const orderId = await placeStop();
  await fault({ mode: "timeout-after", count: 1 });
  await quote(111, 112);
  expect(await settle()).toMatchObject({ inFlight: 1 });
  await pass(2_000);
  expect(await look(orderId)).toBe("FILLED FILLED 1");
  for (let n = 0; n < 20; n++) await quote(120 + n, 121 + n);
  expect(await children()).toHaveLength(1);
});

it("an operator settles an unknown child over the control interface, and only an unknown one", async () => {
  const orderId = await placeStop();
  await fault({ mode: "timeout-before", lookup: "fail", count: 1 });
  await quote(111, 112);
  await pass(2_000);
  expect(await look(orderId)).toBe("NEW UNKNOWN 0");
  const [child] = (await lastChild(orderId)) ?? [];
  const fills = [{ executionId: "seen-1", quantity: "0.25", price: "112" }];
  const word = { child, state: "closed", fills, by: "ann", why: "the exchange shows one execution" };
  await expect(sandbox.control("POST", "venue/settle", { ...word, state: "open" })).rejects.toThrow("400");
  expect(await sandbox.control("POST", "venue/settle", word)).toEqual({ ok: true });
  expect(await look(orderId)).toBe("PARTIALLY_FILLED WAITING 0.25");
  await expect(sandbox.control("POST", "venue/settle", word)).rejects.toThrow("409");
});

async function lastChild(orderId: number): Promise<readonly [string] | undefined> {
  const { body } = await sandbox.signed("GET", "/api/v2/order", { symbol: SYMBOL, orderId });
  const id = body["lastChildClientOrderId"];
  return typeof id === "string" ? [id] : undefined;
}

it("a cancel while a child is held is answered with cancelPending; after the release the order is FILLED", async () => {
  const orderId = await placeStop();
  await fault({ mode: "hold", count: 1 });
  await quote(111, 112);
  const { status, body } = await sandbox.signed("DELETE", "/api/v2/order", { symbol: SYMBOL, orderId });
  expect([status, body["cancelPending"], body["status"]]).toEqual([200, true, "NEW"]);
  await pass(60_000);
  expect(await look(orderId)).toBe("NEW WORKING 0 cancelPending");
  expect(await sandbox.control("POST", "venue/release", {})).toEqual({ released: 1 });
  expect(await look(orderId)).toBe("FILLED FILLED 1");
});

it("duplicate, oversized and foreign events are recorded once, raise an alert, and are dropped", async () => {
  const orderId = await placeStop();
  await fault({ mode: "hold", count: 1 });
  await quote(111, 112);
  const [child] = (await lastChild(orderId)) ?? [];
  const say = (event: object): Promise<unknown> =>
    sandbox.control("POST", "venue/events", { child, price: "112", ...event });
  await say({ executionId: "one", quantity: "0.5" });
  await say({ executionId: "one", quantity: "0.5" });
  await say({ executionId: "two", quantity: "-0.1" });
  await say({ executionId: "three", quantity: "0" });
  await say({ child: "aqc-zz-zz-1", executionId: "four", quantity: "0.5" });
  expect(await look(orderId)).toBe("PARTIALLY_FILLED WORKING 0.5");
  await say({ executionId: "five", quantity: "0.7" });
  expect(await look(orderId)).toBe("FILLED FILLED 1.2");
  expect(await facts(orderId)).toContain("OVERFILL");
  await quote(111, 112);
  expect(await children()).toHaveLength(1);
});

it("store faults: a lost write is refused (-1001) and leaves no trace, a completed write is accepted", async () => {
  const fields = { symbol: SYMBOL, side: "BUY", type: "STOP_MARKET", quantity: "1", stopPrice: "110" };
  await sandbox.control("POST", "faults", { store: { mode: "fail", count: 1 } });
  const failed = await sandbox.signed("POST", "/api/order", { ...fields, newClientOrderId: "failed" });
  expect([failed.status, failed.body.code]).toEqual([503, -1001]);
  await sandbox.control("POST", "faults", { store: { mode: "unknown", count: 1 } });
  const stored = await sandbox.signed("POST", "/api/order", { ...fields, newClientOrderId: "kept" });
  expect([stored.status, stored.body["clientOrderId"]]).toEqual([200, "kept"]);
  const { body } = await sandbox.signed("GET", "/api/v3/openOrders", { apiManaged: true });
  expect((body["orders"] as { clientOrderId: string }[]).map(({ clientOrderId }) => clientOrderId)).toEqual([
    "kept",
  ]);
});
