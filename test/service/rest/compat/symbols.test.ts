import { expect, it } from "vitest";
import { createManualClock } from "../../../../src/adapters/memory/index.ts";
import type { Instrument } from "../../../../src/model/index.ts";
import { ClientSymbols, compatSymbol } from "../../../../src/service/rest/compat/names.ts";
import { createListing } from "../../../support/listing.ts";
import { INSTRUMENTS } from "../../../support/world.ts";

/** Instruments that have no joined name among their aliases. */
const BARE: readonly Instrument[] = INSTRUMENTS.map((instrument) => ({ ...instrument, aliases: [] }));

it("names of no instrument read the whole catalogue once a second, and joined names follow it", async () => {
  const clock = createManualClock({ startMs: 0 });
  const { catalogue, list } = createListing(BARE.slice(1));
  let reads = 0;
  const all = (): readonly Instrument[] => {
    reads++;
    return catalogue.all();
  };
  const symbols = new ClientSymbols({ ...catalogue, all }, clock);
  const requested = ["BTCUSD", "ETHUSD", "NOUSD", "ETH/USD", "STETHUSD"];
  const canonical = (): readonly string[] => requested.map((name) => symbols.canonical(name));
  expect(canonical()).toEqual(["BTCUSD", "ETH/USD", "NOUSD", "ETH/USD", "STETH/USD"]);
  list(BARE.slice(0, 1));
  expect(canonical()).toEqual(["BTCUSD", "ETHUSD", "NOUSD", "ETH/USD", "STETHUSD"]);
  expect(reads).toBe(1);
  await clock.advanceBy(1_000);
  expect(canonical()).toEqual(["BTC/USD", "ETHUSD", "NOUSD", "ETH/USD", "STETHUSD"]);
  expect(reads).toBe(2);
});

it("a catalogue that fails is read once a second, and its last joined names stay", async () => {
  const clock = createManualClock({ startMs: 0 });
  const { catalogue } = createListing(BARE);
  let reads = 0;
  let isFailing = true;
  const all = (): readonly Instrument[] => {
    reads++;
    if (isFailing) throw new RangeError("no catalogue now");
    return catalogue.all();
  };
  const symbols = new ClientSymbols({ ...catalogue, all }, clock);
  const refused = (name: string): void => expect(() => symbols.canonical(name)).toThrow("no catalogue now");
  for (const name of ["BTCUSD", "ETHUSD", "NOUSD"]) refused(name);
  expect(reads).toBe(1);
  isFailing = false;
  await clock.advanceBy(1_000);
  expect(symbols.canonical("BTCUSD")).toBe("BTC/USD");
  isFailing = true;
  await clock.advanceBy(1_000);
  expect(symbols.canonical("BTCUSD")).toBe("BTC/USD");
  refused("NOUSD");
  expect(reads).toBe(3);
});

it("of instruments with one joined name, only the one that it names is called so", () => {
  const bridged = BARE.map((instrument) => ({ ...instrument, symbol: `${instrument.symbol}-2` }));
  const { catalogue: instruments } = createListing([...BARE, ...bridged]);
  const clientSymbols = new ClientSymbols(instruments, createManualClock({ startMs: 0 }));
  for (const instrument of instruments.all()) {
    const name = compatSymbol({ instruments, clientSymbols }, instrument);
    expect(clientSymbols.canonical(name)).toBe(instrument.symbol);
  }
});
