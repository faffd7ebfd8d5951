import { hashOf } from "./text-hash.ts";

/** A line is 256 bits, one of which is set for an id in each of its words; full, it holds 16 ids. */
const WORDS_PER_LINE = 8;
const IDS_PER_LINE = 16;

/** Odd numbers that take another five bits out of a hash for each word of a line. */
const SALTS: Int32Array = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);

/** Binary logarithms of the lines of the first block (32 KiB) and of the largest (8 MiB). */
const FEWEST_LINES = 10;
const MOST_LINES = 18;

type Block = Readonly<{ words: Int32Array; log2Lines: number }>;

/**
 * Which client ids may name an order, of all accounts, in 2 bytes each: a new one need not be looked for in the store
 * (decision IG). It is a Bloom filter of split blocks, as Parquet files have them: what was added is found for certain;
 * of 10 million ids in 28 MB, 1 % of others are found too, and are asked for. It grows by blocks, which are never
 * moved. Ids of its kind can be chosen to be found, which costs their sender the look-up that everybody had before.
 *
 * `lacks` must never be true of an id that names an order which is kept. Such an order was accepted by this engine, or
 * stood in the store when this engine took it over. The first are added when they are decided, before they can be
 * durable, and stay whatever becomes of the append. Of the others, those that had not ended are added when their shard is
 * read, before it runs; those that had are in the pages of `pageEndedNames`, all of which are added before `complete`.
 * Nothing else adds orders: an earlier owner is fenced by then, and once a later owner is there this engine keeps
 * nothing that it accepts. Nothing is ever taken out, so what ends, is read again, or is deleted changes nothing.
 */
export class ClientIdFilter {
  readonly #blocks: Block[] = [];
  /** Ids that the last block takes in before there is another. */
  #room = 0;
  #isComplete = false;

  /** Every id that ended before this engine came is in it: from now on it says what is not there. */
  complete(): void {
    this.#isComplete = true;
  }

  /** True only when the id certainly names no order. */
  lacks(accountId: number, clientOrderId: string): boolean {
    return this.#isComplete && !this.#holds(hashOfName(accountId, clientOrderId));
  }

  add(accountId: number, clientOrderId: string): void {
    const hash = hashOfName(accountId, clientOrderId);
    if (this.#holds(hash)) return;
    if (this.#room === 0) this.#grow();
    this.#room--;
    const block = this.#blocks[this.#blocks.length - 1];
    if (block !== undefined) put(block, hash);
  }

  #grow(): void {
    const log2Lines = Math.min(FEWEST_LINES + 2 * this.#blocks.length, MOST_LINES);
    const lines = 2 ** log2Lines;
    this.#blocks.push({ words: new Int32Array(lines * WORDS_PER_LINE), log2Lines });
    this.#room = lines * IDS_PER_LINE;
  }

  #holds(hash: number): boolean {
    for (let number = this.#blocks.length - 1; number >= 0; number--) {
      const block = this.#blocks[number];
      if (block !== undefined && has(block, hash)) return true;
    }
    return false;
  }
}

/** The account is the seed: one client id of two accounts is two names. */
function hashOfName(accountId: number, clientOrderId: string): number {
  const high = Math.trunc(accountId / 2 ** 32);
  return hashOf(clientOrderId, Math.imul(accountId, 0x9e3779b1) ^ Math.imul(high, 0xc2b2ae35));
}

const lineOf = ({ log2Lines }: Block, hash: number): number => (hash >>> (32 - log2Lines)) * WORDS_PER_LINE;
const bitOf = (hash: number, word: number): number => 1 << (Math.imul(hash, SALTS[word] ?? 1) >>> 27);

function put(block: Block, hash: number): void {
  const line = lineOf(block, hash);
  for (let word = 0; word < WORDS_PER_LINE; word++) {
    const at = line + word;
    block.words[at] = (block.words[at] ?? 0) | bitOf(hash, word);
  }
}

function has(block: Block, hash: number): boolean {
  const line = lineOf(block, hash);
  for (let word = 0; word < WORDS_PER_LINE; word++) {
    if (((block.words[line + word] ?? 0) & bitOf(hash, word)) === 0) return false;
  }
  return true;
}
