import { partitionPoint } from "../../common/index.ts";
import { add, type Quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { CountedPrint, PricedPrint } from "../../model/index.ts";
import type { PlacedPrint, PrintPlace, PrintRange, VolumeCutoff, VolumeState } from "../../ports/index.ts";
import { createKeptPriceBars } from "./price-bars.ts";

const MINUTE_MS = 60_000;

/** Number of ids that one step scans, which takes about a millisecond. */
const IDS_PER_STEP = 8_192;

/** Stored executed volume: totals of fresh prints, bars of volume and of prices, and the ids of counted prints. */
export type KeptVolume = Readonly<{
  /** Counts each print whose symbol and id are not stored yet. With an owner, keeps it for {@link after}. */
  put(prints: readonly PricedPrint[], owner?: number): void;
  /** Returns the kept prints after a place. */
  after(range: PrintRange): readonly PlacedPrint[];
  /**
   * Returns totals by symbol, bars by symbol and minute, price bars by symbol, length and start, and ids in the order in
   * which they were first seen.
   */
  read(): VolumeState;
  /** Drops, in short steps, old bars and ids. Totals stay. */
  deleteBefore(cutoff: VolumeCutoff): Generator<void, void>;
}>;

/** Stored volume of one symbol. Without a fresh print it has no total. */
type SymbolVolume = {
  total: Quantity | undefined;
  readonly bars: Map<number, Quantity>;
  readonly seen: Map<string, number>;
};

/** Creates an empty volume. */
export function createKeptVolume(): KeptVolume {
  const symbols = new Map<string, SymbolVolume>();
  const priceBars = createKeptPriceBars();
  const placed = createPlacedPrints();
  const of = (symbol: string): SymbolVolume => {
    const kept = symbols.get(symbol) ?? { total: undefined, bars: new Map(), seen: new Map() };
    symbols.set(symbol, kept);
    return kept;
  };
  return {
    put(prints, owner) {
      const added = prints.filter((print) => count(of(print.symbol), print));
      priceBars.put(added);
      if (owner !== undefined) placed.put(added, owner);
    },
    after: placed.after,
    read: () => ({
      ...read([...symbols].sort(([a], [b]) => compare(a, b))),
      priceBars: priceBars.read(),
      ...(placed.last !== undefined && { upTo: placed.last }),
    }),
    *deleteBefore({ beforeMs, priceBars: cutoffs }) {
      placed.deleteBefore(beforeMs);
      yield* priceBars.deleteBefore(cutoffs);
      let looked = 0;
      for (const { bars, seen } of symbols.values()) {
        for (const minuteMs of bars.keys()) if (minuteMs < beforeMs) bars.delete(minuteMs);
        for (const [id, seenAtMs] of seen) {
          if (seenAtMs < beforeMs) seen.delete(id);
          if (++looked % IDS_PER_STEP === 0) yield;
        }
      }
    },
  };
}

/** Prints with their places, in the order in which they were stored. */
type PlacedPrints = Readonly<{
  put(prints: readonly PricedPrint[], owner: number): void;
  after(range: PrintRange): readonly PlacedPrint[];
  /** Drops the first prints, up to one that was first seen at or after a time. */
  deleteBefore(beforeMs: number): void;
  /** The place of the last print, also if it was dropped. */
  readonly last: PrintPlace | undefined;
}>;

function createPlacedPrints(): PlacedPrints {
  const prints: PlacedPrint[] = [];
  let last: PrintPlace | undefined;
  const indexAfter = (after: PrintPlace): number =>
    partitionPoint(prints, ({ place }) => comparePlaces(place, after) <= 0);
  return {
    put(added, owner) {
      for (const print of added) {
        last = { owner, position: (last?.position ?? 0) + 1 };
        prints.push({ place: last, print: { ...print } });
      }
    },
    after({ after, limit }) {
      const from = after === undefined ? 0 : indexAfter(after);
      return prints.slice(from, from + limit);
    },
    deleteBefore(beforeMs) {
      const first = prints.findIndex(({ print }) => print.seenAtMs >= beforeMs);
      prints.splice(0, first === -1 ? prints.length : first);
    },
    get last() {
      return last;
    },
  };
}

const comparePlaces = (a: PrintPlace, b: PrintPlace): number => a.owner - b.owner || a.position - b.position;

/** Returns whether the print was not counted before. */
function count(kept: SymbolVolume, { id, quantity, timeMs, seenAtMs, fresh }: CountedPrint): boolean {
  if (kept.seen.has(id)) return false;
  kept.seen.set(id, seenAtMs);
  const minuteMs = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
  kept.bars.set(minuteMs, add(kept.bars.get(minuteMs) ?? ZERO_QUANTITY, quantity));
  if (fresh) kept.total = add(kept.total ?? ZERO_QUANTITY, quantity);
  return true;
}

function read(symbols: readonly (readonly [string, SymbolVolume])[]): VolumeState {
  const totals = symbols.flatMap(([symbol, { total }]) => (total === undefined ? [] : [{ symbol, total }]));
  const bars = symbols.flatMap(([symbol, kept]) =>
    [...kept.bars].sort(([a], [b]) => a - b).map(([minuteMs, quantity]) => ({ symbol, minuteMs, quantity })),
  );
  const prints = symbols
    .flatMap(([symbol, { seen }]) => [...seen].map(([id, seenAtMs]) => ({ symbol, id, seenAtMs })))
    .sort((a, b) => a.seenAtMs - b.seenAtMs || compare(a.symbol, b.symbol) || compare(a.id, b.id));
  return { totals, bars, prints };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
