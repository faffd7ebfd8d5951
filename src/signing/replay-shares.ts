/** What one key has used: the generation that is open, and the one before; the longest unused first. */
type Share = { newer: Map<string, string>; older: Map<string, string> };

const sizeOf = ({ newer, older }: Share): number => newer.size + older.size;

/**
 * What signatures were used for, by key, `most` in all. When there is no room the key that holds the most forgets what it
 * has not used for the longest time: who holds no more than `most` divided by the number of keys loses nothing to others.
 * Source: decision 41; GA.
 */
export class ReplayShares {
  readonly #most: number;
  readonly #shares: Map<string, Share> = new Map();
  /** The keys by how much they hold. */
  readonly #bySize: Map<number, Set<string>> = new Map();
  #largest = 0;
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** What a signature was first used for; undefined when nobody knows. */
  useOf(apiKey: string, digest: string): string | undefined {
    const share = this.#shares.get(apiKey);
    return share?.newer.get(digest) ?? share?.older.get(digest);
  }

  /** Writes down a use, or that it came again. */
  keep(apiKey: string, digest: string, use: string): void {
    const share = this.#shares.get(apiKey) ?? { newer: new Map(), older: new Map() };
    this.#shares.set(apiKey, share);
    const before = sizeOf(share);
    share.older.delete(digest);
    share.newer.delete(digest);
    share.newer.set(digest, use);
    this.#moved(apiKey, before, sizeOf(share));
    while (this.#total > this.#most) this.#forgetOne();
  }

  /** Closes the open generation of every key and forgets the one before. */
  close(): void {
    this.#bySize.clear();
    [this.#largest, this.#total] = [0, 0];
    for (const [apiKey, share] of this.#shares) {
      [share.older, share.newer] = [share.newer, new Map()];
      if (share.older.size === 0) this.#shares.delete(apiKey);
      else this.#moved(apiKey, 0, share.older.size);
    }
  }

  #forgetOne(): void {
    const [apiKey = ""] = this.#bySize.get(this.#largest) ?? [];
    const share = this.#shares.get(apiKey);
    if (share === undefined) return;
    const before = sizeOf(share);
    const generation = share.older.size > 0 ? share.older : share.newer;
    const [oldest = ""] = generation.keys();
    generation.delete(oldest);
    if (before === 1) this.#shares.delete(apiKey);
    this.#moved(apiKey, before, before - 1);
  }

  #moved(apiKey: string, before: number, after: number): void {
    this.#total += after - before;
    this.#bySize.get(before)?.delete(apiKey);
    if (this.#bySize.get(before)?.size === 0) this.#bySize.delete(before);
    if (after > 0) this.#bySize.set(after, (this.#bySize.get(after) ?? new Set()).add(apiKey));
    this.#largest = Math.max(this.#largest, after);
    while (this.#largest > 0 && !this.#bySize.has(this.#largest)) this.#largest--;
  }
}
