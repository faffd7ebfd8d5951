/** A small seeded generator, so that a run can be repeated from its seed. */
export type Random = Readonly<{
  /** Returns a number from 0 inclusive to 1 exclusive. */
  next: () => number;
  /** Returns a whole number from 0 to `below` - 1. */
  below: (below: number) => number;
  chance: (probability: number) => boolean;
  pick: <T>(items: readonly T[]) => T;
  /** Returns a separate generator for a name. The draws of other generators do not change its values. */
  of: (name: string) => Random;
}>;

/** Creates the generator of a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    of: (name) => createRandom(subSeed(seed, name)),
  };
}

/** Returns FNV-1a over the name, initialised with the seed. */
function subSeed(seed: number, name: string): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
