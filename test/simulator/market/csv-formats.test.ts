import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CsvOptions, csvMarket, type MarketRow } from "../../../src/simulator/index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "market-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(text: string, options: CsvOptions = {}): Promise<readonly MarketRow[]> {
  const path = join(folder, "file.csv");
  await writeFile(path, text);
  const rows: MarketRow[] = [];
  for await (const row of csvMarket(path, { symbol: "BTC/USD", ...options })) rows.push(row);
  return rows;
}

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

const START_MS = Date.UTC(2025, 5, 1);
const SECOND = START_MS / 1_000;
const [MS, US, NS] = ["", "000", "000000"].map(
  (zeros) => (plusMs: number) => `${START_MS + plusMs}${zeros}`,
) as [(plusMs: number) => string, (plusMs: number) => string, (plusMs: number) => string];
const S = (plusMs: number): string => String(SECOND + plusMs / 1_000);
const ISO = (plusMs: number): string => new Date(START_MS + plusMs).toISOString();
const MINUTE = 60_000;

type Time = (plusMs: number) => string;

const times: readonly (readonly [string, Time])[] = [
  ["seconds", S],
  ["milliseconds", MS],
  ["microseconds", US],
  ["nanoseconds", NS],
  ["ISO dates", ISO],
  ["dates without a zone", (plusMs) => ISO(plusMs).replace("T", " ").slice(0, 19)],
  ["dates with an offset", (plusMs) => `${ISO(plusMs + 2 * 3_600_000).slice(0, 19)}+02:00`],
  ["seconds as a float", (plusMs) => `${S(plusMs)}.0`],
];

/** Two bars of a minute, in any file. */
const bars = (time: Time, line: (time: string, end: string, bar: string) => string): readonly string[] => [
  line(time(0), time(MINUTE - 1), "10,12,9,11,4"),
  line(time(MINUTE), time(2 * MINUTE - 1), "11,13,10,12,8"),
];
const BARS = "time,open,high,low,close,volume";

describe("csvMarket recognises the unit of times:", () => {
  it.each(times)("%s", async (_, time) => {
    const expected = await read(lines(BARS, ...bars(MS, (at, _end, bar) => `${at},${bar}`)));
    expect(expected[0]?.timeMs).toBe(START_MS);
    expect(await read(lines(BARS, ...bars(time, (at, _end, bar) => `${at},${bar}`)))).toEqual(expected);
  });

  it.each([
    ["1000", "a time must be seconds, milliseconds, microseconds or nanoseconds since the epoch, or a date"],
    ["946684799", "from the year 2000 on"],
    ["1999-12-31", "from the year 2000 on"],
    ["01/02/2025", "a date such as 2026-01-31"],
    ["2025-02-30", "a date such as 2026-01-31"],
    ["1.7E+12", "a date such as 2026-01-31"],
  ])("refuses %s", async (time, message) => {
    await expect(read(lines("time,price,quantity", `${time},1,1`))).rejects.toThrow(
      `file.csv line 2: a time must be`,
    );
    await expect(read(lines("time,price,quantity", `${time},1,1`))).rejects.toThrow(message);
  });

  it("refuses two units in one file", async () => {
    const mixed = read(lines("time,price,quantity", `${MS(0)},1,1`, `${US(1)},1,1`));
    await expect(mixed).rejects.toThrow("line 3: the times of a file must have one unit");
    await expect(mixed).rejects.toThrow("is in microseconds, the first time in milliseconds");
  });
});

describe("csvMarket reads into the same bars:", () => {
  const rest = "0,5,1,1,0";
  const CDD = (at: string): string => `${at},${ISO(Number(at) - START_MS).slice(0, 19)},BTC/USDT`;
  it.each([
    [
      "any order and case",
      lines("Volume,CLOSE,Low,high,Open,Timestamp", `4,11,9,12,10,${MS(0)}`, `8,12,10,13,11,${MS(MINUTE)}`),
    ],
    ["a date", lines("Date,Open,High,Low,Close,Volume", ...bars(ISO, (at, _, bar) => `${at},${bar}`))],
    ["no header", lines(...bars(MS, (at, _, bar) => `${at},${bar}`))],
    ["Kraken OHLCVT", lines(...bars(S, (at, _, bar) => `${at},${bar},7`))],
    ["Binance klines in ms", lines(...bars(MS, (at, end, bar) => `${at},${bar},${end},${rest}`))],
    ["Binance klines in us", lines(...bars(US, (at, end, bar) => `${at},${bar},${end},${rest}`))],
    [
      "Binance klines with a header",
      lines(
        "open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore",
        ...bars(MS, (at, end, bar) => `${at},${bar},${end},${rest}`),
      ),
    ],
    [
      "CryptoDataDownload",
      lines(
        "https://www.CryptoDataDownload.com",
        "Unix,Date,Symbol,Open,High,Low,Close,Volume USDT,Volume BTC,tradecount",
        `${CDD(MS(MINUTE))},11,13,10,12,99,8,5`,
        `${CDD(MS(0))},10,12,9,11,99,4,5`,
      ),
    ],
    ["a byte order mark", `\uFEFF${lines(BARS, ...bars(MS, (at, _, bar) => `${at},${bar}`))}`],
    [
      "carriage returns alone",
      lines(BARS, ...bars(MS, (at, _, bar) => `${at},${bar}`)).replaceAll("\n", "\r"),
    ],
    ["blank lines at the end", `${lines(BARS, ...bars(MS, (at, _, bar) => `${at},${bar}`))}\r\n\n  \n`],
    ["quoted cells", lines(BARS, ...bars(MS, (at, _, bar) => `${at},${bar}`)).replace(/[^,\n]+/g, '"$&"')],
    ["repeated headers", bars(MS, (at, _, bar) => `${BARS}\n${at},${bar}\n`).join("")],
    ["exponents", lines(BARS, `${MS(0)},1e1,1.2e+1,90E-1,1.1e1,4e0`, `${MS(MINUTE)},11,13,10,12,8000e-03`)],
  ])("%s", async (_, text) => {
    const expected = await read(lines(BARS, ...bars(MS, (at, _end, bar) => `${at},${bar}`)));
    expect(await read(text)).toEqual(expected);
  });

  it("the length that is passed, for a single bar", async () => {
    const single = lines(BARS, `${MS(0)},10,12,9,11,4`);
    await expect(read(single)).rejects.toThrow("pass the option intervalMs");
    expect((await read(single, { intervalMs: MINUTE })).at(-1)?.timeMs).toBe(START_MS + MINUTE - 1);
  });
});

describe("csvMarket reads into the same", () => {
  const trade = (plusMs: number, id: string | undefined, quantity = "0.5") => ({
    ...{ kind: "trade", timeMs: START_MS + plusMs, symbol: "BTC/USD", price: "10", quantity },
    ...(id !== undefined && { id }),
  });

  it.each([
    [
      "Binance, spot",
      lines(`51,10,0.5,5,${US(0)},True,True`, `52,10,0.5,5,${US(1)},False,True`),
      ["51", "52"],
    ],
    ["Binance, futures", lines(`51,10,0.5,5,${MS(0)},true`, `52,10,0.5,5,${MS(1)},false`), ["51", "52"]],
    [
      "Binance, futures with a header",
      lines(
        "id,price,qty,quote_qty,time,is_buyer_maker",
        `51,10,0.5,5,${MS(0)},true`,
        `52,10,0.5,5,${MS(1)},false`,
      ),
      ["51", "52"],
    ],
    [
      "Binance, aggregated",
      lines(`1051234567,10,0.5,7,8,${MS(0)},True,True`, `1051234568,10,0.5,9,9,${MS(1)},False,True`),
      ["1051234567", "1051234568"],
    ],
    [
      "Binance, aggregated with a header",
      lines(
        "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker",
        `5,10,0.5,7,8,${MS(0)},true`,
        `6,10,0.5,9,9,${MS(1)},false`,
      ),
      ["5", "6"],
    ],
    ["Kraken", lines(`${S(0)},10,0.5`, `${SECOND}.001,10,0.5`), [undefined, undefined]],
  ])("trades of %s", async (_, text, [one, two]) => {
    expect(await read(text)).toEqual([trade(0, one), trade(1, two)]);
  });

  it("a small quantity with an exponent is exact", async () => {
    expect(await read(lines("time,price,quantity", `${MS(0)},10,1e-05`))).toEqual([
      trade(0, undefined, "0.00001"),
    ]);
  });

  it.each([
    [
      "a header",
      "update_id,best_bid_price,best_bid_qty,best_ask_price,best_ask_qty,transaction_time,event_time\n",
    ],
    ["no header", ""],
  ])("quotes of Binance with %s", async (_, header) => {
    const text = header + lines(`1760000000123,10,1,11,2,${MS(0)},${MS(5)}`);
    expect(await read(text)).toEqual([
      {
        ...{ kind: "quote", timeMs: START_MS, symbol: "BTC/USD", bid: "10", ask: "11" },
        ...{ bidQuantity: "1", askQuantity: "2" },
      },
    ]);
  });
});

describe("csvMarket reads rows in the order of arrival", () => {
  const HEADER = "exchange,symbol,timestamp,local_timestamp,id,side,price,amount";
  const row = (plusMs: number, arrivedMs: number): string =>
    `x,BTC,${US(plusMs)},${US(arrivedMs)},t${plusMs},buy,10,1`;
  const offsets = (rows: readonly MarketRow[]): readonly number[] =>
    rows.map(({ timeMs }) => timeMs - START_MS);

  it("sorted by the time of the exchange, or as they arrived", async () => {
    const text = lines(HEADER, row(5, 10), row(3, 11), row(9_000, 9_001), row(4, 9_002), row(30_000, 30_001));
    expect(offsets(await read(text))).toEqual([3, 4, 5, 9_000, 30_000]);
    expect(offsets(await read(text, { order: "local" }))).toEqual([10, 11, 9_001, 9_002, 30_001]);
  });

  it("in a file of several parts", async () => {
    const late = Array.from({ length: 5_000 }, (_, n) => (n % 3 === 2 ? n * 50 - 400 : n * 50));
    const text = lines(HEADER, ...late.map((ms, n) => row(ms, n * 50)));
    expect(offsets(await read(text))).toEqual(late.toSorted((a, b) => a - b));
  });

  it("refuses rows that are very late, and the order of a column that is not there", async () => {
    const text = lines(HEADER, row(20_000, 20_001), row(3, 20_002), row(20_003, 20_004));
    await expect(read(text)).rejects.toThrow(
      'line 3: the time must not be 10 s before that of an earlier row; to take the times of arrival, pass order: "local"',
    );
    await expect(read(lines("time,price,quantity", `${MS(0)},1,1`), { order: "local" })).rejects.toThrow(
      "local_timestamp",
    );
  });
});

describe("csvMarket reads the columns that are given", () => {
  const expected = [{ kind: "trade", timeMs: START_MS, symbol: "BTC/USD", price: "10", quantity: "2" }];

  it("by name and by place", async () => {
    const columns = { time: "When", price: "Px", quantity: "Lots" };
    expect(await read(lines("Lots,Px,When", `2,10,${MS(0)}`), { columns })).toEqual(expected);
    expect(await read(lines(`2,10,${MS(0)}`), { columns: { time: 2, price: 1, quantity: 0 } })).toEqual(
      expected,
    );
  });

  it("refuses a name that the header has not", async () => {
    const wrong = read(lines("Lots,Px,When", `2,10,${MS(0)}`), { columns: { time: "Time" } });
    await expect(wrong).rejects.toThrow('line 1: columns.time must be a column of the header, not "Time"');
    expect(() => csvMarket("x.csv", { columns: { tme: "x" } } as never)).toThrow("did you mean `time`");
  });
});
