import type {
  AlertKind,
  Cause,
  CountedPrint,
  Fact,
  JournalRecord,
  ParentChange,
  QuoteStamp,
} from "../../../model/index.ts";
import { flag, integer, type Kind, list, object, optional, text, union, words, yes } from "../schema.ts";
import { child, fill, outcome } from "./child.ts";
import {
  activation,
  intent,
  membership,
  pendingEnd,
  plan,
  price,
  quantity,
  reason,
  stallCause,
  status,
  trigger,
} from "./order.ts";

const quote: Kind<QuoteStamp> = object<QuoteStamp>("a quote", {
  symbol: text,
  bid: price,
  ask: price,
  timeMs: integer,
  sequence: integer,
});

const print: Kind<CountedPrint> = object<CountedPrint>("a print", {
  symbol: text,
  id: text,
  quantity,
  timeMs: integer,
  seenAtMs: integer,
  fresh: flag,
});

type CauseOf<K extends Cause["kind"]> = Extract<Cause, { kind: K }>;

const cause: Kind<Cause> = union<Cause>("cause", {
  PLACE: {},
  CANCEL: {},
  QUOTE: { quote },
  TIMER: {
    timer: words<CauseOf<"TIMER">["timer"]>({
      EXPIRY: true,
      DEADLINE: true,
      RECONCILE: true,
      SLOT: true,
      EXPOSURE: true,
      STALL: true,
    }),
  },
  PRINT: { print },
  VENUE: {
    source: words<CauseOf<"VENUE">["source"]>({
      SUBMIT: true,
      EVENT: true,
      LOOKUP: true,
      VOID: true,
    }),
  },
  RECOVERY: {},
  OPERATOR: { by: text, why: text },
});

const alert: Kind<AlertKind> = words<AlertKind>({
  LATE_FILL: true,
  OVERFILL: true,
  UNKNOWN_ESCALATED: true,
  INVARIANT_BROKEN: true,
  POSITION_UNPROTECTED: true,
  VENUE_REPORT_INVALID: true,
  CHILD_BEYOND_LIMIT: true,
  ORDER_STALLED: true,
  ORDER_RESUMED: true,
});

const fact: Kind<Fact> = union<Fact>("fact", {
  ACCEPTED: {
    accountId: integer,
    intent,
    acceptance: integer,
    aheadMs: optional(integer),
    admissionPrice: optional(price),
    exposure: optional(quantity),
    posted: optional(yes),
    plan: optional(plan),
    volumeBefore: optional(quantity),
    volumeLogged: optional(yes),
    list: optional(membership),
    held: optional(yes),
  },
  RELEASED: {},
  POSTED: {},
  ACTIVATED: { activation },
  TRIGGERED: { trigger },
  CHILD_INTENDED: {
    child,
    exposure: optional(quantity),
    volume: optional(quantity),
  },
  CHILD_OPEN: { childId: text },
  CHILD_UNKNOWN: { childId: text, problem: optional(text) },
  FILLED: { childId: text, fill },
  CHILD_CLOSED: {
    childId: text,
    outcome,
    detail: optional(text),
    notBeforeMs: optional(integer),
    lookUpAfterMs: optional(integer),
  },
  END_REQUESTED: { end: pendingEnd },
  ENDED: { status, reason },
  ALERT: { alert, detail: text, cause: optional(stallCause) },
  FROZEN: {},
  RESTORED: { attempts: integer },
  RESUMED: {},
});

/** The kinds of facts. */
export const FACT_KINDS: readonly string[] = [...fact.shapes.keys()].map(String);

/** One durable step of one shard. */
export const record: Kind<JournalRecord> = object<JournalRecord>("a record", {
  shard: integer,
  sequence: integer,
  timeMs: integer,
  cause,
  changes: list(
    object<ParentChange>("a change", {
      orderId: integer,
      previous: integer,
      facts: list(fact),
    }),
  ),
});
