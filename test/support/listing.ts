import { createMemoryInstruments } from "../../src/adapters/memory/index.ts";
import type { Instrument } from "../../src/model/index.ts";
import type { Instruments } from "../../src/ports/index.ts";

/** A catalogue whose instruments a test changes, and which cannot tell them while it fails. */
export type Listing = Readonly<{
  catalogue: Instruments;
  list: (instruments: readonly Instrument[]) => void;
  fail: (fails: boolean) => void;
}>;

export function createListing(first: readonly Instrument[]): Listing {
  let now = createMemoryInstruments(first);
  let isAway = false;
  return {
    catalogue: {
      all: () => now.all(),
      find(symbol) {
        if (isAway) throw new Error("the catalogue is away");
        return now.find(symbol);
      },
      resolve: (name) => now.resolve(name),
    },
    list(instruments) {
      now = createMemoryInstruments(instruments);
    },
    fail(fails) {
      isAway = fails;
    },
  };
}
