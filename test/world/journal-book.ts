import { createHash } from "node:crypto";
import { add, type Price, type Quantity, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import {
  type Activation,
  type CountedPrint,
  type Fact,
  type Fill,
  type JournalRecord,
  type ListMembership,
  MARKET_SHARD,
  type MarketMark,
  type ParentEnd,
  type ParentIntent,
  type PendingEnd,
  type SchedulePlan,
  type Trigger,
} from "../../src/model/index.ts";
import type { AppendBatch, AppendOutcome, ShardAppend } from "../../src/ports/index.ts";
import { encodeRecord } from "../../src/wire/index.ts";
import type { Instance } from "./instance.ts";
import type { RequireThat } from "./invariant-broken.ts";
import { exactOf } from "./venue-row.ts";

/** An outstanding child according to the journal. */
export type SeenChild = Readonly<{
  childId: string;
  attempt: number;
  quantity: Quantity;
  limitPrice?: Price;
  unknown: boolean;
  intendedAtMs: number;
  slot?: number;
  /** Latest time at which it may be handed over, on the venue's clock. */
  notAfterMs: number;
}>;

/** An amend that became durable, and the process that wrote it. */
export type SeenAmend = Pick<Extract<Fact, { kind: "AMENDED" }>, "before" | "after" | "amendId"> &
  Readonly<{ generation: number }>;

/** A parent according to the journal, folded by the world itself. */
export type SeenOrder = Readonly<{
  orderId: number;
  accountId: number;
  intent: ParentIntent;
  acceptedAtMs: number;
  /**
   * Time of its expiry in engine time. It is later than requested by the amount by which the wall clock was behind at
   * its acceptance.
   */
  expiresAtMs: number;
  list?: ListMembership;
  held: boolean;
  released: boolean;
  plan?: SchedulePlan;
  volumeBefore?: Quantity;
  activation?: Activation;
  trigger?: Trigger;
  attempts: number;
  child?: SeenChild;
  /** What its amends have changed, the newest last. */
  amends: readonly SeenAmend[];
  /** What was counted, in units of 10^-18. */
  executed: bigint;
  fills: number;
  overfilled: boolean;
  escalated: boolean;
  frozen: boolean;
  pendingEnd?: PendingEnd;
  ended?: Omit<ParentEnd, "atMs">;
  /** Time of the record that ended it. */
  endedAtMs?: number;
  /** Sequence of its last record in its shard. */
  lastSequence: number;
}>;

/** The change of one parent by one record. */
export type SeenChange = Readonly<{
  before: SeenOrder | undefined;
  after: SeenOrder;
  facts: readonly Fact[];
}>;

/** A durable record, its changes, and the process that wrote it. */
export type SeenRecord = Readonly<{
  record: JournalRecord;
  changes: readonly SeenChange[];
  instance: Instance;
}>;

/** Place of a record in the journal. */
export type RecordPlace = Readonly<{ shard: number; sequence: number }>;

/** Key of the marks of a shard on one side of a market. */
export const marksKey = ({ shard, symbol, side }: Pick<MarketMark, "shard" | "symbol" | "side">): string =>
  `${shard} ${symbol} ${side}`;

/** A mark that became durable, the process that wrote it, and whether it has been deleted. */
export type SeenMark = MarketMark & Readonly<{ generation: number }> & { gone?: boolean };

/** Checks a record that has just become durable. */
export type RecordCheck = (seen: SeenRecord) => void;

/**
 * Everything that is durable, interpreted by the world itself: no rule of the engine is used here. Checks run on each
 * record at the moment at which it becomes durable.
 */
export class JournalBook {
  readonly orders: Map<number, SeenOrder> = new Map();
  readonly open: Set<number> = new Set();
  /** Every counted execution, by order. */
  readonly fills: Map<number, Map<string, Readonly<{ childId: string; fill: Fill }>>> = new Map();
  /** Orders of each account in the order of acceptance. */
  readonly byAccount: Map<number, number[]> = new Map();
  readonly byClientId: Map<string, number> = new Map();
  readonly lists: Map<number, ListMembership & Readonly<{ accountId: number }>> = new Map();
  readonly marks: Map<string, SeenMark[]> = new Map();
  /** Volume of the fresh prints of each market, each counted once. */
  readonly volumes: Map<string, Quantity> = new Map();
  /** Orders that a deletion has taken out of the store, until a late report brings one back. */
  readonly departed: Set<number> = new Set();
  records = 0;
  readonly #byShard: Map<number, JournalRecord[]> = new Map();
  readonly #ofOrders: Map<number, RecordPlace[]> = new Map();
  readonly #prints: Set<string> = new Set();
  readonly #sequences: Map<number, number> = new Map();
  readonly #hash: ReturnType<typeof createHash> = createHash("sha256");
  readonly #checks: readonly RecordCheck[];
  readonly #requireThat: RequireThat;
  #inFlight = 0;

  constructor(requireThat: RequireThat, checks: readonly RecordCheck[]) {
    this.#requireThat = requireThat;
    this.#checks = checks;
  }

  /** Number of outstanding children of all orders. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns a digest of every durable record, in the order in which they became durable. */
  digest(): string {
    return this.#hash.copy().digest("hex").slice(0, 32);
  }

  /** The last sequence of each shard that has records. */
  get heads(): ReadonlyMap<number, number> {
    return this.#sequences;
  }

  find(orderId: number): SeenOrder | undefined {
    return this.orders.get(orderId);
  }

  /** Returns a record that became durable, also if it has left the store since. */
  recordOf(shard: number, sequence: number): JournalRecord | undefined {
    return this.#byShard.get(shard)?.[sequence - 1];
  }

  /** Returns the places of all records of an order. */
  sequencesOf(orderId: number): readonly RecordPlace[] {
    return this.#ofOrders.get(orderId) ?? [];
  }

  /** Returns the order of an account by client id. */
  named(accountId: number, clientOrderId: string): SeenOrder | undefined {
    const orderId = this.byClientId.get(`${accountId} ${clientOrderId}`);
    return orderId === undefined ? undefined : this.orders.get(orderId);
  }

  /** Takes the data that an append stored, before any caller receives the outcome. */
  take(batch: AppendBatch, outcomes: readonly AppendOutcome[], instance: Instance): void {
    const stored = batch.shards.filter((_, index) => outcomes[index] === "durable");
    const { generation, holdings } = instance;
    for (const { shard } of stored)
      this.#requireThat(
        holdings.isLast(shard),
        "I60",
        () => `process ${generation} appended to shard ${shard} after it was replaced`,
      );
    // Market data is stored whatever the outcome of the shards.
    if (holdings.isLast(MARKET_SHARD)) for (const print of batch.prints ?? []) this.#print(print);
    for (const part of stored) {
      for (const mark of part.marks ?? []) this.#mark({ ...mark, generation });
      this.#takeShard(part, instance);
    }
  }

  #print({ symbol, id, quantity, fresh }: CountedPrint): void {
    const key = `${symbol} ${id}`;
    if (this.#prints.has(key)) return;
    this.#prints.add(key);
    if (fresh) this.volumes.set(symbol, add(this.volumes.get(symbol) ?? ZERO_QUANTITY, quantity));
  }

  /** Notes marks that are deleted now. They still count for references, until their positions are used again. */
  markGone(marks: readonly MarketMark[]): void {
    for (const mark of marks)
      for (const seen of this.marks.get(marksKey(mark)) ?? []) seen.gone ||= seen.position === mark.position;
  }

  #mark(mark: SeenMark): void {
    const key = marksKey(mark);
    // The next owner of a shard continues the positions that are in the store.
    const isFormer = ({ gone = false, generation, position }: SeenMark): boolean =>
      gone && generation !== mark.generation && position > mark.position;
    const track = (this.marks.get(key) ?? []).filter((seen) => !isFormer(seen));
    const at = track.findIndex(({ position }) => position >= mark.position);
    if (at < 0) track.push(mark);
    else if (track[at]?.position === mark.position) track[at] = mark;
    else track.splice(at, 0, mark);
    this.marks.set(key, track);
  }

  #takeShard({ shard, records }: ShardAppend, instance: Instance): void {
    for (const record of records) {
      const expected = (this.#sequences.get(shard) ?? 0) + 1;
      this.#requireThat(
        record.sequence === expected,
        "I54",
        () => `record ${record.sequence} of shard ${shard} in place of ${expected}`,
      );
      this.#sequences.set(shard, record.sequence);
      this.records++;
      appendTo(this.#byShard, shard, record);
      for (const { orderId } of record.changes)
        appendTo(this.#ofOrders, orderId, { shard, sequence: record.sequence });
      this.#hash.update(encodeRecord(record));
      const changes = record.changes.map((change) => this.#change(record, change, instance));
      for (const check of this.#checks) check({ record, changes, instance });
    }
  }

  #change(
    record: JournalRecord,
    { orderId, previous, facts }: JournalRecord["changes"][number],
    { generation }: Instance,
  ): SeenChange {
    const before = this.orders.get(orderId);
    this.#requireThat(
      previous === (before?.lastSequence ?? 0),
      "I53",
      () => `order ${orderId} goes on from ${previous}, not ${before?.lastSequence}`,
    );
    let after = before;
    for (const fact of facts) after = this.#fold(after, fact, { orderId, record, generation });
    if (after === undefined)
      throw new Error(`record ${record.sequence} names order ${orderId}, which was never accepted`);
    this.#inFlight += (after.child === undefined ? 0 : 1) - (before?.child === undefined ? 0 : 1);
    this.orders.set(orderId, after);
    this.departed.delete(orderId);
    if (after.ended !== undefined) this.open.delete(orderId);
    return { before, after, facts };
  }

  #fold(
    order: SeenOrder | undefined,
    fact: Fact,
    place: Readonly<{ orderId: number; record: JournalRecord; generation: number }>,
  ): SeenOrder | undefined {
    const { orderId, record, generation } = place;
    if (fact.kind === "ACCEPTED") return this.#accept(fact, place);
    if (order === undefined) return undefined;
    if (fact.kind === "FILLED") this.#fill(orderId, fact);
    if (fact.kind === "AMENDED")
      return { ...amended(order, { ...fact, generation }), lastSequence: record.sequence };
    const endedAtMs = fact.kind === "ENDED" ? { endedAtMs: record.timeMs } : {};
    return { ...foldFact(order, fact), ...endedAtMs, lastSequence: record.sequence };
  }

  #accept(
    fact: Extract<Fact, { kind: "ACCEPTED" }>,
    { orderId, record }: Readonly<{ orderId: number; record: JournalRecord }>,
  ): SeenOrder {
    const { accountId, intent, list, plan, volumeBefore, held, aheadMs = 0 } = fact;
    this.open.add(orderId);
    const ids = this.byAccount.get(accountId) ?? [];
    ids.push(orderId);
    this.byAccount.set(accountId, ids);
    this.byClientId.set(`${accountId} ${intent.clientOrderId}`, orderId);
    if (list !== undefined) this.lists.set(list.listId, { ...list, accountId });
    return {
      orderId,
      accountId,
      intent,
      acceptedAtMs: record.timeMs,
      expiresAtMs: (intent.expireTimeMs ?? Number.POSITIVE_INFINITY) + aheadMs,
      ...(list && { list }),
      ...(plan && { plan }),
      ...(volumeBefore !== undefined && { volumeBefore }),
      held: held === true,
      released: false,
      attempts: 0,
      amends: [],
      executed: 0n,
      fills: 0,
      overfilled: false,
      escalated: false,
      frozen: false,
      lastSequence: record.sequence,
    };
  }

  #fill(orderId: number, { childId, fill }: Extract<Fact, { kind: "FILLED" }>): void {
    const fills = this.fills.get(orderId) ?? new Map();
    const name = `${childId} ${fill.executionId}`;
    this.#requireThat(!fills.has(name), "I15", () => `execution ${name} is counted twice`);
    fills.set(name, { childId, fill });
    this.fills.set(orderId, fills);
  }
}

function appendTo<Value>(lists: Map<number, Value[]>, key: number, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function foldFact(order: SeenOrder, fact: Exclude<Fact, { kind: "ACCEPTED" }>): SeenOrder {
  switch (fact.kind) {
    case "RELEASED":
      return { ...order, held: false, released: true };
    case "ACTIVATED":
      return { ...order, activation: fact.activation };
    case "TRIGGERED":
      return { ...order, trigger: fact.trigger };
    case "CHILD_INTENDED":
      return { ...order, attempts: order.attempts + 1, child: childOf(fact.child) };
    case "CHILD_OPEN":
      return order.child === undefined ? order : { ...order, child: { ...order.child, unknown: false } };
    case "CHILD_UNKNOWN":
      return order.child === undefined ? order : { ...order, child: { ...order.child, unknown: true } };
    case "FILLED":
      return filled(order, fact);
    case "CHILD_CLOSED":
      return { ...withoutChild(order) };
    case "END_REQUESTED":
      return { ...order, pendingEnd: fact.end };
    case "ENDED":
      return { ...order, ended: { status: fact.status, reason: fact.reason } };
    case "FROZEN":
      return { ...order, frozen: true };
    case "ALERT":
      if (fact.alert === "OVERFILL") return { ...order, overfilled: true };
      return fact.alert === "UNKNOWN_ESCALATED" ? { ...order, escalated: true } : order;
    default:
      return order;
  }
}

function amended(
  order: SeenOrder,
  { before, after, amendId, aheadMs = 0, generation }: Extract<Fact, { kind: "AMENDED" }> & SeenAmend,
): SeenOrder {
  const { expireTimeMs } = after;
  return {
    ...order,
    intent: { ...order.intent, ...after },
    ...(expireTimeMs !== undefined && { expiresAtMs: expireTimeMs + aheadMs }),
    amends: [...order.amends, { before, after, ...(amendId !== undefined && { amendId }), generation }],
  };
}

function childOf(child: Extract<Fact, { kind: "CHILD_INTENDED" }>["child"]): SeenChild {
  const { childId, attempt, quantity, limitPrice, intendedAtMs, slot, notAfterMs } = child;
  return {
    childId,
    attempt,
    quantity,
    ...(limitPrice !== undefined && { limitPrice }),
    unknown: false,
    intendedAtMs,
    ...(slot !== undefined && { slot }),
    notAfterMs,
  };
}

function withoutChild(order: SeenOrder): SeenOrder {
  const { child: _closed, ...rest } = order;
  return rest;
}

function filled(order: SeenOrder, { fill }: Extract<Fact, { kind: "FILLED" }>): SeenOrder {
  return { ...order, executed: order.executed + exactOf(fill), fills: order.fills + 1 };
}
