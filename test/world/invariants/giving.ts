import type { Price } from "../../../src/decimal/index.ts";
import { shardOfId } from "../../../src/model/index.ts";
import type { AppendBatch } from "../../../src/ports/index.ts";
import type { GivingWatch, MovedShards } from "../cluster/giving-watch.ts";
import type { Instance } from "../instance.ts";
import { marksKey, type SeenOrder } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import type { SeenQuote } from "../seen-markets.ts";

const RULE = "The engine of a node that shares runs from the beginning, and shards come and go in it";

/** What a node knew when its engine began with a shard, or gave it up, and how many faults of the store it had met. */
type Knowledge = Readonly<{ quotes: ReadonlyMap<string, SeenQuote>; storeFaults: number }>;

/** An append with records that a node awaits. */
type Append = Readonly<{ shards: readonly number[]; requestedMs: number }>;

/**
 * Checks the rule "The engine of a node that shares runs from the beginning, and shards come and go in it": a node that shares the shards gives one up only when its children are answered or withdrawn and its
 * newest marks are durable, and appends nothing of it after that.
 */
export class Giving implements GivingWatch {
  readonly #parts: () => WorldParts;
  /** Last quotes of each node when its engine began with a shard: references need not know them. */
  readonly #arrived: WeakMap<Instance, Map<number, Knowledge>> = new WeakMap();
  readonly #leaving: WeakMap<Instance, Map<number, Knowledge>> = new WeakMap();
  /** Shards that a node has given up and not claimed since. */
  readonly #given: WeakMap<Instance, Set<number>> = new WeakMap();

  readonly #underWay: WeakMap<Instance, Set<Append>> = new WeakMap();

  constructor(parts: () => WorldParts) {
    this.#parts = parts;
  }

  /** Notes that an engine has begun with shards, or decides nothing more of them. */
  moved(instance: Instance, { gained, lost }: MovedShards): void {
    for (const shard of gained) notedIn(this.#arrived, instance).set(shard, this.#known(instance));
    for (const shard of lost) notedIn(this.#leaving, instance).set(shard, this.#known(instance));
  }

  /** Checks shards that a node gives up, whether or not its call arrives. */
  gives(instance: Instance, shards: readonly number[]): void {
    const { journal } = this.#parts();
    const given = this.#given.get(instance) ?? new Set();
    for (const shard of shards) given.add(shard);
    this.#given.set(instance, given);
    // A shard that another node has taken meanwhile is that node's: the release of its former owner does nothing.
    const own = shards.filter((shard) => instance.holdings.isLast(shard));
    this.#append(instance, own);
    for (const orderId of journal.open) {
      const order = journal.find(orderId);
      const shard = shardOfId(orderId);
      const leaving = this.#leaving.get(instance)?.get(shard);
      if (order === undefined || leaving === undefined || !own.includes(shard)) continue;
      if (this.#mayHaveReadAgain(instance, shard)) continue;
      this.#child(instance, order);
      this.#marks(instance, order, leaving);
    }
  }

  /**
   * Returns whether a node may have read a shard from the store again since it began with it. A child that it has found in
   * the journal then is looked up, and may never have been sent. A trigger that was not durable is undone then, and its order
   * does not know the quotes since, as after a crash.
   */
  #mayHaveReadAgain(instance: Instance, shard: number): boolean {
    if (this.#arrived.get(instance)?.get(shard)?.storeFaults !== instance.storeFaults) return true;
    // An append that is not answered for long counts as lost.
    return [...(this.#underWay.get(instance) ?? [])].some(({ shards }) => shards.includes(shard));
  }

  /** Notes that a node has claimed shards. */
  takes(instance: Instance, shards: readonly number[]): void {
    for (const shard of shards) this.#given.get(instance)?.delete(shard);
  }

  /** Checks an append that a node asks for. The returned function notes its answer. */
  appends(instance: Instance, { shards }: AppendBatch): () => void {
    const { requireThat, time } = this.#parts();
    for (const { shard } of shards)
      requireThat(
        this.#given.get(instance)?.has(shard) !== true,
        RULE,
        () => `node ${instance.generation} appends to shard ${shard} after it has given it up`,
      );
    // The last marks wait no longer than the time for an answer, and quotes that come later make more of them.
    const decided = shards.filter(({ records }) => records.length > 0).map(({ shard }) => shard);
    const append: Append = { shards: decided, requestedMs: time.trueMs };
    const underWay = this.#underWay.get(instance) ?? new Set();
    this.#underWay.set(instance, underWay.add(append));
    return () => void underWay.delete(append);
  }

  /** One that is not answered for long counts as lost: the shard is read again before it leaves. */
  #append(instance: Instance, given: readonly number[]): void {
    const { requireThat, time, plan } = this.#parts();
    const sinceMs = time.trueMs - plan.settings.hostTimeoutMs;
    for (const { shards, requestedMs } of this.#underWay.get(instance) ?? []) {
      const shard = requestedMs > sinceMs ? shards.find((one) => given.includes(one)) : undefined;
      const what = (): string => `node ${instance.generation} gives shard ${shard} up during an append to it`;
      requireThat(shard === undefined, RULE, what);
    }
  }

  #known({ markets, storeFaults }: Instance): Knowledge {
    const quotes = new Map<string, SeenQuote>();
    for (const { symbol } of this.#parts().markets) {
      const last = markets.last(symbol);
      if (last !== undefined) quotes.set(symbol, last);
    }
    return { quotes, storeFaults };
  }

  /** A child of unknown outcome is looked up by the next owner. */
  #child({ generation, claimedAt, unanswered }: Instance, { orderId, child, lastSequence }: SeenOrder): void {
    const { requireThat, venue, time, plan } = this.#parts();
    if (child === undefined || child.unknown) return;
    const { childId } = child;
    const isOfNode = lastSequence > (claimedAt.get(shardOfId(orderId)) ?? 0);
    requireThat(
      !isOfNode || venue.rows.has(childId),
      RULE,
      () => `node ${generation} gives a shard up with ${childId}, which is neither handed over nor withdrawn`,
    );
    // An answer is waited for until the deadline of the child.
    const sinceMs = time.trueMs - plan.settings.submitDeadlineMs;
    requireThat(
      (unanswered.get(childId) ?? Number.NEGATIVE_INFINITY) <= sinceMs,
      RULE,
      () => `node ${generation} gives a shard up while the answer about ${childId} is awaited`,
    );
  }

  /** The next owner must know the last quote that the engine has counted for a trailing order. */
  #marks(instance: Instance, order: SeenOrder, { quotes }: Knowledge): void {
    const { requireThat, journal } = this.#parts();
    const { orderId, intent, activation, trigger, frozen, pendingEnd } = order;
    if (activation === undefined || trigger !== undefined || frozen || pendingEnd !== undefined) return;
    const { symbol } = intent;
    const shard = shardOfId(orderId);
    const quote = quotes.get(symbol);
    if (quote === undefined || this.#arrived.get(instance)?.get(shard)?.quotes.get(symbol) === quote) return;
    const side = intent.side === "BUY" ? "ask" : "bid";
    const isReached = (price: Price): boolean => (side === "ask" ? price <= quote.ask : price >= quote.bid);
    const since = (journal.marks.get(marksKey({ shard, symbol, side })) ?? []).filter(
      ({ position }) => position >= activation.position,
    );
    requireThat(
      isReached(activation.seed) || since.some(({ price }) => isReached(price)),
      RULE,
      () => `node ${instance.generation} gives order ${orderId} up without a mark of ${quote[side]}`,
    );
  }
}

function notedIn<Key extends object, Value>(
  notes: WeakMap<Key, Map<number, Value>>,
  key: Key,
): Map<number, Value> {
  const known = notes.get(key) ?? new Map<number, Value>();
  notes.set(key, known);
  return known;
}
