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

it("decision 12: timeout-before is UNKNOWN and is voided only after deadline and quiet time; the next attempt has a new id", async () => {
  const orderId = await placeStop();
  await fault({ mode: "timeout-before", count: 1 });
  await quote(111, 112);
  expect(await look(orderId)).toBe("NEW WORKING 0");
  await pass(2_000);
  expect(await look(orderId)).toBe("NEW UNKNOWN 0");
  await quote(112, 113);
  await pass(1_999);
  expect(await look(orderId)).toBe("NEW UNKNOWN 0");
  // It is sent again on the quote that stands.
  await pass(10_000);
  expect(await look(orderId)).toBe("FILLED FILLED 1");
  expect(await facts(orderId)).toEqual([
    "ACCEPTED",
    "TRIGGERED",
    "CHILD_INTENDED",
    "CHILD_UNKNOWN",
    "VOIDED",
    "CHILD_INTENDED",
    "FILLED",
    "DONE",
    "ENDED",
  ]);
  expect((await children()).map(({ submissions }) => submissions)).toEqual([1]);
});

it("complaint 17, decision 12: timeout-after is UNKNOWN until the look-up finds the fill; nothing is sent again", async () => {
  const orderId = await placeStop();
  await fault({ mode: "timeout-after", count: 1 });
  await quote(111, 112);
  expect(await settle()).toMatchObject({ inFlight: 1 });
  await pass(2_000);
  expect(await look(orderId)).toBe("FILLED FILLED 1");
  for (let n = 0; n < 20; n++) await quote(120 + n, 121 + n);
  expect(await children()).toHaveLength(1);
});

it("decision 12: failing look-ups leave the child UNKNOWN, however long, and settle it when they answer", async () => {
  const orderId = await placeStop();
  await fault({ mode: "timeout-after", lookup: "fail" });
  await quote(111, 112);
  await pass(120_000);
  expect(await look(orderId)).toBe("NEW UNKNOWN 0");
  expect(await facts(orderId)).toContain("UNKNOWN_ESCALATED");
  await fault({});
  await pass(10_000);
  expect(await look(orderId)).toBe("FILLED FILLED 1");
});

it("decision CB: an operator settles an unknown child over the control interface, and only an unknown one", async () => {
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

it("complaint 33, decision 11: a venue that forgot an executed child is believed after its proof, and its late fill is counted and flagged", async () => {
  const orderId = await placeStop();
  await fault({ mode: "timeout-before", lookup: "not-found", count: 1 });
  await quote(111, 112);
  await pass(20_000);
  const [childId] = (await lastChild(orderId)) ?? [];
  await sandbox.signed("DELETE", "/api/v2/order", { symbol: SYMBOL, orderId });
  await sandbox.control("POST", "venue/events", {
    child: childId,
    executionId: "late-1",
    quantity: "0.25",
    price: "112",
  });
  expect(await look(orderId)).toBe("CANCELED CANCELED 0.25");
  expect(await facts(orderId)).toContain("LATE_FILL");
});

async function lastChild(orderId: number): Promise<readonly [string] | undefined> {
  const { body } = await sandbox.signed("GET", "/api/v2/order", { symbol: SYMBOL, orderId });
  const id = body["lastChildClientOrderId"];
  return typeof id === "string" ? [id] : undefined;
}

it("partial fills leave the rest to later quotes, and every child is for the rest (complaint 37)", async () => {
  const orderId = await placeStop();
  await fault({ mode: "partial", fraction: "0.25", count: 2 });
  await quote(111, 112);
  expect(await look(orderId)).toBe("PARTIALLY_FILLED WAITING 0.25");
  await quote(111, 112);
  await quote(111, 112);
  expect(await look(orderId)).toBe("FILLED FILLED 1");
  expect((await children()).map(({ quantity }) => quantity)).toEqual(["1", "0.75", "0.5625"]);
});

it("complaint 50, decision 26: a refused child frees its quantity and the next waits 100 ms, then 200 ms", async () => {
  const orderId = await placeStop();
  await fault({ mode: "reject", count: 2 });
  await quote(111, 112);
  expect(await look(orderId)).toBe("NEW WAITING 0");
  await pass(99);
  await quote(111, 112);
  expect(await children()).toHaveLength(1);
  await pass(1);
  await quote(111, 112);
  expect(await children()).toHaveLength(2);
  await pass(199);
  await quote(111, 112);
  expect(await children()).toHaveLength(2);
  await pass(1);
  await quote(111, 112);
  expect(await look(orderId)).toBe("FILLED FILLED 1");
});

it("decision 13: a cancel while a child is held is answered with cancelPending; after the release the order is FILLED", async () => {
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

it("decision 11: duplicate, oversized and foreign events are recorded once, raise an alert, and are dropped", async () => {
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
