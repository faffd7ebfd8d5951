import { describe, expect, it } from "vitest";
import {
  createMarketFeed,
  createMemoryAccounts,
  createMemoryExposure,
  createMemoryInstruments,
} from "../../../src/adapters/memory/index.ts";
import { quantity } from "../../../src/decimal/index.ts";
import type { Account, ApiKey, Instrument } from "../../../src/model/index.ts";
import type { MarketSink, QuoteVerdict } from "../../../src/ports/index.ts";

const account = (accountId: number): Account => ({
  accountId,
  userId: accountId + 100,
  enableDataSharing: true,
  delegates: [],
  restricted: false,
});
const key = (apiKey: string, accountId: number): ApiKey => ({
  apiKey,
  secret: "s",
  userId: accountId + 100,
  accountId,
  permissions: ["READ"],
  ipAllowlist: [],
});

describe("memory accounts", () => {
  it("known keys and accounts are found, others are not", () => {
    const accounts = createMemoryAccounts([{ account: account(1), keys: [key("a", 1), key("b", 1)] }]);
    expect(accounts.key("b")).toEqual(key("b", 1));
    expect(accounts.account(1)).toEqual(account(1));
    expect(accounts.key("c")).toBeUndefined();
    expect(accounts.account(2)).toBeUndefined();
  });

  it("replacing an account ends its earlier keys at once, and no others", () => {
    const accounts = createMemoryAccounts([
      { account: account(1), keys: [key("a", 1), key("b", 1)] },
      { account: account(2), keys: [key("c", 2)] },
    ]);
    const replaced = { ...account(1), enableDataSharing: false };
    accounts.put({ account: replaced, keys: [key("b", 1)] });
    expect(["a", "b", "c"].map((name) => accounts.key(name) !== undefined)).toEqual([false, true, true]);
    expect(accounts.account(1)).toEqual(replaced);
  });

  it("I72: a key of another account is refused, changes nothing and is not shown", () => {
    const accounts = createMemoryAccounts([{ account: account(1), keys: [key("taken", 1)] }]);
    for (const wrong of [key("taken", 2), key("fresh", 3)]) {
      const put = () => accounts.put({ account: account(2), keys: [wrong] });
      expect(put).toThrow(
        new RangeError("keys: each key must belong to account 2, but one of them belongs to another account"),
      );
    }
    expect(accounts.key("taken")).toEqual(key("taken", 1));
    expect(accounts.account(2)).toBeUndefined();
  });
});

describe("memory instruments", () => {
  const instrument = (id: number, symbol: string, aliases: readonly string[]): Instrument => ({
    id,
    symbol,
    aliases,
    baseAsset: symbol.slice(0, 3),
    quoteAsset: "USD",
    name: symbol,
    kind: "liquidity",
    status: "TRADING",
  });
  const btc = instrument(1, "BTC/USD", ["BTCUSD", "BTC-USD"]);
  const eth = instrument(2, "ETH/USD", ["ETHUSD"]);

  it("`find` needs the exact symbol, `resolve` takes aliases too", () => {
    const instruments = createMemoryInstruments([btc, eth]);
    expect(instruments.all()).toEqual([btc, eth]);
    expect(["BTC/USD", "BTCUSD", "btc/usd"].map((name) => instruments.find(name))).toEqual([
      btc,
      undefined,
      undefined,
    ]);
    expect(["ETH/USD", "ETHUSD", "BTC-USD", "XRPUSD"].map((name) => instruments.resolve(name))).toEqual([
      eth,
      eth,
      btc,
      undefined,
    ]);
  });

  it("a name of two instruments is refused", () => {
    const twin = instrument(3, "BTCUSD", []);
    expect(() => createMemoryInstruments([btc, twin])).toThrow(
      new RangeError("instruments: the name BTCUSD belongs to two instruments"),
    );
  });
});

describe("memory exposure", () => {
  it("a position is the last one set, per account and symbol, else zero", () => {
    const exposure = createMemoryExposure([{ accountId: 1, symbol: "BTC/USD", quantity: quantity("2") }]);
    exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("1.5") });
    expect(exposure.position(1, "BTC/USD")).toBe(quantity("1.5"));
    expect(exposure.position(1, "ETH/USD")).toBe(0);
    expect(exposure.position(2, "BTC/USD")).toBe(0);
  });
});

describe("market feed", () => {
  const sink = (log: string[], name: string, verdict: QuoteVerdict): MarketSink => ({
    quote: (quote) => {
      log.push(`${name} ${quote.symbol} ${quote.bid}`);
      return verdict;
    },
    heartbeat: (symbol) => void log.push(`${name} beats ${symbol}`),
    print: (print) => void log.push(`${name} prints ${print.id}`),
  });

  it("fed quotes and trades reach every subscriber in order, until it leaves", () => {
    const log: string[] = [];
    const feed = createMarketFeed();
    feed.subscribe(sink(log, "a", "counted"));
    const leave = feed.subscribe(sink(log, "b", "stale"));
    const quote = { symbol: "BTC/USD", bid: "1", ask: "2" };
    expect(feed.quote(quote)).toEqual(["counted", "stale"]);
    feed.heartbeat("BTC/USD");
    leave();
    feed.print({ symbol: "BTC/USD", price: "1", quantity: "1", id: "p1", timeMs: 0 });
    expect(feed.quote(quote)).toEqual(["counted"]);
    expect(log).toEqual([
      "a BTC/USD 1",
      "b BTC/USD 1",
      "a beats BTC/USD",
      "b beats BTC/USD",
      "a prints p1",
      "a BTC/USD 1",
    ]);
  });
});
