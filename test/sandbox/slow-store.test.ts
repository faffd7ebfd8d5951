import { expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { answerControl } from "../../src/sandbox/control-routes.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import type { JsonValue } from "../../src/wire/index.ts";
import { START_MS } from "./venue-world.ts";

const SYMBOL = "BTC/USD";

async function open(): Promise<Exchange> {
  const env = { STORE: "memory:", MARKET: "manual", CLOCK: "manual", CLOCK_START: String(START_MS) };
  const exchange = await openExchange(readSettings({ env, argv: [] }), {
    realClock: createSystemClock(),
    entropy: createEntropy(),
    telemetry: { event: () => undefined },
  });
  onTestFinished(async () => {
    exchange.setStoreFault({ mode: "none" });
    await exchange.close();
  });
  return exchange;
}

const control = (exchange: Exchange, path: string, body: JsonValue = {}): Promise<unknown> =>
  answerControl(exchange, { method: "POST", path: path.split("/"), query: new Map(), body });

const place = ({ engine }: Exchange, newClientOrderId: string): Promise<unknown> =>
  engine.place({
    accountId: 1,
    order: {
      symbol: SYMBOL,
      side: "BUY",
      type: "SYNTHETIC_LIMIT",
      quantity: "1",
      price: "100",
      newClientOrderId,
    },
  });

it("with a slow store settle names the work that it waits for, and quotes are answered", async () => {
  const exchange = await open();
  expect(await control(exchange, "settle")).toEqual({ inFlight: 0, unknown: 0, waitingFor: [] });
  await control(exchange, "faults", { store: { mode: "slow" } });
  let accepted = false;
  const placed = place(exchange, "a").then(() => {
    accepted = true;
  });
  expect(await control(exchange, "settle")).toMatchObject({ waitingFor: [expect.stringContaining("store")] });
  await control(exchange, "quotes", { symbol: SYMBOL, bid: "99", ask: "101" });
  expect(accepted).toBe(false);
  await control(exchange, "clock", { advanceMs: 999 });
  expect(accepted).toBe(false);
  await control(exchange, "clock", { advanceMs: 1 });
  await placed;
  expect([accepted, exchange.clock.nowMs()]).toEqual([true, START_MS + 1_000]);
});

it("with a slow store time advances: each step of an order takes the store's second, none is lost", async () => {
  const exchange = await open();
  await control(exchange, "faults", { store: { mode: "slow" } });
  const placed = [place(exchange, "a"), place(exchange, "b")];
  await control(exchange, "clock", { advanceMs: 2_000 });
  await Promise.all(placed);
  await control(exchange, "quotes", { symbol: SYMBOL, bid: "99", ask: "100", askQuantity: "1.5" });
  for (let n = 0; n < 5; n++) await control(exchange, "clock", { advanceMs: 1_000 });
  await control(exchange, "faults", { store: { mode: "none" } });
  await control(exchange, "clock", { advanceMs: 1_000 });
  expect(await control(exchange, "settle")).toEqual({ inFlight: 0, unknown: 0, waitingFor: [] });
  const found = await Promise.all(
    ["a", "b"].map((clientOrderId) => exchange.engine.find({ accountId: 1, clientOrderId })),
  );
  expect(found.map((order) => Number(order?.executedQuantity)).sort()).toEqual([1_000_000, 500_000].sort());
  expect((await exchange.engine.verify()).equal).toBe(true);
});
