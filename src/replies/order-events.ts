import type { ReadOf } from "./table.ts";

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

/** Members that an event has for an order, managed or native. Source: convention 4.9. */
const ORDER = {
  /** Symbol. */
  s: "text",
  /** Client id. */
  c: "text",
  /** Order id: negative for managed orders. */
  i: "whole",
  S: "Side",
  /** Type. */
  o: "text",
  ot: "text",
  /** Time in force. */
  f: "text",
  /** Quantity as placed. */
  q: "quantity",
  /** Limit price; `"0"` if there is none. */
  p: "price",
  /** Stop price; `"0"` if there is none. */
  sp: "price",
  /** Type of the event. */
  x: "UpdateType",
  /** Status after the event. */
  X: "OrderStatus",
  /** Quantity of this fill; `"0"` if the event is not a fill. */
  l: "quantity",
  /** Price of this fill; `"0"` if the event is not a fill. */
  L: "price",
  /** Executed quantity after the event. */
  z: "quantity",
  /** Average price after the event. */
  ap: "price",
  T: "time",
  /** Number of this fill; 0 if the event is not a fill. */
  t: "whole",
  R: "flag",
  /** Expiry; 0 for none. */
  gtd: "long",
  er: "text",
  /** Id of the list; -1 for none. */
  g: "whole",
  accountId: "long",
  executionId: "text?",
} as const;

const OF_MANAGED = {
  /** Activation price of a trailing order. */
  AP: "price?",
  /** Trailing distance in percent. */
  cr: "decimal?",
  apiState: "ApiState",
  held: "flag",
  cancelPending: "flag",
  /** Why nothing of a managed order executes although it should; absent unless it is stalled. */
  stalled: "StallCause?",
  /** The level that was met, and when; absent until the order triggers. */
  triggerLevel: "price?",
  triggerTime: "time?",
  /** Why the order ended. */
  reason: "EndReason?",
  /** Conditions that a person should look at. */
  alerts: "AlertKind[]?",
} as const;

const OF_NATIVE = { reason: "ExecutionReason?", rejectReason: "RejectReason?" } as const;

/** Members that orders of one kind always have, or whose words depend on the kind, as a client reads them. */
const OF_EITHER = {
  apiState: "ApiState?",
  held: "flag?",
  cancelPending: "flag?",
  /** Why the order ended. */
  reason: "text?",
  rejectReason: "text?",
} as const;

/** A managed order in an event. */
export const MANAGED_UPDATE: typeof ORDER & typeof OF_MANAGED = /* @__PURE__ */ Object.assign(
  {},
  ORDER,
  OF_MANAGED,
);

/** A native order in an event. */
export const NATIVE_UPDATE: typeof ORDER & typeof OF_NATIVE = /* @__PURE__ */ Object.assign(
  {},
  ORDER,
  OF_NATIVE,
);

type Managed = Omit<typeof OF_MANAGED, keyof typeof OF_EITHER>;

/** An order in an event, as a client reads it. */
export const ORDER_UPDATE: typeof ORDER & Managed & typeof OF_EITHER = /* @__PURE__ */ Object.assign(
  {},
  ORDER,
  OF_MANAGED,
  OF_EITHER,
);

/** Members of every event of an account. */
export const STAMP = {
  /** Time at which the event was sent. */
  E: "time",
  /** Number of the event in its series; rises by one with each event. */
  sequence: "long",
} as const;

const ORDER_CHANGED = { e: "=ORDER_TRADE_UPDATE", E: "time", sequence: "long", T: "time" } as const;

/** An order changed. */
export const ORDER_EVENT: typeof ORDER_CHANGED & { readonly o: typeof ORDER_UPDATE } =
  /* @__PURE__ */ Object.assign({}, ORDER_CHANGED, { o: ORDER_UPDATE });

/** A list was placed, legs of it were released, or its last leg has ended. Source: convention 4.8. */
export const LIST_STATUS = {
  e: "=listStatus",
  E: "time",
  sequence: "long",
  s: "text",
  g: "id",
  c: "Contingency",
  l: "ListStatusType",
  L: "ListOrderStatus",
  r: "text",
  C: "text",
  T: "time",
  accountId: "long",
  /** Symbol, id and client id of each leg. */
  O: [{ s: "text", i: "id", c: "text" }],
} as const;

/** Balances or positions changed. Source: convention 4.10. */
export const ACCOUNT_UPDATE = {
  e: "=ACCOUNT_UPDATE",
  E: "time",
  sequence: "long",
  T: "time",
  accountId: "long",
  a: {
    /** The reason. */
    m: "text",
    /** Asset, balance, the part that is not isolated, change. */
    B: [{ a: "text", wb: "signed", cw: "signed", bc: "signed" }],
    /** Symbol, amount, entry price, break-even price, realized and unrealized profit. */
    P: [{ s: "text", pa: "signed", ep: "signed", bep: "signed", cr: "signed", up: "signed" }],
  },
} as const;

/** The margin of an account is insufficient. Source: convention 4.10. */
export const MARGIN_CALL = {
  e: "=MARGIN_CALL",
  E: "time",
  sequence: "long",
  accountId: "long",
  cw: "signed?",
  /** Symbol, side, amount, margin type, isolated balance, mark price, unrealized profit, maintenance margin. */
  p: [
    {
      s: "text",
      ps: "text",
      pa: "signed",
      mt: "text",
      iw: "signed",
      mp: "signed",
      up: "signed",
      mm: "signed",
    },
  ],
} as const;

/** Members of every event of an account. */
interface Stamped extends ReadOf<typeof STAMP> {}

/** An order after a change. Members that never have a value here are left out. Source: convention 4.9. */
export interface OrderUpdateMembers extends ReadOf<typeof ORDER>, ReadOf<Managed>, ReadOf<typeof OF_EITHER> {}

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
