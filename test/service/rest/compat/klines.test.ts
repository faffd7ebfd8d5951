import { expect, it } from "vitest";
import { price, quantity } from "../../../../src/decimal/index.ts";
import type { Engine } from "../../../../src/engine/index.ts";
import { PrintHistory } from "../../../../src/engine/market/print-history.ts";
import { klinesOf } from "../../../../src/service/rest/compat/market.ts";

const MINUTE_MS = 60_000;
const SYMBOL = "BTC/USD";

it("the price before a period without trades is that of one bar, however many are kept", () => {
  const history = new PrintHistory([]);
  for (let minute = 0; minute < 1_430; minute++) {
    const timeMs = minute * MINUTE_MS;
    const print = { symbol: SYMBOL, id: `${minute}`, timeMs, seenAtMs: timeMs, fresh: true };
    history.settled({ ...print, price: price(`${1 + minute}`), quantity: quantity("1") });
  }
  let read = 0;
  const priceBars: Engine["priceBars"] = (range) => {
    const bars = history.bars(range);
    read += bars?.length ?? 0;
    return bars;
  };
  const startMs = 1_435 * MINUTE_MS;
  const range = { symbol: SYMBOL, fromMs: startMs, toMs: startMs, nowMs: startMs + MINUTE_MS };
  const klines = klinesOf({ priceBars }, { ...range, interval: "1m" });
  expect(klines).toMatchObject([{ startMs, open: price("1430"), close: price("1430"), prints: 0 }]);
  expect(read).toBe(1);
});
