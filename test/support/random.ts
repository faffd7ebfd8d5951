/** A small seeded generator (mulberry32), so that a failing run can be made again from its seed. */
export type Random = Readonly<{
  seed: number;
  /** 0 inclusive to 1 exclusive. */
  next: () => number;
  /** A whole number from 0 to `below` - 1. */
  below: (below: number) => number;
  pick: <T>(items: readonly T[]) => T;
}>;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { seed, next, below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}
