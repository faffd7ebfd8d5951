import { expect, it, onTestFinished } from "vitest";
import { createEntropy, createSystemClock } from "../../src/adapters/node/index.ts";
import { formatPrice } from "../../src/decimal/index.ts";
import type { Side } from "../../src/model/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { type Exchange, openExchange } from "../../src/sandbox/exchange.ts";
import { readSettings } from "../../src/sandbox/settings.ts";
import { type Bar, barPath, walkBars } from "../support/bar-path.ts";

/** The production engine on the paper venue, in memory, with bars for a market. */
async function open(): Promise<Exchange> {
  const env = { STORE: "memory:", MARKET: "manual", CLOCK: "manual", CLOCK_START: "1700000000000" };
  const telemetry = { event: () => undefined };
  const exchange = await openExchange(readSettings({ env, argv: [] }), {
    realClock: createSystemClock(),
    entropy: createEntropy(),
    telemetry,
  });
  onTestFinished(() => exchange.close());
  return exchange;
}

type BarCase = Readonly<{ side: Side; order: Partial<OrderFields>; bars: readonly Bar[] }>;

/** Places one order, plays the bars, and returns the price of its fill. */
async function filledAt({ side, order, bars }: BarCase): Promise<string> {
  const { engine, sink, settle, paper } = await open();
  const [first] = bars;
  sink.quote({ symbol: "BTC/USD", bid: first?.open ?? "", ask: first?.open ?? "" });
  const fields = { symbol: "BTC/USD", side, quantity: "1", ...order } as OrderFields;
  await engine.place({ accountId: 1, order: fields });
  await walkBars(bars, { symbol: "BTC/USD", side, spread: "0.5", sink, settle });
  return (paper?.children() ?? []).map(({ averagePrice }) => averagePrice).join();
}

const bar = (open: string, high: string, low: string, close: string): Bar => ({ open, high, low, close });

it.each([
  [
    "SELL",
    { type: "STOP_MARKET", stopPrice: "95" },
    [bar("100", "101", "99", "100"), bar("92", "93", "91", "93")],
    "92",
  ],
  [
    "BUY",
    { type: "STOP_MARKET", stopPrice: "105" },
    [bar("100", "101", "99", "100"), bar("108", "109", "107", "108")],
    "108",
  ],
  [
    "SELL",
    { type: "TRAILING_STOP_MARKET", trailingAmount: "5" },
    [bar("100", "101", "99", "100"), bar("90", "94", "89", "93")],
    "90",
  ],
] as const)(
  "complaint 47: a %s that a bar gaps over is filled at the executable quote, never at its stop (%j)",
  async (side, order, bars, at) => {
    expect(await filledAt({ side, order, bars })).toBe(at);
  },
);

it("complaint 47: a stop-limit that a bar gaps over waits at its limit instead of being filled there", async () => {
  const order = { type: "STOP_LOSS_LIMIT", stopPrice: "95", price: "94" } as const;
  const bars = [bar("100", "101", "99", "100"), bar("92", "93", "91", "92")];
  expect(await filledAt({ side: "SELL", order, bars })).toBe("");
});

it("complaint 48: a bar is played to the extreme that is adverse to the order first", () => {
  const wide = bar("100", "110", "94", "108");
  expect([barPath(wide, "SELL"), barPath(wide, "BUY")]).toEqual([
    ["100", "94", "110", "108"],
    ["100", "110", "94", "108"],
  ]);
});

it.each([
  // With 110 first, the trail would have risen to 105, and the bar would be a profit.
  ["SELL", bar("100", "110", "94", "108"), "94"],
  ["BUY", bar("100", "106", "90", "92"), "106"],
  // The adverse extreme does not reach the trail: it follows the favorable one, and the close decides.
  ["SELL", bar("100", "110", "96", "104"), "104"],
  ["SELL", bar("100", "110", "96", "108"), ""],
  ["BUY", bar("100", "104", "90", "92"), ""],
] as const)("complaint 48: a trailing %s of 5 over the bar %j", async (side, one, at) => {
  const order = { type: "TRAILING_STOP_MARKET", trailingAmount: "5" } as const;
  expect(await filledAt({ side, order, bars: [one] })).toBe(at);
});

it("complaint 48: the trail at which a trailing order fired never followed a price of the bar's favorable side", async () => {
  const { engine, sink, settle } = await open();
  sink.quote({ symbol: "BTC/USD", bid: "100", ask: "100.5" });
  const order = {
    symbol: "BTC/USD",
    side: "SELL",
    quantity: "1",
    type: "TRAILING_STOP_MARKET",
    trailingAmount: "5",
  } as const;
  const { order: placed } = await engine.place({ accountId: 1, order });
  await walkBars([bar("100", "110", "94", "108")], {
    symbol: "BTC/USD",
    side: "SELL",
    spread: "0.5",
    sink,
    settle,
  });
  const found = await engine.find({ accountId: 1, orderId: placed.orderId });
  expect(found?.trigger && [formatPrice(found.trigger.level), formatPrice(found.trigger.observed)]).toEqual([
    "95",
    "94",
  ]);
});
