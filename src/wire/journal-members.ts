import type { Cause, ChildOrder, Fact, JournalRecord, ParentChange, ParentOrder } from "../model/index.ts";

/** Every member of an object, so that a new member of the type has to be entered here. */
type MembersOf<T> = Readonly<Record<keyof T, true>>;

/** Every kind of a union, each with every member that it has beside its kind. */
type KindsOf<T extends Readonly<{ kind: string }>> = {
  readonly [K in T["kind"]]: Readonly<Record<Exclude<keyof Extract<T, { kind: K }>, "kind">, true>>;
};

const FACTS: KindsOf<Fact> = {
  ACCEPTED: {
    accountId: true,
    intent: true,
    acceptance: true,
    aheadMs: true,
    admissionPrice: true,
    exposure: true,
    posted: true,
    plan: true,
    volumeBefore: true,
    list: true,
    held: true,
  },
  RELEASED: {},
  POSTED: {},
  ACTIVATED: { activation: true },
  TRIGGERED: { trigger: true },
  CHILD_INTENDED: { child: true, exposure: true, volume: true },
  CHILD_OPEN: { childId: true },
  CHILD_UNKNOWN: { childId: true, problem: true },
  FILLED: { childId: true, fill: true },
  CHILD_CLOSED: { childId: true, outcome: true, detail: true, notBeforeMs: true },
  END_REQUESTED: { end: true },
  ENDED: { status: true, reason: true },
  ALERT: { alert: true, detail: true },
  FROZEN: {},
};

const CAUSES: KindsOf<Cause> = {
  PLACE: {},
  CANCEL: {},
  QUOTE: { quote: true },
  TIMER: { timer: true },
  PRINT: { print: true },
  VENUE: { source: true },
  RECOVERY: {},
  OPERATOR: { by: true, why: true },
};

const RECORD: MembersOf<JournalRecord> = {
  shard: true,
  sequence: true,
  timeMs: true,
  cause: true,
  changes: true,
};

const CHANGE: MembersOf<ParentChange> = { orderId: true, previous: true, facts: true };

const CHILD: MembersOf<ChildOrder> = {
  childId: true,
  attempt: true,
  quantity: true,
  limitPrice: true,
  executedQuantity: true,
  state: true,
  intendedAtMs: true,
  notAfterMs: true,
  slot: true,
  problem: true,
};

const INTENT: MembersOf<ParentOrder["intent"]> = {
  symbol: true,
  side: true,
  type: true,
  quantity: true,
  price: true,
  stopPrice: true,
  trailing: true,
  limitOffset: true,
  icebergQuantity: true,
  schedule: true,
  participationBips: true,
  timeInForce: true,
  expireTimeMs: true,
  reduceOnly: true,
  childTimeInForce: true,
  clientOrderId: true,
};

const PARENT: MembersOf<ParentOrder> = {
  orderId: true,
  accountId: true,
  intent: true,
  acceptedAtMs: true,
  acceptance: true,
  aheadMs: true,
  updatedAtMs: true,
  record: true,
  activation: true,
  trigger: true,
  list: true,
  held: true,
  releasedAtMs: true,
  posted: true,
  plan: true,
  nextSlot: true,
  volumeBefore: true,
  invalidReports: true,
  child: true,
  attempts: true,
  misses: true,
  notBeforeMs: true,
  executedQuantity: true,
  executedNotional: true,
  executions: true,
  lastChildId: true,
  pendingEnd: true,
  ended: true,
  frozen: true,
};

type Unread = Readonly<Record<string, unknown>>;

/**
 * What a record holds that this version does not know, in words such as `the fact kind "MOVED"`; undefined for nothing.
 * A newer version gave it a meaning, and passing over it would lose that. Expects a `cause` and an array of `changes`.
 */
export function unknownInRecord(record: Unread): string | undefined {
  return (
    extra(record, RECORD, "a record") ??
    unknownKind(record.cause, CAUSES, "cause") ??
    first(record.changes, (change) => extra(change, CHANGE, "a change") ?? first(change.facts, unknownInFact))
  );
}

/** The same of a parent order. */
export function unknownInParent(parent: Unread): string | undefined {
  return (
    extra(parent, PARENT, "a parent") ?? extra(parent.intent, INTENT, "an intent") ?? unknownInChild(parent)
  );
}

function unknownInFact(fact: Unread): string | undefined {
  const unknown = unknownKind(fact, FACTS, "fact");
  if (unknown !== undefined) return unknown;
  return fact.kind === "ACCEPTED" ? extra(fact.intent, INTENT, "an intent") : unknownInChild(fact);
}

const unknownInChild = ({ child }: Unread): string | undefined =>
  child === undefined ? undefined : extra(child, CHILD, "a child");

function unknownKind(
  value: unknown,
  kinds: Readonly<Record<string, Unread>>,
  what: string,
): string | undefined {
  const kind = isObject(value) ? value.kind : undefined;
  if (typeof kind !== "string") return `a ${what} without a kind`;
  const members = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (members === undefined) return `the ${what} kind ${named(kind)}`;
  return extra(value, members, `a ${what} ${kind}`);
}

function extra(value: unknown, members: Unread, what: string): string | undefined {
  if (!isObject(value)) return `${what} that is no object`;
  for (const name in value) {
    if (name !== "kind" && !Object.hasOwn(members, name)) return `the member ${named(name)} of ${what}`;
  }
  return undefined;
}

function first(values: unknown, find: (value: Unread) => string | undefined): string | undefined {
  if (!Array.isArray(values)) return "a list that is none";
  for (const value of values) {
    const found = isObject(value) ? find(value) : "an entry that is no object";
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Words of a schema only: what a damaged text holds must not reach a log. */
const named = (word: string): string =>
  /^[A-Za-z_]{1,40}$/.test(word) ? `"${word}"` : "with an unreadable name";

const isObject = (value: unknown): value is Unread => typeof value === "object" && value !== null;
