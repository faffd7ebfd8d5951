import { expect, it } from "vitest";
import { readPast } from "../../../src/sandbox/console/market-feed.ts";

const reads = (replies: Readonly<Record<string, unknown>>): ReturnType<typeof readPast> =>
  readPast("http://sandbox", "BTC/USD", (url) => {
    const { pathname, searchParams } = new URL(url);
    expect(searchParams.get("symbol")).toBe("BTC/USD");
    const body = replies[pathname.replace("/compat/api/v3/", "")];
    return Promise.resolve({ ok: body !== undefined, json: () => Promise.resolve(body) });
  });

const kline = (endMs: number, close: string): unknown => [endMs - 59_999, "1", "9", "0.1", close, "0", endMs];

it("the past is the end of each minute before the newest trades, and these one by one", async () => {
  const klines = [kline(59_999, "95"), kline(119_999, "96"), kline(179_999, "97")];
  const trades = [
    { time: 70_000, price: "94.5" },
    { time: 130_000, price: "97" },
  ];
  expect(await reads({ klines, trades })).toEqual([
    { timeMs: 59_999, price: 95 },
    { timeMs: 70_000, price: 94.5 },
    { timeMs: 130_000, price: 97 },
  ]);
});

it("a service without klines, or with rows that are none, gives the past that can be shown", async () => {
  expect(await reads({ trades: [{ time: 5, price: "94" }, null, { time: 6, price: "x" }] })).toEqual([
    { timeMs: 5, price: 94 },
  ]);
  expect(await reads({ klines: { code: -1020 }, trades: 3 })).toEqual([]);
});
