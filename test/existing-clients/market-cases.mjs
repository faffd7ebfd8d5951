import assert from "node:assert/strict";
import { SYMBOL } from "./checks.mjs";

/** Longest time in milliseconds for an event of a stream, and the time between two quotes and trades meanwhile. */
const PATIENCE_MS = 10_000;
const PACE_MS = 100;

/** Checks bars of a minute as klines has them, by the last one with trades. */
export function isKlines(klines) {
  const traded = klines.findLast(([, , , , , , , , count]) => count > 0);
  const [openTime, open, high, low, close, volume, closeTime, quoteVolume, count] = traded;
  assert.equal(closeTime - openTime, 59_999);
  assert.ok(Number(low) <= Number(open) && Number(open) <= Number(high) && Number(close) > 0);
  assert.ok(Number(volume) > 0 && Number(quoteVolume) > 0 && Number(count) > 0);
}

/** Checks bars that a client made objects of, by the last one with trades. */
export function areCandles(candles) {
  const { open, close, trades } = candles.findLast((candle) => candle.trades > 0);
  assert.ok(Number(open) > 0 && Number(close) > 0 && trades > 0);
}

/** Checks trades by the members that hold their price, quantity and id. */
export function areTrades(trades, { price = "price", quantity = "qty", id = "id" } = {}) {
  assert.ok(trades.length > 0);
  for (const trade of trades) {
    assert.ok(Number(trade[price]) > 0 && Number(trade[quantity]) > 0);
    assert.match(String(trade[id]), /^[0-9]+$/);
  }
}

/** Checks trades as aggTrades has them. */
export const areAggTrades = (trades) => areTrades(trades, { price: "p", quantity: "q", id: "a" });

/**
 * The cases of streams. Each opens a stream, passes every event to a listener, and returns a function that closes it.
 * The check of an event gets what the client makes of it.
 */
export function streamCases(streams) {
  return Object.fromEntries(
    Object.entries(streams).map(([name, { open, check }]) => [
      name,
      (address, market) => hears({ open: (listener) => open(address, listener), check }, market),
    ]),
  );
}

/** Resolves when an event was heard that is as it should be. The market moves until then. */
async function hears({ open, check }, market) {
  let passed = false;
  let problem = new Error("no event came");
  const close = await open((event) => {
    try {
      check(event);
      passed = true;
    } catch (error) {
      problem = error;
    }
  });
  const endMs = Date.now() + PATIENCE_MS;
  while (!passed && Date.now() < endMs) {
    await market.moves();
    await new Promise((resolve) => setTimeout(resolve, PACE_MS));
  }
  await close?.();
  if (!passed) throw problem;
}

/** Checks of the events of the convention, by stream. */
export const EVENTS = {
  trade: ({ e, s, p, q, t }) => {
    assert.deepEqual([e, s], ["trade", SYMBOL]);
    assert.ok(Number(p) > 0 && Number(q) > 0 && t !== undefined);
  },
  aggTrade: ({ e, s, p, a, f, l }) => {
    assert.deepEqual([e, s], ["aggTrade", SYMBOL]);
    assert.ok(Number(p) > 0);
    assert.deepEqual([a, a], [f, l]);
  },
  bookTicker: ({ s, b, a, u }) => {
    assert.equal(s, SYMBOL);
    assert.ok(Number(b) < Number(a) && u > 0);
  },
  depth: ({ e, s, U, u, b, a }) => {
    assert.deepEqual([e, s], ["depthUpdate", SYMBOL]);
    assert.ok(U <= u && Array.isArray(b) && Array.isArray(a));
  },
  partialDepth: ({ lastUpdateId, bids, asks }) => {
    assert.ok(lastUpdateId > 0 && bids.length > 0 && asks.length > 0);
  },
  kline: ({ e, s, k }) => {
    assert.deepEqual([e, s, k.i], ["kline", SYMBOL, "1m"]);
    assert.ok(Number(k.l) <= Number(k.c) && Number(k.c) <= Number(k.h) && k.n > 0);
  },
  ticker: ({ e, s, c, o, v }) => {
    assert.deepEqual([e, s], ["24hrTicker", SYMBOL]);
    assert.ok(Number(c) > 0 && Number(o) > 0 && Number(v) > 0);
  },
  miniTicker: ({ e, s, c }) => {
    assert.deepEqual([e, s], ["24hrMiniTicker", SYMBOL]);
    assert.ok(Number(c) > 0);
  },
};
