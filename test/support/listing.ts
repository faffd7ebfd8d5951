import { createMemoryInstruments } from "../../src/adapters/memory/index.ts";
import type { Instrument } from "../../src/model/index.ts";
import type { Instruments } from "../../src/ports/index.ts";

/** A catalogue whose instruments a test changes. */
export type Listing = Readonly<{
  catalogue: Instruments;
  list: (instruments: readonly Instrument[]) => void;
}>;

export function createListing(first: readonly Instrument[]): Listing {
  let now = createMemoryInstruments(first);
  return {
    catalogue: {
      all: () => now.all(),
      find: (symbol) => now.find(symbol),
      resolve: (name) => now.resolve(name),
    },
    list(instruments) {
      now = createMemoryInstruments(instruments);
    },
  };
}
