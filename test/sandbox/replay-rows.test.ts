import { describe, expect, it } from "vitest";
import { createCatalogue } from "../../src/sandbox/catalogue.ts";
import { SettingsError } from "../../src/sandbox/input.ts";
import { type ReplayRow, readReplay } from "../../src/sandbox/replay-market.ts";
import { csvFile } from "./csv-file.ts";
import { DAY_MS, GAPS, MINUTES, QUOTE_HEADER, recordedDay, TRADE_HEADER } from "./recorded-day.ts";

const instruments = createCatalogue();

const read = async (
  quotes: readonly string[],
  trades?: readonly string[],
  end?: string,
): Promise<readonly ReplayRow[]> =>
  await readReplay({
    quotesPath: await csvFile("quotes.csv", quotes, end),
    ...(trades === undefined ? {} : { tradesPath: await csvFile("trades.csv", trades, end) }),
    instruments,
  });

const SAMPLE = [
  QUOTE_HEADER,
  "1000,BTC/USD,7400.5,1.25,7400.51,33.353996",
  "2000,BTC/USD,7401,,7401.01,",
  "2000,ETH/USD,416,0.5,416.01,4",
  "3000,BTC/USD,7402.02,2,7401,2",
  "4000,BTC/USD,0,2,7401.00000000,2",
];

describe("reading recorded rows", () => {
  it("keeps the texts; an empty size is left out; crossed and zero quotes are left to the quote gate", async () => {
    expect(await read(SAMPLE)).toEqual([
      {
        kind: "quote",
        timeMs: 1_000,
        line: 2,
        quote: {
          symbol: "BTC/USD",
          bid: "7400.5",
          bidQuantity: "1.25",
          ask: "7400.51",
          askQuantity: "33.353996",
        },
      },
      { kind: "quote", timeMs: 2_000, line: 3, quote: { symbol: "BTC/USD", bid: "7401", ask: "7401.01" } },
      {
        kind: "quote",
        timeMs: 2_000,
        line: 4,
        quote: { symbol: "ETH/USD", bid: "416", bidQuantity: "0.5", ask: "416.01", askQuantity: "4" },
      },
      {
        kind: "quote",
        timeMs: 3_000,
        line: 5,
        quote: { symbol: "BTC/USD", bid: "7402.02", bidQuantity: "2", ask: "7401", askQuantity: "2" },
      },
      {
        kind: "quote",
        timeMs: 4_000,
        line: 6,
        quote: { symbol: "BTC/USD", bid: "0", bidQuantity: "2", ask: "7401.00000000", askQuantity: "2" },
      },
    ]);
  });

  it("merges trades in time order, a quote before a trade of the same time", async () => {
    const trades = [
      TRADE_HEADER,
      "500,BTC/USD,7400,1",
      "2000,BTC/USD,7401,0.000001",
      "2500,BTC/USD,7401,2",
      "9000,ETH/USD,1,1",
    ];
    const order = (await read(SAMPLE, trades)).map((row) => `${row.kind} ${row.timeMs}`);
    expect(order).toEqual([
      "trade 500",
      "quote 1000",
      "quote 2000",
      "quote 2000",
      "trade 2000",
      "trade 2500",
      "quote 3000",
      "quote 4000",
      "trade 9000",
    ]);
  });

  it("reads lines that end in CR LF", async () => {
    expect(await read(SAMPLE, undefined, "\r\n")).toEqual(await read(SAMPLE));
  });

  it("reads a file of a spreadsheet, which begins with a byte order mark and has CRLF", async () => {
    const rows = await read([`\u{feff}${QUOTE_HEADER}\r`, "1000,BTC/USD,7400.5,1.25,7400.51,3\r"]);
    expect(rows).toMatchObject([{ kind: "quote", timeMs: 1_000 }]);
  });

  it("reads a whole day with its gaps", async () => {
    const day = recordedDay();
    const rows = await read([QUOTE_HEADER, ...day.quotes], [TRADE_HEADER, ...day.trades]);
    expect(rows).toHaveLength(2 * (MINUTES - GAPS.size));
    expect([rows[0]?.timeMs, rows[0]?.kind, rows[1]?.kind]).toEqual([DAY_MS, "quote", "trade"]);
    expect(rows.every((row, index) => row.timeMs >= (rows[index - 1]?.timeMs ?? 0))).toBe(true);
  });
});

describe("an invalid file", () => {
  const row = "1000,BTC/USD,7400.5,1.25,7400.51,3";
  it.each([
    [["time,symbol,bid"], "line 1: the header must be time,symbol,bid,bidQuantity,ask,askQuantity"],
    [[`\u{feff}\u{feff}${QUOTE_HEADER}`], "line 1: the header"],
    [[QUOTE_HEADER], "line 1: the file must have at least one row"],
    [[], "line 0: the file must have at least one row"],
    [[QUOTE_HEADER, row, ""], "line 3: expected 6 cells, found 1"],
    [[QUOTE_HEADER, `${row},9`], "line 2: expected 6 cells, found 7"],
    [[QUOTE_HEADER, row.replace("1000", "1e3")], 'line 2: time must be in epoch milliseconds, not "1e3"'],
    [[QUOTE_HEADER, row.replace("1000", "-1")], "line 2: time"],
    [[QUOTE_HEADER, row.replace("1000", "253402300799001")], "line 2: time"],
    [
      [QUOTE_HEADER, row, row.replace("1000", "999")],
      "line 3: the time must not be before the time of the previous row",
    ],
    [[QUOTE_HEADER, row.replace("BTC/USD", "BTCUSD")], 'line 2: unknown symbol "BTCUSD"'],
    [[QUOTE_HEADER, row.replace("7400.5,", ",")], "line 2: bid, ask and quantities must be decimals"],
    [[QUOTE_HEADER, row.replace("7400.51", "+7")], "line 2: bid, ask and quantities must be decimals"],
    [[QUOTE_HEADER, row.replace("1.25", "NaN")], "line 2: bid, ask and quantities must be decimals"],
  ])("%j", async (lines, message) => {
    await expect(read(lines)).rejects.toThrow(SettingsError);
    await expect(read(lines)).rejects.toThrow(`MARKET: quotes.csv ${message}`);
  });

  it.each([
    ["1000,BTC/USD,0,1", 'price must be a positive decimal, not "0"'],
    ["1000,BTC/USD,1,0", 'quantity must be a positive decimal, not "0"'],
    ["1000,BTC/USD,1,0.0000001", "quantity"],
    ["1000,XRP/USD,1,1", 'unknown symbol "XRP/USD"'],
  ])("trade %s", async (line, message) => {
    await expect(read(SAMPLE, [TRADE_HEADER, line])).rejects.toThrow(`MARKET: trades.csv line 2: ${message}`);
  });

  it("a missing file", async () => {
    const files = { quotesPath: "no/such/quotes.csv", instruments };
    await expect(readReplay(files)).rejects.toThrow("MARKET: quotes.csv cannot be read (ENOENT)");
  });
});
