import type { ApiState, ListStatusView, OrderStatus } from "../../lifecycle/index.ts";
import type { AlertKind, Contingency, Side, StallCause } from "../../model/index.ts";
import {
  flag,
  list,
  maybe,
  members,
  number,
  object,
  type Reader,
  type Shape,
  text,
  type WholeText,
  whole,
} from "../replies/reader.ts";

/** Members of every event of an account. */
interface Stamped {
  /** Time at which the event was sent. */
  readonly E: number;
  /** Number of the event in its series; rises by one with each event. */
  readonly sequence: number;
}

/** An order after a change. Members that never have a value here are left out. Source: convention 4.9. */
export interface OrderUpdateMembers {
  /** Symbol. */
  readonly s: string;
  /** Client id. */
  readonly c: string;
  /** Order id: negative for managed orders. */
  readonly i: WholeText;
  readonly S: Side;
  /** Type. */
  readonly o: string;
  readonly ot: string;
  /** Time in force. */
  readonly f: string;
  /** Quantity as placed. */
  readonly q: string;
  /** Limit price; `"0"` if there is none. */
  readonly p: string;
  /** Stop price; `"0"` if there is none. */
  readonly sp: string;
  /** Type of the event. */
  readonly x: "NEW" | "TRADE" | "CANCELED" | "EXPIRED" | "REJECTED" | "TRIGGERED" | "ALERT";
  /** Status after the event. */
  readonly X: OrderStatus;
  /** Quantity of this fill; `"0"` if the event is not a fill. */
  readonly l: string;
  /** Price of this fill; `"0"` if the event is not a fill. */
  readonly L: string;
  /** Executed quantity after the event. */
  readonly z: string;
  /** Average price after the event. */
  readonly ap: string;
  readonly T: number;
  /** Number of this fill; `"0"` if the event is not a fill. */
  readonly t: WholeText;
  readonly R: boolean;
  /** Expiry; 0 for none. */
  readonly gtd: number;
  readonly er: string;
  /** Id of the list; `"-1"` for none. */
  readonly g: WholeText;
  readonly accountId: number;
  readonly executionId?: string | undefined;
  /** Activation price of a trailing order. */
  readonly AP?: string | undefined;
  /** Trailing distance in percent. */
  readonly cr?: string | undefined;
  readonly apiState?: ApiState | undefined;
  readonly held?: boolean | undefined;
  readonly cancelPending?: boolean | undefined;
  /** Why nothing of a managed order executes although it should; absent unless it is stalled. */
  readonly stalled?: StallCause | undefined;
  /** The level that was met, and when; absent until the order triggers. */
  readonly triggerLevel?: string | undefined;
  readonly triggerTime?: number | undefined;
  /** Why the order ended. */
  readonly reason?: string | undefined;
  readonly rejectReason?: string | undefined;
  /** Conditions that a person should look at. */
  readonly alerts?: readonly AlertKind[] | undefined;
}

/** An order changed. */
export interface OrderUpdateEvent extends Stamped {
  readonly e: "ORDER_TRADE_UPDATE";
  readonly T: number;
  readonly o: OrderUpdateMembers;
}

/** A list was placed, legs of it were released, or its last leg has ended. */
export interface ListStatusEvent extends Stamped {
  readonly e: "listStatus";
  readonly s: string;
  readonly g: WholeText;
  readonly c: Contingency;
  readonly l: ListStatusView["listStatusType"];
  readonly L: ListStatusView["listOrderStatus"];
  readonly r: string;
  readonly C: string;
  readonly T: number;
  readonly accountId: number;
  /** Symbol, id and client id of each leg. */
  readonly O: readonly Readonly<{ s: string; i: WholeText; c: string }>[];
}

/** Balances or positions changed. */
export interface AccountUpdateEvent extends Stamped {
  readonly e: "ACCOUNT_UPDATE";
  readonly T: number;
  readonly accountId: number;
  readonly a: Readonly<{
    /** The reason. */
    m: string;
    /** Asset, balance, the part that is not isolated, change. */
    B: readonly Readonly<{ a: string; wb: string; cw: string; bc: string }>[];
    /** Symbol, amount, entry price, break-even price, realized and unrealized profit. */
    P: readonly Readonly<{ s: string; pa: string; ep: string; bep: string; cr: string; up: string }>[];
  }>;
}

/** The margin of an account is insufficient. */
export interface MarginCallEvent extends Stamped {
  readonly e: "MARGIN_CALL";
  readonly accountId: number;
  readonly cw?: string | undefined;
  /** Symbol, side, amount, margin type, isolated balance, mark price, unrealized profit, maintenance margin. */
  readonly p: readonly Readonly<Record<"s" | "ps" | "pa" | "mt" | "iw" | "mp" | "up" | "mm", string>>[];
}

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

/** Readers of the members of an order in an event. */
export const ORDER_SHAPE: Shape<OrderUpdateMembers> = /* @__PURE__ */ (() => ({
  s: text,
  c: text,
  i: whole,
  S: text<Side>,
  o: text,
  ot: text,
  f: text,
  q: text,
  p: text,
  sp: text,
  x: text<OrderUpdateMembers["x"]>,
  X: text<OrderStatus>,
  l: text,
  L: text,
  z: text,
  ap: text,
  T: number,
  t: whole,
  R: flag,
  gtd: number,
  er: text,
  g: whole,
  accountId: number,
  executionId: maybe(text),
  AP: maybe(text),
  cr: maybe(text),
  apiState: maybe(text<ApiState>),
  held: maybe(flag),
  cancelPending: maybe(flag),
  stalled: maybe(text<StallCause>),
  triggerLevel: maybe(text),
  triggerTime: maybe(number),
  reason: maybe(text),
  rejectReason: maybe(text),
  alerts: maybe(list(text<AlertKind>)),
}))();

const STAMP: Shape<Stamped> = { E: number, sequence: number };

/** Readers of the members of each event by its name. */
export const EVENT_SHAPES: Readonly<{
  ORDER_TRADE_UPDATE: Shape<OrderUpdateEvent>;
  listStatus: Shape<ListStatusEvent>;
  ACCOUNT_UPDATE: Shape<AccountUpdateEvent>;
  MARGIN_CALL: Shape<MarginCallEvent>;
}> = /* @__PURE__ */ (() => ({
  ORDER_TRADE_UPDATE: {
    ...STAMP,
    e: text<"ORDER_TRADE_UPDATE">,
    T: number,
    o: object(ORDER_SHAPE),
  },
  listStatus: {
    ...STAMP,
    e: text<"listStatus">,
    s: text,
    g: whole,
    c: text<Contingency>,
    l: text<ListStatusEvent["l"]>,
    L: text<ListStatusEvent["L"]>,
    r: text,
    C: text,
    T: number,
    accountId: number,
    O: list(object<ListStatusEvent["O"][number]>({ s: text, i: whole, c: text })),
  },
  ACCOUNT_UPDATE: {
    ...STAMP,
    e: text<"ACCOUNT_UPDATE">,
    T: number,
    accountId: number,
    a: object<AccountUpdateEvent["a"]>({
      m: text,
      B: list(object({ a: text, wb: text, cw: text, bc: text })),
      P: list(object({ s: text, pa: text, ep: text, bep: text, cr: text, up: text })),
    }),
  },
  MARGIN_CALL: {
    ...STAMP,
    e: text<"MARGIN_CALL">,
    accountId: number,
    cw: maybe(text),
    p: list(object({ s: text, ps: text, pa: text, mt: text, iw: text, mp: text, up: text, mm: text })),
  },
}))();

const isKnown = (name: unknown): name is keyof typeof EVENT_SHAPES =>
  typeof name === "string" && Object.hasOwn(EVENT_SHAPES, name);

/** Reads an event of an account. Throws WrongType for one with a missing or wrong member. */
export const readEvent: Reader<AccountEvent> = (value, at) => {
  const event = members(value, at);
  if (isKnown(event.e)) return object(EVENT_SHAPES[event.e] as Shape<AccountEvent>)(value, at);
  const { E, sequence } = object(STAMP)(value, at);
  return { e: "unknown", E, sequence, members: event };
};
