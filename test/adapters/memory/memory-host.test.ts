import { expect, it } from "vitest";
import { createMemoryHost } from "../../../src/adapters/memory/index.ts";

it("a memory host has accounts with consent, liquidity markets with aliases, and a clock that stands still", () => {
  const host = createMemoryHost({ symbols: ["BTC/USD", "ETH/USD"], accountIds: [1, 7], startMs: 5 });
  expect(host.instruments.all().map(({ id, symbol, kind, status }) => [id, symbol, kind, status])).toEqual([
    [1, "BTC/USD", "liquidity", "TRADING"],
    [2, "ETH/USD", "liquidity", "TRADING"],
  ]);
  expect(host.instruments.resolve("ETH-USD")?.symbol).toBe("ETH/USD");
  expect(host.accounts.account(7)).toMatchObject({
    accountId: 7,
    enableDataSharing: true,
    restricted: false,
  });
  expect(host.accounts.account(2)).toBeUndefined();
  expect(host.clock.nowMs()).toBe(5);
});

it("ids count up, so that a run is reproducible, and never repeat within it", () => {
  const { entropy } = createMemoryHost({ symbols: ["BTC/USD"] });
  expect([entropy.token(5), entropy.token(5)]).toEqual(["00001", "00002"]);
});

it.each(["BTCUSD", "/USD", "BTC/", "BTC/USD/X"])("a symbol such as %j is refused", (symbol) => {
  expect(() => createMemoryHost({ symbols: [symbol] })).toThrow(RangeError);
});
