/** Who sent a request: its address, and its connection if later requests on it can be told. */
export interface SignatureSender {
  readonly address: string;
  readonly connection?: string | undefined;
}

/** Who made the first use of a signature and when, and the use that has followed it once. */
export type FirstUse = { sender: SignatureSender; atMs: number; follower?: string };

/** Uses of one key: the open generation and the previous one, least recently used first, and its newest first uses. */
type Share = { newer: Map<string, string>; older: Map<string, string>; firsts: Map<string, FirstUse> };

/** First uses kept per key: those of a second at the rate of one connection. */
const MOST_FIRSTS = 1000;

const sizeOf = ({ newer, older }: Share): number => newer.size + older.size;

/**
 * First uses of signatures by key, `most` in total. When there is no room, the key that holds the most drops its least
 * recently used entry. A key that holds no more than `most` divided by the number of keys never loses an entry to
 * others. Source: decision 41; GA.
 */
export class ReplayShares {
  readonly #most: number;
  readonly #shares: Map<string, Share> = new Map();
  /** The keys by number of entries. */
  readonly #bySize: Map<number, Set<string>> = new Map();
  #largest = 0;
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the first use of a signature, or undefined if it is unknown. */
  useOf(apiKey: string, digest: string): string | undefined {
    const share = this.#shares.get(apiKey);
    return share?.newer.get(digest) ?? share?.older.get(digest);
  }

  /** Records a use, or marks it as used again. */
  retain(apiKey: string, digest: string, use: string): void {
    const share = this.#shares.get(apiKey) ?? { newer: new Map(), older: new Map(), firsts: new Map() };
    this.#shares.set(apiKey, share);
    const before = sizeOf(share);
    share.older.delete(digest);
    share.newer.delete(digest);
    share.newer.set(digest, use);
    this.#moved(apiKey, before, sizeOf(share));
    while (this.#total > this.#most) this.#evictOne();
  }

  /** Returns who made the first use of a signature, as long as it is kept. */
  firstOf(apiKey: string, digest: string): FirstUse | undefined {
    return this.#shares.get(apiKey)?.firsts.get(digest);
  }

  /** Records who made the first use of a signature. A key with many loses its oldest. */
  retainFirst(apiKey: string, digest: string, first: FirstUse): void {
    const firsts = this.#shares.get(apiKey)?.firsts;
    firsts?.delete(digest);
    firsts?.set(digest, first);
    if (firsts === undefined || firsts.size <= MOST_FIRSTS) return;
    for (const oldest of firsts.keys()) return void firsts.delete(oldest);
  }

  /** Closes the open generation of every key and drops the previous one. */
  close(): void {
    this.#bySize.clear();
    [this.#largest, this.#total] = [0, 0];
    for (const [apiKey, share] of this.#shares) {
      [share.older, share.newer] = [share.newer, new Map()];
      if (share.older.size === 0) this.#shares.delete(apiKey);
      else this.#moved(apiKey, 0, share.older.size);
    }
  }

  #evictOne(): void {
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
