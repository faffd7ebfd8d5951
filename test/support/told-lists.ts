import type { Fact, JournalRecord, LegRole, ListMembership, ParentOrder } from "../../src/model/index.ts";
import { demand } from "./demand.ts";

/** What one record did to one order. */
export type ToldChange = Readonly<{ before: ParentOrder | undefined; order: ParentOrder }>;

/** A record as it was told: what it did to which orders, in its order, and how any order stands after it. */
export type ToldRecord = Readonly<{
  record: JournalRecord;
  changes: readonly ToldChange[];
  latest: (orderId: number) => ParentOrder | undefined;
}>;

/** The rules of lists that a listener sees kept, in whatever order things happen (I23, I40-I44, decision 35). */
export function checkLists(told: ToldRecord): void {
  const touched = new Map<number, ListMembership>();
  for (const { order } of told.changes)
    if (order.list !== undefined) touched.set(order.list.listId, order.list);
  for (const list of touched.values()) checkList(list, told);
}

function checkList({ listId, legs: ids }: ListMembership, told: ToldRecord): void {
  const legs = ids.map(told.latest).filter((leg) => leg !== undefined);
  demand(legs.length === ids.length, `decision 6: list ${listId} is not told whole`);
  const working = legs.find((leg) => roleOf(leg) === "working");
  checkPair(legs.filter(isOfPair), told);
  if (working !== undefined) checkHeld(working, legs, told);
  checkCanceled(legs, told);
}

/** One leg of a pair at most goes on, and the other has ended before it, or in an earlier place of the same record. */
function checkPair(pair: readonly ParentOrder[], { record, changes }: ToldRecord): void {
  const [winner, second] = pair.filter(hasWon);
  demand(second === undefined, "I40: two legs of a pair have won");
  const loser = pair.find((leg) => leg !== winner);
  if (winner === undefined || loser === undefined) return;
  demand(loser.ended !== undefined, "I40: the loser goes on");
  const indexOf = (leg: ParentOrder): number =>
    record.changes.findIndex(({ orderId }) => orderId === leg.orderId);
  const before = changes.find(({ order }) => order === winner)?.before;
  const wonNow = before !== undefined && !hasWon(before);
  const lostNow = loser.ended?.reason === "OCO_TRIGGER" && loser.record === record.sequence;
  if (lostNow) demand(wonNow && indexOf(loser) < indexOf(winner), "I40: loser and winner in one record");
}

/** Held legs are released by the record of the full fill, and end with a working leg that ends otherwise. */
function checkHeld(
  working: ParentOrder,
  legs: readonly ParentOrder[],
  { record, changes }: ToldRecord,
): void {
  const isWhole = working.executedQuantity >= working.intent.quantity;
  for (const { before, order } of changes) {
    if (!legs.includes(order) || before?.held !== true || order.held === true) continue;
    const byFill = working.record === record.sequence && factsOf(record, working).includes("FILLED");
    demand(isWhole && byFill, "I41: released otherwise than in the record of the full fill");
  }
  const held = legs.filter((leg) => leg.held === true && leg.ended === undefined);
  demand(working.ended === undefined || held.length === 0, "I42: legs are held by nothing");
  const endedNow = factsOf(record, working).includes("ENDED");
  const neverReleased = legs.every((leg) => leg === working || leg.held === true);
  const unprotected = endedNow && working.executedQuantity > 0 && neverReleased;
  const alerted = record.changes.some(({ facts }) => facts.some(isUnprotected));
  demand(alerted === unprotected, "decision 35: the alert of an unprotected position");
}

/** The cancel of one is the cancel of all. */
function checkCanceled(legs: readonly ParentOrder[], { record }: ToldRecord): void {
  if (record.cause.kind !== "CANCEL") return;
  for (const { ended, pendingEnd } of legs) {
    demand(ended !== undefined || pendingEnd?.status === "CANCELED", "I43: a leg goes on");
  }
}

const roleOf = (leg: ParentOrder): LegRole | undefined => leg.list?.role;
const isOfPair = (leg: ParentOrder): boolean => roleOf(leg) === "protective" || roleOf(leg) === "profit";
const hasWon = (leg: ParentOrder): boolean => leg.trigger !== undefined || leg.attempts > 0;
const isUnprotected = (fact: Fact): boolean => fact.kind === "ALERT" && fact.alert === "POSITION_UNPROTECTED";

/** Kinds of what a record says of an order. */
function factsOf(record: JournalRecord, { orderId }: ParentOrder): readonly string[] {
  const change = record.changes.find((one) => one.orderId === orderId);
  return change?.facts.map(({ kind }) => kind) ?? [];
}
