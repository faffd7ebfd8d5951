import { managedIdOf, SHARD_COUNT } from "../../../src/lifecycle/index.ts";
import type { Instrument } from "../../../src/model/index.ts";
import { accountIn } from "../bench-engine.ts";

/** How much a store of the scale bench holds, and where it is. */
export type Plan = Readonly<{
  folder: string;
  instruments: number;
  /** Parents that rest; those of the first instrument are stops that one quote fires. */
  open: number;
  fires: number;
  ended: number;
}>;

/** `open` parents that rest, a tenth of which fires; ten times as many have ended unless that is said. */
export function planOf(folder: string, open: number, ended: number = 10 * open): Plan {
  const instruments = Math.min(1_000, Math.max(2, Math.floor(open / 100)));
  return { folder, instruments, open, fires: Math.ceil(open / 10), ended };
}

/**
 * The account with the most of everything, alone in its shard's rows: half of what ended, a tenth of what rests. Of the
 * others each has as much as the next.
 */
export const LARGEST: number = accountIn(0);

/** The shard of the n-th parent of a kind; of every `inLargest` one is of the first shard. */
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

/** The oldest id of the largest account, which everything else lies above. */
export const FIRST_ID: number = managedIdOf({ count: 1, shard: 0 });
