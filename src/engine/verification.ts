import { OrderError } from "../errors/index.ts";
import type { ParentOrder } from "../model/index.ts";
import { encodeParent } from "../wire/index.ts";
import type { Verification } from "./api.ts";
import type { Core } from "./core.ts";
import { replayShard } from "./replay.ts";
import type { Shard } from "./shard.ts";
import { timely, type WholeReads } from "./stored.ts";

const MASK = (1n << 64n) - 1n;
/** Ended parents of one read: with the weights of a schedule each may be large. */
const PAGE = 128;

/** A set of parents as one number, whatever their order: the sum of the hashes of their encodings. */
class StateHash {
  #sum = 0n;
  #count = 0;

  add(order: ParentOrder): void {
    this.#sum = (this.#sum + hashOf(encodeParent(order))) & MASK;
    this.#count++;
  }

  merge(other: StateHash): void {
    this.#sum = (this.#sum + other.#sum) & MASK;
    this.#count += other.#count;
  }

  toString(): string {
    return `${this.#count}:${this.#sum.toString(16).padStart(16, "0")}`;
  }
}

/** Two 32-bit multiplicative hashes over the text, as one 64-bit number. */
function hashOf(text: string): bigint {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13);
  }
  return (BigInt(a >>> 0) << 32n) | BigInt(b >>> 0);
}

/** Where the live state of a shard stood when it was hashed. */
type Capture = Readonly<{ shard: number; sequence: number; hash: StateHash }>;

/**
 * Compares the state in memory and store with the one that the journal alone makes, from its first record (I53).
 * Parents that ended before `cutoffMs` may have been deleted by retention and are left out on both sides.
 * Reads everything that the store keeps on the way: rejects with the store's error when a part of it is damaged, and
 * with SHARD_FENCED when a shard has another owner.
 */
export async function verify(core: Core, shards: readonly Shard[], cutoffMs: number): Promise<Verification> {
  const live = new StateHash();
  const replayed = new StateHash();
  let records = 0;
  const store = timely(core);
  await readMarket(store);
  // In one step with the captures: a shard that is fenced has forgotten what it held.
  const fenced = shards.find(({ state }) => state === "fenced");
  if (fenced !== undefined) throw new OrderError("SHARD_FENCED", { shard: fenced.number });
  for (const capture of shards.map(captureOpen)) {
    if (capture.sequence === 0) continue;
    records += capture.sequence;
    await store.readSnapshot(capture.shard);
    const changed = await addEnded(store, capture, cutoffMs);
    live.merge(capture.hash);
    const state = await replayShard(store, {
      shard: capture.shard,
      until: capture.sequence,
      turns: core.turns,
      fromEmpty: true,
    });
    for (const order of state.parents.values()) {
      const wasChanged = order.ended !== undefined && changed.has(order.orderId);
      if (!wasChanged && isKept(order, cutoffMs)) replayed.add(order);
    }
  }
  const [a, b] = [live.toString(), replayed.toString()];
  return { live: a, replayed: b, records, equal: a === b };
}

/** What no record makes is only read: a store with checksums rejects what is not as it was written. */
async function readMarket(store: WholeReads): Promise<void> {
  await store.readMarks();
  await store.readQuotes();
  await store.readVolume();
}

function captureOpen(shard: Shard): Capture {
  const hash = new StateHash();
  for (const { durable } of shard.slots.values()) {
    if (durable !== undefined && durable.ended === undefined) hash.add(durable);
  }
  return { shard: shard.number, sequence: shard.durableSequence, hash };
}

/** Adds the ended parents of the capture; resolves to those that a record after it has changed. */
async function addEnded(store: WholeReads, capture: Capture, cutoffMs: number): Promise<ReadonlySet<number>> {
  const changed = new Set<number>();
  let afterOrderId = 0;
  for (;;) {
    const page = await store.readEnded({ shard: capture.shard, afterOrderId, limit: PAGE });
    for (const order of page) {
      if (order.record > capture.sequence) changed.add(order.orderId);
      else if (isKept(order, cutoffMs)) capture.hash.add(order);
    }
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return changed;
    afterOrderId = last.orderId;
  }
}

const isKept = (order: ParentOrder, cutoffMs: number): boolean =>
  order.ended === undefined || order.ended.atMs >= cutoffMs;
