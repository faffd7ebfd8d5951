import { expect, it } from "vitest";
import { searched } from "../../../src/sandbox/console/market-feed.ts";

const MARKETS = [
  { symbol: "WBTC/USD", name: "Wrapped Bitcoin" },
  { symbol: "BTC/USD", name: "Bitcoin" },
  { symbol: "ETH/USD", name: "Ether" },
];

it("a market is found by symbol or name in any case, the symbol that begins so first", () => {
  const found = (text: string): readonly string[] => searched(MARKETS, text).map(({ symbol }) => symbol);
  expect([found("btc"), found(" ETHER "), found("wrapped"), found("x")]).toEqual([
    ["BTC/USD", "WBTC/USD"],
    ["ETH/USD"],
    ["WBTC/USD"],
    [],
  ]);
  expect(found("")).toEqual(MARKETS.map(({ symbol }) => symbol));
});
