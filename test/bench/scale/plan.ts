import { managedIdOf } from "../../../src/lifecycle/index.ts";
import { type Instrument, SHARD_COUNT } from "../../../src/model/index.ts";
import { accountIn } from "../bench-engine.ts";

/** The size and the place of a store of the scale benchmark. */
export type Plan = Readonly<{
  folder: string;
  instruments: number;
  /** Resting parents; those of the first instrument are stops that one quote triggers. */
  open: number;
  fires: number;
  ended: number;
}>;

/** Plans `open` resting parents, a tenth of which trigger; by default ten times as many have ended. */
export function planOf(folder: string, open: number, ended: number = 10 * open): Plan {
  const instruments = Math.min(1_000, Math.max(2, Math.floor(open / 100)));
  return { folder, instruments, open, fires: Math.ceil(open / 10), ended };
}

/**
 * The account with the most orders, alone in the rows of its shard: half of the ended parents, a tenth of the resting
 * ones. All other accounts have equal numbers.
 */
export const LARGEST: number = accountIn(0);

/** Returns the shard of the n-th parent of a kind; one of every `inLargest` belongs to the first shard. */
export function shardOfParent(n: number, inLargest: number): number {
  return n % inLargest === 0 ? 0 : 1 + ((n - Math.ceil(n / inLargest)) % (SHARD_COUNT - 1));
}

export const symbolOf = (instrument: number): string => `COIN${instrument}/USD`;

export function instrumentsOf({ instruments }: Plan): readonly Instrument[] {
  return Array.from({ length: instruments }, (_, n) => ({
    id: n + 1,
    symbol: symbolOf(n),
    aliases: [],
    baseAsset: `COIN${n}`,
    quoteAsset: "USD",
    name: `Coin ${n}`,
    kind: "liquidity",
    status: "TRADING",
  }));
}

/** The oldest id of the largest account; all other ids are above it. */
export const FIRST_ID: number = managedIdOf({ count: 1, shard: 0 });
