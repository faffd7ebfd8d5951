import { invariant, OrderError } from "../../errors/index.ts";
import { type Admission, evolve, listStatusOf, listTermsOf, transition } from "../../lifecycle/index.ts";
import type {
  EndedList,
  Fact,
  JournalRecord,
  ListIntent,
  ListMembership,
  MarketMark,
  OrderList,
  ParentIntent,
  ParentOrder,
} from "../../model/index.ts";
import type { ShardAppend } from "../../ports/index.ts";
import { encodeRecord } from "../../wire/index.ts";
import type { Counters } from "../core/core.ts";
import { EngineError } from "../core/engine-error.ts";
import { awaitRecord, type ParentStep, type PendingRecord, type Waiter } from "../core/live-order.ts";

/** Returns the membership of the leg at `index` in a new list. */
export function membershipOf(
  list: ListIntent,
  place: Readonly<{ listId: number; legs: readonly number[]; index: number }>,
): ListMembership {
  const leg = list.legs[place.index];
  if (leg === undefined) throw new RangeError(`the list has no leg with index ${place.index}`);
  return {
    listId: place.listId,
    listClientOrderId: list.listClientOrderId,
    contingency: list.contingency,
    role: leg.role,
    legs: place.legs,
    ...(leg.generatedClientId && { generatedClientId: true }),
    ...listTermsOf(list),
  };
}

/** Returns whether every leg of a list has ended (I44). */
export function isDone(list: OrderList): boolean {
  return listStatusOf(list).listOrderStatus === "ALL_DONE";
}

/** Returns the history row of a finished list. */
function endedListOf({ listId, accountId, listClientOrderId, acceptedAtMs, legs }: OrderList): EndedList {
  const endedAtMs = legs.reduce((last, { ended }) => Math.max(last, ended?.atMs ?? last), acceptedAtMs);
  const ids = legs.map(({ orderId }) => orderId);
  return { listId, accountId, listClientOrderId, acceptedAtMs, endedAtMs, legs: ids };
}

/** New parents to accept inside the mailbox: a single one, or the legs of a list. */
export type NewParents = Readonly<{
  accountId: number;
  /** Acceptance time, in engine time. */
  timeMs: number;
  parents: readonly Readonly<{ intent: ParentIntent; admission: Admission & Replacing }>[];
  list?: ListIntent;
  /** An order on which nothing depends now, and that is canceled in the record that accepts the new one. */
  canceled?: ParentOrder;
}>;

type Replacing = Pick<Extract<Fact, { kind: "ACCEPTED" }>, "replaces">;

/** Returns the step that cancels an order in the record that accepts another in its place. */
export function canceledStep(order: ParentOrder, context: Parameters<typeof transition>[2]): ParentStep {
  const step = transition(order, { kind: "CANCEL" }, context);
  invariant(step.order.ended !== undefined, "I50", `parent ${order.orderId} is replaced and does not end`);
  return step;
}

/** Returns the step that accepts a parent. */
export function acceptedStep(
  accepted: Omit<Extract<Fact, { kind: "ACCEPTED" }>, "kind">,
  place: Parameters<typeof evolve>[2],
): ParentStep {
  const fact: Fact = { kind: "ACCEPTED", ...accepted };
  return { order: evolve(undefined, fact, place), facts: [fact], effects: [] };
}

/** Returns the parents that had ended after these records, each in its last state. */
function endedIn(pending: readonly PendingRecord[]): readonly ParentOrder[] {
  const ended: ParentOrder[] = [];
  for (const { steps } of pending)
    for (const { order } of steps) if (order.ended !== undefined) ended.push(order);
  return newestOf(ended, ({ orderId }) => orderId);
}

/** Returns the lists that had ended after these records. */
function endedListsIn(pending: readonly PendingRecord[]): readonly EndedList[] {
  const lists: EndedList[] = [];
  for (const { list } of pending) if (list !== undefined && isDone(list)) lists.push(endedListOf(list));
  return newestOf(lists, ({ listId }) => listId);
}

/** Returns the last item of each id, in the order of the first items. */
function newestOf<T>(all: readonly T[], idOf: (one: T) => number): readonly T[] {
  return all.length < 2 ? all : [...new Map(all.map((one) => [idOf(one), one])).values()];
}

/** Resolves when a record is durable. Rejects when it is not, or when that is unknown. */
export const whenDurable = (pending: PendingRecord): Promise<void> =>
  new Promise((resolve, reject) => awaitRecord(pending, { resolve, reject }));

/** Tells all waiters that a record is durable, each once. */
export function resolveAll(pending: PendingRecord): void {
  for (const waiter of waitersOf(pending)) waiter.resolve();
}

/** Tells all waiters why a record is not, or is not known to be. Each is told once, however often the store cannot be read. */
function rejectAll(pending: PendingRecord, error: OrderError): void {
  for (const waiter of waitersOf(pending)) waiter.reject(error);
}

function waitersOf(pending: PendingRecord): readonly Waiter[] {
  const { waiters = [] } = pending;
  pending.waiters = undefined;
  return waiters;
}

/** Returns the append of a shard that stores records and marks. */
export function appendOf(
  place: Pick<ShardAppend, "shard" | "epoch" | "round">,
  pending: readonly PendingRecord[],
  marks: readonly MarketMark[],
): ShardAppend {
  return {
    shard: place.shard,
    epoch: place.epoch,
    round: place.round,
    marks,
    records: pending.map(({ record }) => record),
    texts: pending.map(({ text }) => text),
    ended: endedIn(pending),
    endedLists: endedListsIn(pending),
  };
}

/** A record whose append failed or that was never handed over, and whether the store can have kept it. */
type UndecidedRecord = Readonly<{
  pending: PendingRecord;
  mayBeStored: boolean;
}>;

/**
 * Fate of a record: the store has it, the store does not have it and never will, or the store does not show its
 * place.
 */
type Fate = "kept" | "lost" | "unknown";

/** What is known when the waiters of undecided records are answered. */
type Answering = Readonly<{
  /** Why the shard decides nothing now; undefined if it does. */
  refusal: OrderError | undefined;
  /** Sequence of the last record in the store; undefined if the store does not tell what became of the records. */
  last: number | undefined;
  /** Called with each record that the store has. */
  found: (record: PendingRecord) => void;
}>;

/** Records of a shard of which it is unknown whether they are durable, until the store has been read again. */
export class Undecided {
  readonly #records: UndecidedRecord[] = [];
  /** Records that the store has at their sequences and after them. */
  readonly #shown: Map<number, JournalRecord> = new Map();

  add(pending: PendingRecord, mayBeStored: boolean): void {
    this.#records.push({ pending, mayBeStored });
  }

  /** Tells the waiters that the store could not be read: what it may have kept is unknown, the rest was not stored. */
  report(error: unknown): void {
    for (const { pending, mayBeStored } of this.#records)
      rejectAll(
        pending,
        mayBeStored
          ? new OrderError("UNEXPECTED_RESPONSE", {}, { cause: error })
          : new EngineError("DISCONNECTED", {}, { cause: error }),
      );
  }

  /** Removes all records, and tells the waiters of each what became of it, according to the store. */
  answer(now: Answering): void {
    for (const undecided of this.#records.splice(0)) this.#answer(undecided, now);
  }

  #answer(undecided: UndecidedRecord, { refusal, last, found }: Answering): void {
    const { pending, mayBeStored } = undecided;
    if (!mayBeStored) return rejectAll(pending, refusal ?? new EngineError("DISCONNECTED"));
    const fate = last === undefined ? "unknown" : this.#fateOf(undecided, last);
    if (fate === "lost") return rejectAll(pending, new EngineError("DISCONNECTED"));
    if (fate === "unknown") return rejectAll(pending, new OrderError("UNEXPECTED_RESPONSE"));
    found(pending);
    resolveAll(pending);
  }

  /**
   * Begins a reading of the store. Pass its records to the returned function. Records of an earlier reading do not
   * count.
   */
  reading(): (record: JournalRecord) => void {
    this.#shown.clear();
    const first = this.#records[0]?.pending.record.sequence ?? Number.POSITIVE_INFINITY;
    return (record) => {
      if (record.sequence >= first) this.#shown.set(record.sequence, record);
    };
  }

  /**
   * Returns the fate of a record by the last reading, when the journal ends with `last`. A kept record has the same
   * sequence and the same text.
   */
  #fateOf({ pending: { record, text } }: UndecidedRecord, last: number): Fate {
    if (record.sequence > last) return "lost";
    const shown = this.#shown.get(record.sequence);
    if (shown === undefined) return "unknown";
    return encodeRecord(shown) === text ? "kept" : "lost";
  }
}

/** Counts the children of one shard that are decided while their record is not durable yet. */
export class Intents {
  readonly #counters: Counters;
  #count = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Adds the children of a record that was decided and is under way to the store. */
  decided(steps: readonly ParentStep[]): void {
    this.#add(intentsIn(steps));
  }

  /** Subtracts the children of a record that became durable. They are due now. */
  durable(steps: readonly ParentStep[]): void {
    this.#add(-intentsIn(steps));
  }

  /** Resets the count: records under way are decided anew or were lost. */
  clear(): void {
    this.#add(-this.#count);
  }

  #add(more: number): void {
    this.#count += more;
    this.#counters.deciding += more;
  }
}

function intentsIn(steps: readonly ParentStep[]): number {
  let count = 0;
  for (const { facts } of steps) for (const { kind } of facts) if (kind === "CHILD_INTENDED") count++;
  return count;
}
