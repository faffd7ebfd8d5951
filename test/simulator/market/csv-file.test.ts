import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CsvOptions,
  csvMarket,
  MarketDataError,
  type MarketRow,
  mergeMarkets,
  simulate,
} from "../../../src/simulator/index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "market-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(
  lines: readonly string[],
  { name = "day.csv", ...options }: CsvOptions & { name?: string } = {},
): Promise<readonly MarketRow[]> {
  const text = lines.map((line) => `${line}\n`).join("");
  await writeFile(join(folder, name), name.endsWith(".gz") ? gzipSync(text) : text);
  const rows: MarketRow[] = [];
  for await (const row of csvMarket(join(folder, name), options)) rows.push(row);
  return rows;
}

const DAY_MS = Date.UTC(2020, 0, 1);
const QUOTES = "time,symbol,bid,bidQuantity,ask,askQuantity";
const BARS = "open_time,open,high,low,close,volume,close_time,quote_volume,count";
const TARDIS = "exchange,symbol,timestamp,local_timestamp";

describe("csvMarket reads", () => {
  it("quotes; an empty size is left out", async () => {
    expect(await read([QUOTES, "1577836800000,BTC/USD,7424.9,1.884838,7424.91,"])).toEqual([
      {
        kind: "quote",
        timeMs: 1_577_836_800_000,
        symbol: "BTC/USD",
        bid: "7424.9",
        ask: "7424.91",
        bidQuantity: "1.884838",
      },
    ]);
  });

  it("trades without ids: none counts as repeated, also if two files have the same", async () => {
    const trades = ["time,symbol,price,quantity", "1577836800000,BTC/USD,10,1", "1577836800000,BTC/USD,10,1"];
    const [one, two] = [await read(trades), await read(trades)];
    const quote: MarketRow = {
      kind: "quote",
      timeMs: 1_577_836_800_000,
      symbol: "BTC/USD",
      bid: "9",
      ask: "10",
    };
    const market = mergeMarkets([quote], one, two);
    const { counts } = await simulate({ symbols: ["BTC/USD"], market, strategy: () => undefined });
    expect(counts.trades).toBe(4);
  });

  it("facts by their value, whatever decimals are written", async () => {
    const rows = await read([
      "time,symbol,price,quantity",
      "1577836800000,BTC/USD,65000.0000000000,0.10000000",
    ]);
    expect(rows).toMatchObject([{ price: "65000.0000000000", quantity: "0.10000000" }]);
    const bars = await read([BARS, "1577836800000,10.000000000,12.0,9.0,11.0,4.00000000,1577836859999,0,0"], {
      symbol: "BTC/USD",
    });
    expect(bars.flatMap((row) => (row.kind === "trade" ? [row.quantity] : []))).toEqual(["1", "1", "1", "1"]);
  });

  it("a file that begins with a byte order mark, as spreadsheets write it", async () => {
    expect(await read([`\uFEFF${QUOTES}`, "1577836800000,BTC/USD,1,1,2,1"])).toHaveLength(1);
  });

  it("quotes and trades of Tardis in microseconds; a line without a side of the book is no quote", async () => {
    const quotes = [
      `${TARDIS},ask_amount,ask_price,bid_price,bid_amount`,
      "deribit,BTC-PERPETUAL,1585699200000123,1585699200001000,5,6421.5,6421,7",
      "deribit,BTC-PERPETUAL,1585699200000124,1585699200001000,,,6421,7",
    ];
    const [quote, ...none] = await read(quotes, { symbol: "BTC/USD" });
    expect([quote, none]).toEqual([
      {
        kind: "quote",
        timeMs: 1_585_699_200_000,
        symbol: "BTC/USD",
        ...{ bid: "6421", ask: "6421.5", bidQuantity: "7", askQuantity: "5" },
      },
      [],
    ]);
    const trades = [
      `${TARDIS},id,side,price,amount`,
      "x,BTC,1585699200000123,1585699200000124,t7,buy,6421,2",
    ];
    expect(await read(trades, { symbol: "BTC/USD", name: "trades.csv.gz" })).toEqual([
      ...[
        {
          kind: "trade",
          timeMs: 1_585_699_200_000,
          symbol: "BTC/USD",
          price: "6421",
          quantity: "2",
          id: "t7",
        },
      ],
    ]);
  });

  it("a file of several parts with lines that end in a carriage return, and a last line without an end", async () => {
    const path = join(folder, "long.csv");
    const times = Array.from({ length: 5_000 }, (_, n) => 1_577_836_800_000 + n);
    await writeFile(path, [QUOTES, ...times.map((time) => `${time},BTC/USD,10,1,11,2`)].join("\r\n"));
    const rows: MarketRow[] = [];
    for await (const row of csvMarket(path)) rows.push(row);
    expect(rows.map(({ timeMs }) => timeMs)).toEqual(times);
    expect(rows.at(-1)).toMatchObject({ ask: "11", askQuantity: "2" });
  });

  it("the rows before one that cannot be used, and then the error, also through a merge", async () => {
    const path = join(folder, "half.csv");
    await writeFile(path, `${QUOTES}\n${DAY_MS + 1},BTC/USD,10,1,11,1\n${DAY_MS + 2},BTC/USD,10,1,11,1\nx\n`);
    for (const market of [csvMarket(path), mergeMarkets(csvMarket(path), [])]) {
      const times: number[] = [];
      const reading = async (): Promise<void> => {
        for await (const { timeMs } of market) times.push(timeMs);
      };
      await expect(reading()).rejects.toThrow("half.csv line 4: expected 6 cells, found 1");
      expect(times).toEqual([DAY_MS + 1, DAY_MS + 2]);
    }
  });

  it.each([
    ["with a header", [BARS, "1577836800000,10,12,9,11,4,1577836859999,0,0"]],
    ["without a header", ["1577836800000,10,12,9,11,4,1577836859999"]],
    ["in microseconds", [BARS, "1735689600000000,10,12,9,11,4,1735689659999999,0,0"]],
  ])("bars %s, the low first", async (_, lines) => {
    const rows = await read(lines, { symbol: "BTC/USD", spreadBps: "0" });
    const startMs = rows[0]?.timeMs ?? 0;
    const quotes = rows.flatMap((row) => (row.kind === "quote" ? [[row.timeMs - startMs, row.bid]] : []));
    expect(quotes).toEqual([
      ...[
        [0, "10"],
        [15_000, "9"],
        [30_000, "12"],
        [59_999, "11"],
      ],
    ]);
    const traded = rows.flatMap((row) => (row.kind === "trade" ? [row.quantity] : []));
    expect(traded).toEqual(["1", "1", "1", "1"]);
  });
});

describe("csvMarket refuses", () => {
  it.each([
    [["a,b,c"], "day.csv line 1: the header must have the columns of a known format"],
    [[], "day.csv: the file must have at least one row"],
    [[QUOTES], "day.csv line 1: the file must have at least one row"],
    [[QUOTES, "1,BTC/USD,7"], "day.csv line 2: expected 6 cells, found 3"],
    [[QUOTES, "1577836800000,BTC/USD,x3,1,2,1"], 'day.csv line 2: bid must be a decimal, not "x3"'],
    [[QUOTES, "1.5,BTC/USD,1,1,2,1"], "day.csv line 2: a time must be seconds, milliseconds"],
    [
      [QUOTES, ...[5, 4, 6].map((n) => `${DAY_MS + n},BTC/USD,1,1,2,1`)],
      "day.csv line 3: the time must not be before the time of the previous row",
    ],
    [[BARS, "1577836800000,10,12,9,13,4,1577836859999,0,0"], "day.csv line 2: high must be the highest"],
  ])("hostile input: %j", async (lines, message) => {
    const refused = read(lines, { symbol: "BTC/USD" });
    await expect(refused).rejects.toThrow(MarketDataError);
    await expect(refused).rejects.toThrow(message);
  });

  it("hostile input: a line without an end does not fill the memory", async () => {
    await expect(read([`${QUOTES}${"0".repeat(1_200_000)}`])).rejects.toThrow("at most 1000000 characters");
  });

  it("a file that is missing or not compressed", async () => {
    const rows = csvMarket(join(folder, "none.csv"))[Symbol.asyncIterator]();
    await expect(rows.next()).rejects.toThrow("none.csv cannot be read (ENOENT)");
    await writeFile(join(folder, "plain.csv.gz"), "plain");
    const plain = csvMarket(join(folder, "plain.csv.gz"))[Symbol.asyncIterator]();
    await expect(plain.next()).rejects.toThrow("plain.csv.gz cannot be read (Z_DATA_ERROR)");
  });

  it("bars without a symbol, and unknown options", async () => {
    await expect(read([BARS, "1577836800000,10,12,9,11,4,1577836859999,0,0"])).rejects.toThrow(
      "pass the option symbol",
    );
    expect(() => csvMarket("x.csv", { spread: "1" } as never)).toThrow(
      "unknown option `spread` of csvMarket; did you mean `spreadBps`?",
    );
    expect(() => csvMarket("x.csv", { path: "up" } as never)).toThrow('"low-first", "high-first"');
  });
});
