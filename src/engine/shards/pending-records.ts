import type { OrderError } from "../../errors/index.ts";
import { type Admission, evolve } from "../../lifecycle/index.ts";
import type {
  EndedList,
  Fact,
  ListIntent,
  MarketMark,
  ParentIntent,
  ParentOrder,
} from "../../model/index.ts";
import type { ShardAppend } from "../../ports/index.ts";
import type { ReadonlyIdMap } from "../../triggers/index.ts";
import type { LiveOrder, ParentStep, PendingRecord, Waiter } from "../core/live-order.ts";
import { endedListOf, isDone } from "./list-rows.ts";

/** New parents to accept inside the mailbox: a single one, or the legs of a list. */
export type NewParents = Readonly<{
  accountId: number;
  /** Acceptance time, in engine time. */
  timeMs: number;
  parents: readonly Readonly<{ intent: ParentIntent; admission: Admission }>[];
  list?: ListIntent;
}>;

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

/** Tells all waiters that a record is durable, each once. */
export function resolveAll(waiters: Waiter[]): void {
  for (const waiter of waiters.splice(0)) waiter.resolve();
}

/** Tells all waiters why a record is not, or is not known to be. Each is told once, however often the store cannot be read. */
export function rejectAll(waiters: Waiter[], error: OrderError): void {
  for (const waiter of waiters.splice(0)) waiter.reject(error);
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

/** Returns the parents that had not ended, and do so by these steps. */
export function endedBy(
  steps: readonly ParentStep[],
  before: ReadonlyIdMap<LiveOrder>,
): readonly ParentOrder[] {
  const orders = steps.map(({ order }) => order);
  return orders.filter(
    ({ orderId, ended }) => ended !== undefined && before.get(orderId)?.working.ended === undefined,
  );
}
