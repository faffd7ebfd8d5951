import type { Slicer } from "../../common/index.ts";
import { copyOf, type ParentOrder } from "../../model/index.ts";
import { encodeParent } from "../../wire/index.ts";
import type { Verification } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import { EngineError } from "../core/engine-error.ts";
import { timely, type WholeReads } from "../core/stored.ts";
import { COSTS } from "../core/turns.ts";
import { type ParentCapture, replayShard } from "../shards/replay.ts";
import type { Shard } from "../shards/shard.ts";

const MASK = (1n << 64n) - 1n;
/** Ended parents per read. Each may be large because of the weights of a schedule. */
const PAGE = 128;

/** Hash of a set of parents, independent of their order: the sum of the hashes of their encodings. */
class StateHash {
  readonly #turns: Slicer;
  #sum = 0n;
  #count = 0;

  constructor(turns: Slicer) {
    this.#turns = turns;
  }

  /** Adds parents in slices. */
  async addAll(orders: Iterable<ParentOrder>): Promise<void> {
    for (const order of orders) {
      this.add(order);
      const turn = this.#turns.spend(COSTS.hash);
      if (turn !== undefined) await turn;
    }
  }

  add(order: ParentOrder): void {
    // The copy has its members in a fixed order. A host's store may return them in another one.
    this.#sum = (this.#sum + hashOf(encodeParent(copyOf(order)))) & MASK;
    this.#count++;
  }

  toString(): string {
    return `${this.#count}:${this.#sum.toString(16).padStart(16, "0")}`;
  }
}

/** Returns two 32-bit multiplicative hashes of the text as one 64-bit number. */
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

/** What a verification needs of a shard. */
type VerifiedShard = Pick<Shard, "number" | "state" | "durableSequence" | "capture">;

/** The live state of a shard at the beginning of a verification. */
type Capture = Readonly<{ shard: number; sequence: number; open: ParentCapture }>;

/**
 * Compares the state in memory and store with the state that the journal alone produces from its first record (I53).
 * Parents that ended before `cutoffMs` may have been deleted by retention and are left out on both sides. Where records
 * were deleted, each remaining parent is compared from its own first record. Call it while retention deletes nothing.
 * `shardsNow` returns the shards when their state is captured. Reads everything that the store keeps. Rejects with the store's error when a part of it is damaged, and with SHARD_FENCED
 * when a shard has another owner.
 */
export async function verify(
  core: Core,
  shardsNow: () => readonly VerifiedShard[],
  cutoffMs: number,
): Promise<Verification> {
  await readMarket(timely(core));
  const shards = shardsNow();
  // Synchronous with the captures: a fenced shard has dropped its memory.
  const fenced = shards.find(({ state }) => state === "fenced");
  if (fenced !== undefined) throw new EngineError("SHARD_FENCED", { shard: fenced.number });
  const captures = shards.map((shard) => ({
    shard: shard.number,
    sequence: shard.durableSequence,
    open: shard.capture(),
  }));
  try {
    return await compare(core, captures, cutoffMs);
  } finally {
    for (const { open } of captures) open.end();
  }
}

async function compare(core: Core, captures: readonly Capture[], cutoffMs: number): Promise<Verification> {
  const { turns } = core;
  const store = timely(core);
  const live = new StateHash(turns);
  const replayed = new StateHash(turns);
  let records = 0;
  for (const capture of captures) {
    const { shard, sequence } = capture;
    if (sequence === 0) continue;
    await live.addAll(await openOf(capture, turns));
    await store.readSnapshot(shard);
    const changed = await addEnded(store, capture, { cutoffMs, hash: live });
    const { forgotten = 0 } = await store.head(shard);
    const range = { shard, until: sequence, forgotten, turns, fromEmpty: true };
    const { parents, records: read } = await replayShard(store, range);
    records += read;
    await replayed.addAll(retainedOf(parents.values(), { cutoffMs, changed }));
  }
  const [a, b] = [live.toString(), replayed.toString()];
  return { live: a, replayed: b, records, equal: a === b };
}

/** Returns the parents that the records of a shard produce, without those left out of the comparison. */
function* retainedOf(
  parents: Iterable<ParentOrder>,
  { cutoffMs, changed }: Readonly<{ cutoffMs: number; changed: ReadonlySet<number> }>,
): Iterable<ParentOrder> {
  for (const order of parents) {
    const wasChanged = order.ended !== undefined && changed.has(order.orderId);
    if (!wasChanged && isRetained(order, cutoffMs)) yield order;
  }
}

/** Reads the parts that no record produces. A store with checksums rejects damaged data. */
async function readMarket(store: WholeReads): Promise<void> {
  await store.readMarks();
  await store.readQuotes();
  await store.readVolume();
}

/** Returns the open parents of a capture. Ended legs are read from the store with all other ended parents. */
async function openOf({ open }: Capture, turns: Slicer): Promise<readonly ParentOrder[]> {
  const parents = (await open.gather(turns, () => true)) ?? [];
  return parents.filter(({ ended }) => ended === undefined);
}

/** Adds the ended parents of the capture. Resolves to the ids of parents that a later record has changed. */
async function addEnded(
  store: WholeReads,
  capture: Capture,
  { cutoffMs, hash }: Readonly<{ cutoffMs: number; hash: StateHash }>,
): Promise<ReadonlySet<number>> {
  const changed = new Set<number>();
  let afterOrderId = 0;
  for (;;) {
    const page = await store.readEnded({ shard: capture.shard, afterOrderId, limit: PAGE });
    for (const order of page) if (order.lastSequence > capture.sequence) changed.add(order.orderId);
    await hash.addAll(
      page.filter((order) => order.lastSequence <= capture.sequence && isRetained(order, cutoffMs)),
    );
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) return changed;
    afterOrderId = last.orderId;
  }
}

const isRetained = (order: ParentOrder, cutoffMs: number): boolean =>
  order.ended === undefined || order.ended.atMs >= cutoffMs;
