import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createCatalogue, demoBalances, readListings } from "../../src/sandbox/catalogue.ts";
import { SettingsError } from "../../src/sandbox/input.ts";
import { readSettings } from "../../src/sandbox/settings.ts";

it("the catalogue lists three liquidity markets and a staking instrument that the rules must exclude", () => {
  const kinds = createCatalogue()
    .all()
    .map(({ symbol, kind }) => [symbol, kind]);
  expect(kinds).toEqual([
    ["BTC/USD", "liquidity"],
    ["ETH/USD", "liquidity"],
    ["SOL/USD", "liquidity"],
    ["STETH/USD", "staking"],
  ]);
});

it("aliases resolve, find needs the exact symbol", () => {
  const catalogue = createCatalogue();
  for (const name of ["ETH/USD", "ETHUSD", "ETH-USD"])
    expect(catalogue.resolve(name)?.symbol).toBe("ETH/USD");
  expect([catalogue.find("ETH/USD")?.id, catalogue.find("ETHUSD"), catalogue.resolve("ethusd")]).toEqual([
    2,
    undefined,
    undefined,
  ]);
});

it("the demo account is funded in USD and every base asset", () => {
  expect(Object.keys(demoBalances(createCatalogue())).sort()).toEqual(["BTC", "ETH", "SOL", "STETH", "USD"]);
});

const HEADER = "symbol,name,price";

it("a catalogue file lists markets, each with its price", () => {
  const listings = readListings(`\uFEFF${HEADER}\r\nBTC/USD,Bitcoin,60000\r\nPEPE/USD,Pepe,0.00001234\r\n`);
  const catalogue = createCatalogue(listings);
  expect(catalogue.all().map(({ symbol, name, kind, status }) => [symbol, name, kind, status])).toEqual([
    ["BTC/USD", "Bitcoin", "liquidity", "TRADING"],
    ["PEPE/USD", "Pepe", "liquidity", "TRADING"],
  ]);
  expect(catalogue.resolve("PEPE-USD")?.baseAsset).toBe("PEPE");
  expect(demoBalances(catalogue)["PEPE"]).toBe("1000");
});

it.each([
  ["symbol,name", "line 1: the header must be symbol,name,price"],
  [HEADER, "the file must have 1 to 500 markets, not 0"],
  [`${HEADER}\nBTC/USD,Bitcoin`, 'line 2: the price must be a decimal above 0, not ""'],
  [`${HEADER}\nBTC/USD,,1`, "line 2: must be three cells, such as BTC/USD,Bitcoin,60000"],
  [`${HEADER}\nBTC/USD,Bit,coin,1`, "line 2: must be three cells, such as BTC/USD,Bitcoin,60000"],
  [`${HEADER}\nBTC/EUR,Bitcoin,1`, 'line 2: the symbol must be such as BTC/USD, not "BTC/EUR"'],
  [`${HEADER}\nA/USD,a,1\nA/USD,a,1`, "line 3: the market A/USD is listed twice, or is no market"],
  [`${HEADER}\nUSD/USD,Dollar,1`, "line 2: the market USD/USD is listed twice, or is no market"],
  [`${HEADER}\nA/USD,a,0`, 'line 2: the price must be a decimal above 0, not "0"'],
])("%j is refused: %s", (text, problem) => {
  expect(() => readListings(text)).toThrow(new SettingsError(problem));
});

it("the setting CATALOGUE names the file, and an error names file and line", () => {
  const folder = mkdtempSync(join(tmpdir(), "managed-orders-catalogue-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "markets.csv");
  const read = (): ReturnType<typeof readSettings> => readSettings({ env: {}, argv: ["--catalogue", path] });
  expect(read).toThrow(new SettingsError("--catalogue: markets.csv cannot be read (ENOENT)"));
  writeFileSync(path, `${HEADER}\nA/USD,a,x`);
  expect(read).toThrow('--catalogue: markets.csv line 2: the price must be a decimal above 0, not "x"');
  writeFileSync(path, `${HEADER}\nA/USD,a,1.5\n`);
  expect(read().catalogue?.map(({ instrument }) => instrument.symbol)).toEqual(["A/USD"]);
});
