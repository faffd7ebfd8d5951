import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import { START_MS, temporaryDirectory } from "./venue-world.ts";

const ACCOUNT = { accountId: 1, symbol: "BTC/USD" };

/** Opens an exchange on a manual clock that always begins at the same time; closed at the end of the test. */
async function open(store: string, more: Readonly<Record<string, string>> = {}): Promise<Exchange> {
  const env = { STORE: store, MARKET: "manual", CLOCK: "manual", CLOCK_START: String(START_MS), ...more };
  const telemetry = { event: () => undefined };
  const exchange = await openExchange(readSettings({ env, argv: [] }), {
    realClock: createSystemClock(),
    entropy: createEntropy(),
    telemetry,
  });
  onTestFinished(() => exchange.close().catch(() => undefined));
  return exchange;
}

/** Places a managed order and moves the market to it; resolves to its executed quantity. */
async function trade({ engine, sink, settle }: Exchange): Promise<string> {
  const order = {
    symbol: "BTC/USD",
    side: "BUY",
    type: "SYNTHETIC_LIMIT",
    quantity: "1",
    price: "100",
  } as const;
  const placed = await engine.place({ accountId: 1, order: { ...order, newClientOrderId: "a" } });
  sink.quote({ symbol: "BTC/USD", bid: "99", ask: "100" });
  await settle();
  const found = await engine.find({ accountId: 1, orderId: placed.order.orderId });
  return `${found?.ended?.status} ${found?.executedQuantity}`;
}

describe("the store and the venue's record next to it", () => {
  it("I01: are restored together", async () => {
    const path = join(await temporaryDirectory(), "orders.db");
    const first = await open(`sqlite:${path}`);
    expect(await trade(first)).toBe("FILLED 1000000");
    const funds = await first.desk.funds(1);
    await first.close();
    const second = await open(`sqlite:${path}`);
    expect(await second.desk.funds(1)).toEqual(funds);
    expect(await second.native.page({ ...ACCOUNT, limit: 5 })).toHaveLength(1);
  });

  it("I06: a record is refused for another store: its children would answer for those of new orders", async () => {
    const path = join(await temporaryDirectory(), "orders.db");
    const first = await open(`sqlite:${path}`);
    await trade(first);
    await first.close();
    for (const name of ["", "-wal", "-shm", ".acknowledged"]) await rm(`${path}${name}`, { force: true });
    const record = path.replace(/db$/, "venue.jsonl");
    const before = await readFile(record, "utf8");
    // Refused at every attempt.
    for (let time = 0; time < 2; time++) {
      await expect(open(`sqlite:${path}`)).rejects.toThrow(
        "orders.venue.jsonl is the record of another store: remove it, or restore its store",
      );
    }
    expect(await readFile(record, "utf8")).toBe(before);
    await rm(record);
    expect(await trade(await open(`sqlite:${path}`))).toBe("FILLED 1000000");
  });
});

describe("contract, Versioning: deployment settings", () => {
  it("LIQUIDITY_API_ADVANCED_ORDERS_ENABLED: true by default; false refuses advanced orders", async () => {
    expect(await trade(await open("memory:"))).toBe("FILLED 1000000");
    expect(await trade(await open("memory:", { LIQUIDITY_API_ADVANCED_ORDERS_ENABLED: "true" }))).toBe(
      "FILLED 1000000",
    );
    const off = await open("memory:", { LIQUIDITY_API_ADVANCED_ORDERS_ENABLED: "false" });
    await expect(trade(off)).rejects.toMatchObject({ code: -1020, status: 404 });
  });
});
