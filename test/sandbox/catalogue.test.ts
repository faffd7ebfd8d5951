import { expect, it } from "vitest";
import { createCatalogue, demoBalances } from "../../src/sandbox/index.ts";

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

it("decision 44: aliases resolve, find needs the exact symbol", () => {
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
