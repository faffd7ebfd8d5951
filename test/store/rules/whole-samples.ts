import { price, quantity } from "../../../src/decimal/index.ts";
import type {
  ChildOrder,
  Fact,
  JournalRecord,
  ListMembership,
  ParentIntent,
  ParentOrder,
} from "../../../src/model/index.ts";
import { openOrder, sampleRecord } from "./samples.ts";

const INTENT: ParentIntent = {
  ...openOrder({ orderId: -256 }).intent,
  ...{ price: price("9.5"), limitOffset: price("0.25"), icebergQuantity: quantity("0.125") },
  trailing: { kind: "percent", percent: price("1.5") },
  schedule: { intervalMs: 1_000, intervalCount: 3, intervalDelayMs: 5, weights: [1, 0, 2] },
  participationBips: 1_000,
  timeInForce: "GTD",
  expireTimeMs: 1_767_355_200_123,
  reduceOnly: true,
};

const CHILD: ChildOrder = {
  ...{ childId: "aqc-whole-1", attempt: 1, quantity: quantity("0.25"), limitPrice: price("9.25") },
  ...{ executedQuantity: quantity("0.125"), intendedAtMs: 700, notAfterMs: 900, slot: 2 },
  state: "UNKNOWN",
  problem: "a fill without an id",
};

const LIST: ListMembership = {
  ...{ listId: -2_560, listClientOrderId: "whole", legs: [-256, -512, -768] },
  contingency: "OTOCO",
  role: "pending",
  generatedClientId: true,
};

const PLAN = { startsAtMs: 700, intervalMs: 1_000, count: 3, cumulative: [1, 1, 3] };
const ACTIVATION = { position: 7, seed: price("9.125") };
const TRIGGER = {
  ...{ level: price("9.5"), observed: price("9.75"), reference: price("10"), limit: price("9.25") },
  atMs: 650,
};
const END = { status: "CANCELED", reason: "USER_CANCELED" } as const;

/** An open parent with every member that a parent can have. No single order has them all. */
export function wholeOrder(orderId: number): ParentOrder {
  return {
    ...openOrder({ orderId }),
    intent: { ...INTENT, clientOrderId: `c${-orderId}` },
    ...{ acceptance: 3, aheadMs: 4, releasedAtMs: 640, nextSlot: 1, lastChildId: "aqc-whole-1" },
    ...{ activation: ACTIVATION, trigger: TRIGGER, list: LIST, plan: PLAN, child: CHILD },
    ...{ invalidReports: ["aqc-whole-1: a fill without an id"], pendingEnd: END },
    stall: { cause: "REFUSED", alertedAtMs: 660, over: true },
    volumeBefore: quantity("12.5"),
    volumeLogged: true,
    postOnlyCleared: true,
    held: true,
    frozen: true,
    restored: true,
  };
}

const FILL = { executionId: "e1", quantity: quantity("0.125"), price: price("9.25"), timeMs: 800 };
const QUOTE = { symbol: "BTC/USD", bid: price("9"), ask: price("9.5"), timeMs: 5, sequence: 6 };

/** A fact of each kind. */
const FACTS: readonly Fact[] = [
  {
    kind: "ACCEPTED",
    ...{ accountId: 1, intent: INTENT, acceptance: 3, aheadMs: 4, plan: PLAN, list: LIST },
    ...{ admissionPrice: price("9.5"), exposure: quantity("3"), volumeBefore: quantity("12.5") },
    posted: true,
    held: true,
    volumeLogged: true,
  },
  { kind: "RELEASED" },
  { kind: "POSTED" },
  { kind: "ACTIVATED", activation: ACTIVATION },
  { kind: "TRIGGERED", trigger: TRIGGER },
  { kind: "CHILD_INTENDED", child: CHILD, exposure: quantity("3"), volume: quantity("4") },
  { kind: "CHILD_OPEN", childId: "aqc-whole-1" },
  { kind: "CHILD_UNKNOWN", childId: "aqc-whole-1", problem: "a fill without an id" },
  { kind: "FILLED", childId: "aqc-whole-1", fill: FILL },
  { kind: "CHILD_CLOSED", childId: "aqc-whole-1", outcome: "DONE", detail: "said so", notBeforeMs: 900 },
  { kind: "END_REQUESTED", end: END },
  { kind: "ENDED", ...END },
  { kind: "ALERT", alert: "OVERFILL", detail: "by 0.5" },
  { kind: "FROZEN" },
  { kind: "RESTORED", attempts: 2 },
  { kind: "RESUMED" },
];

const CAUSES: readonly JournalRecord["cause"][] = [
  { kind: "QUOTE", quote: QUOTE },
  { kind: "TIMER", timer: "SLOT" },
  { kind: "VENUE", source: "LOOKUP" },
  { kind: "OPERATOR", by: "a person", why: "the venue's books say so" },
];

/** Records of shard 0 that have facts of all kinds between them, and several causes. */
export function wholeRecords(): readonly JournalRecord[] {
  return CAUSES.map((cause, place) => {
    const facts = FACTS.filter((_, at) => at % CAUSES.length === place);
    const changes = [-256, -512].map((orderId) => ({ orderId, previous: place, facts }));
    return { ...sampleRecord(0, place + 1), cause, changes };
  });
}
