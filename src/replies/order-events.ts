import type { ListStatusView, OrderStatus } from "../lifecycle/index.ts";
import type { AlertKind, Contingency, ListKind, NativeExecution, Side } from "../model/index.ts";
import { IN_EVENTS, MANAGED_ORDER } from "./orders.ts";
import {
  type Count,
  type Flag,
  flag,
  type Id,
  type MaybeCount,
  type MaybeObject,
  type MaybeOf,
  type MaybeText,
  type MaybeTexts,
  maybeEach,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTexts,
  number,
  pick,
  type ReadOf,
  type Text,
  text,
  whole,
} from "./table.ts";

/** Letters of ORDER_TRADE_UPDATE that are not used here; their values never change, and no client reads them. */
export const UNUSED_LETTERS = {
  b: "0",
  a: "0",
  m: false,
  wt: "CONTRACT_PRICE",
  cp: false,
  pP: false,
  si: 0,
  ss: 0,
  rp: "0",
  V: "NONE",
  pm: "NONE",
} as const;

type SpelledOut = Pick<typeof MANAGED_ORDER, (typeof IN_EVENTS)[number]>;

const LETTERS = {
  /** Symbol. */
  s: text as Text,
  /** Client id. */
  c: text as Text,
  /** Order id: negative for managed orders. */
  i: whole as Id<number | bigint>,
  S: text as Text<Side>,
  /** Type. */
  o: text as Text,
  ot: text as Text,
  /** Time in force. */
  f: text as Text,
  /** Quantity, with what is executed. */
  q: text as Text,
  /** Limit price; `"0"` if there is none. */
  p: text as Text,
  /** Stop price; `"0"` if there is none. */
  sp: text as Text,
  /** Type of the event. */
  x: text as Text<NativeExecution["execType"] | "TRIGGERED" | "AMENDED" | "ALERT">,
  /** Status after the event. */
  X: text as Text<OrderStatus>,
  /** Quantity of this fill; `"0"` if the event is not a fill. */
  l: text as Text,
  /** Price of this fill; `"0"` if the event is not a fill. */
  L: text as Text,
  /** Executed quantity after the event. */
  z: text as Text,
  /** Average price after the event. */
  ap: text as Text,
  T: number as Count,
  /** Number of this fill; 0 if the event is not a fill. */
  t: whole as Id<number | bigint>,
  R: flag as Flag,
  /** Expiry; 0 for none. */
  gtd: number as Count,
  er: text as Text,
  /** Id of the list; -1 for none. */
  g: whole as Id<number | bigint>,
  accountId: number as Count,
  executionId: maybeText as MaybeText,
  /** Activation price of a trailing order. */
  AP: maybeText as MaybeText,
  /** Trailing distance in percent. */
  cr: maybeText as MaybeText,
  /** Why the order ended. */
  reason: maybeText as MaybeText,
  rejectReason: maybeText as MaybeText,
  /** Conditions that a person should look at. */
  alerts: maybeTexts as MaybeTexts<AlertKind>,
} as const;

/** Terms of an order before an amend, by the names of an amend's fields. Only those that it changed are present. */
export const TERMS_BEFORE = {
  quantity: maybeText as MaybeText,
  price: maybeText as MaybeText,
  stopPrice: maybeText as MaybeText,
  trailingDelta: maybeNumber as MaybeCount,
  price2: maybeText as MaybeText,
  trailingAmount: maybeText as MaybeText,
  limitOffset: maybeText as MaybeText,
  icebergQty: maybeText as MaybeText,
  expireTime: maybeNumber as MaybeCount,
} as const;

const OF_AMENDS = {
  /** Terms before the amend. */
  before: /* @__PURE__ */ maybeObject(TERMS_BEFORE) as MaybeObject<typeof TERMS_BEFORE>,
  /** Id of the amend; absent for a leg that changed with another. */
  amendId: maybeText as MaybeText,
} as const;

/** A managed order in an event. */
export const MANAGED_UPDATE: Omit<typeof LETTERS, "rejectReason"> & SpelledOut & typeof OF_AMENDS =
  /* @__PURE__ */ Object.assign({}, LETTERS, /* @__PURE__ */ pick(MANAGED_ORDER, IN_EVENTS), OF_AMENDS);

/** A native order in an event. */
export const NATIVE_UPDATE: Omit<typeof LETTERS, "AP" | "cr" | "alerts"> = LETTERS;

/** An order in an event, managed or native, as a client reads it. Source: convention 4.9. */
export const ORDER_UPDATE: typeof LETTERS & MaybeOf<SpelledOut> & typeof OF_AMENDS =
  /* @__PURE__ */ Object.assign({}, LETTERS, /* @__PURE__ */ maybeEach(MANAGED_ORDER, IN_EVENTS), OF_AMENDS);

/** Members of every event of an account. */
export const STAMP = {
  /** Time at which the event was sent. */
  E: number as Count,
  /** Number of the event in its series; rises by one with each event. */
  sequence: number as Count,
} as const;

const ORDER_CHANGED = {
  e: text as Text<"ORDER_TRADE_UPDATE">,
  E: number as Count,
  sequence: number as Count,
  T: number as Count,
} as const;

/** An order changed. */
export const ORDER_EVENT: typeof ORDER_CHANGED & { readonly o: typeof ORDER_UPDATE } =
  /* @__PURE__ */ Object.assign({}, ORDER_CHANGED, { o: ORDER_UPDATE });

/** A list was placed, legs of it were released, or its last leg has ended. Source: convention 4.8. */
export const LIST_STATUS = {
  e: text as Text<"listStatus">,
  E: number as Count,
  sequence: number as Count,
  s: text as Text,
  g: whole as Id,
  c: text as Text<Contingency>,
  /** Absent for a list that its contingency tells whole. */
  listKind: maybeText as MaybeText<ListKind>,
  l: text as Text<ListStatusView["listStatusType"]>,
  L: text as Text<ListStatusView["listOrderStatus"]>,
  r: text as Text,
  C: text as Text,
  T: number as Count,
  accountId: number as Count,
  /** Symbol, id and client id of each leg. */
  O: [{ s: text as Text, i: whole as Id, c: text as Text }],
} as const;

/** Balances or positions changed. Source: convention 4.10. */
export const ACCOUNT_UPDATE = {
  e: text as Text<"ACCOUNT_UPDATE">,
  E: number as Count,
  sequence: number as Count,
  T: number as Count,
  accountId: number as Count,
  a: {
    /** The reason. */
    m: text as Text,
    /** Asset, balance, the part that is not isolated, change. */
    B: [{ a: text as Text, wb: text as Text, cw: text as Text, bc: text as Text }],
    /** Symbol, amount, entry price, break-even price, realized and unrealized profit. */
    P: [
      {
        s: text as Text,
        pa: text as Text,
        ep: text as Text,
        bep: text as Text,
        cr: text as Text,
        up: text as Text,
      },
    ],
  },
} as const;

/** The margin of an account is insufficient. Source: convention 4.10. */
export const MARGIN_CALL = {
  e: text as Text<"MARGIN_CALL">,
  E: number as Count,
  sequence: number as Count,
  accountId: number as Count,
  cw: maybeText as MaybeText,
  /** Symbol, side, amount, margin type, isolated balance, mark price, unrealized profit, maintenance margin. */
  p: [
    {
      s: text as Text,
      ps: text as Text,
      pa: text as Text,
      mt: text as Text,
      iw: text as Text,
      mp: text as Text,
      up: text as Text,
      mm: text as Text,
    },
  ],
} as const;

/** A subscription of a connection to the events of an account. */
export const SUBSCRIPTION = { subscriptionId: number as Count, accountId: number as Count } as const;

/** A subscription that has begun. */
export const SUBSCRIBED = {
  subscriptionId: number as Count,
  accountId: number as Count,
  /** Number of the last event before the subscription. */
  sequence: number as Count,
  /** The series of numbers that `sequence` belongs to. */
  streamId: text as Text,
} as const;

/** Members of every event of an account. */
interface Stamped extends ReadOf<typeof STAMP> {}

/** An order after a change. Members that never have a value here are left out. Source: convention 4.9. */
export interface OrderUpdateMembers extends ReadOf<typeof ORDER_UPDATE> {}

/** An order changed. */
export interface OrderUpdateEvent extends ReadOf<typeof ORDER_CHANGED> {
  readonly o: OrderUpdateMembers;
}

/** A list was placed, legs of it were released, or its last leg has ended. */
export interface ListStatusEvent extends ReadOf<typeof LIST_STATUS> {}

/** Balances or positions changed. */
export interface AccountUpdateEvent extends ReadOf<typeof ACCOUNT_UPDATE> {}

/** The margin of an account is insufficient. */
export interface MarginCallEvent extends ReadOf<typeof MARGIN_CALL> {}

/** An event that this version of the client does not know. */
export interface UnknownEvent extends Stamped {
  readonly e: "unknown";
  /** Its members as received. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** An event of an account. */
export type AccountEvent =
  | OrderUpdateEvent
  | ListStatusEvent
  | AccountUpdateEvent
  | MarginCallEvent
  | UnknownEvent;

/** A subscription to the events of an account. */
export interface SubscribedReply extends ReadOf<typeof SUBSCRIBED> {}

/** A subscription of a connection. */
export interface SubscriptionReply extends ReadOf<typeof SUBSCRIPTION> {}
