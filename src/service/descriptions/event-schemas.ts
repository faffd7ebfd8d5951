import {
  EXECUTION_REASONS,
  NATIVE_STATUSES,
  REJECT_REASONS,
  UPDATE_REASONS,
  words,
} from "../../host-answers/index.ts";
import { type AlertKind, type EndReason, ORDER_TYPES } from "../../model/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { MANAGED_ORDER, MANAGED_ORDER_IN_EVENTS } from "../views/managed-order.ts";
import {
  decimal,
  flag,
  int64,
  integer,
  list,
  long,
  type Members,
  object,
  oneOf,
  only,
  optional,
  ref,
  signedDecimal,
  text,
  time,
} from "../views/schema.ts";
import { BOOK_SIDE } from "./market-schemas.ts";

const END_REASONS = words<EndReason>({
  FILLED: true,
  USER_CANCELED: true,
  EXPIRED_GTD: true,
  RESIDUAL_BELOW_MIN_NOTIONAL: true,
  REJECTED_BY_VENUE: true,
  OVERFILL: true,
  BEYOND_LIMIT: true,
  SCHEDULE_ENDED: true,
  WOULD_MATCH_IMMEDIATELY: true,
  OCO_TRIGGER: true,
  WORKING_LEG_ENDED: true,
});

const ALERTS = words<AlertKind>({
  LATE_FILL: true,
  OVERFILL: true,
  UNKNOWN_ESCALATED: true,
  INVARIANT_BROKEN: true,
  POSITION_UNPROTECTED: true,
  VENUE_REPORT_INVALID: true,
  CHILD_BEYOND_LIMIT: true,
});

const EVENT_TIME = time("When the event went out.");
const SIDE = oneOf(["BUY", "SELL"], "Which way the order trades.");
const EXECUTION = oneOf(["NEW", "TRADE", "CANCELED", "EXPIRED", "REJECTED"], "What happened.");
const SYMBOL = text("Symbol of the market.");

/** Returns the members of every event of the private stream. */
const stamped = (name: string): Members => ({
  e: only(name, "Which event it is."),
  E: EVENT_TIME,
  sequence: long("Number of the event within its account; it rises by one.", { minimum: 1 }),
});

/** Letters of the convention that are not used here; their values never change. */
const FIXED: Members = {
  b: only("0", "Not used."),
  a: only("0", "Not used."),
  m: only(false, "Not used."),
  wt: only("CONTRACT_PRICE", "Not used."),
  cp: only(false, "Not used."),
  pP: only(false, "Not used."),
  si: only(0, "Not used."),
  ss: only(0, "Not used."),
  rp: only("0", "Not used."),
  V: only("NONE", "Not used."),
  pm: only("NONE", "Not used."),
};

/** Members that an event has for an order, managed or native. */
const ORDER: Members = {
  s: SYMBOL,
  c: text("Client id of the order."),
  S: SIDE,
  o: text("Type."),
  f: text("Time in force."),
  q: decimal("Quantity that was asked for."),
  p: decimal("Limit price; 0: it has none."),
  ap: decimal("Average price so far."),
  sp: decimal("Stop price; 0: it has none."),
  x: EXECUTION,
  X: text("Status after it."),
  i: int64("Id of the order."),
  l: decimal("Quantity of this execution; 0: it was no trade."),
  z: decimal("Quantity that was executed up to and with it."),
  L: decimal("Price of this execution; 0: it was no trade."),
  T: time("When it happened."),
  t: int64("Id of the execution where that is a number, else 0."),
  R: flag("May only make a position smaller."),
  ot: text("Type."),
  ...FIXED,
  gtd: long("When the order ends by itself, epoch milliseconds; 0: it does not."),
  er: text("Number of an expiry: 2 the rest of a limit order, 9 that of a market order, else 0."),
  g: int64("Id of its list; -1: it is in none."),
  accountId: long("Account that owns the order."),
  executionId: optional(text("Id of the execution.")),
};

const MANAGED: Members = {
  ...ORDER,
  o: oneOf(ORDER_TYPES, "Type."),
  ot: oneOf(ORDER_TYPES, "Type."),
  f: oneOf(["GTC", "GTD"], "Time in force."),
  X: MANAGED_ORDER.status,
  i: long("Id of the order: negative.", { maximum: -1 }),
  AP: optional(decimal("Price from which the trigger follows; 0: from the first quote.")),
  cr: optional(decimal("Trailing distance in percent.")),
  ...MANAGED_ORDER_IN_EVENTS,
  reason: optional(oneOf(END_REASONS, "Why it ended.")),
  alert: optional(oneOf(ALERTS, "What a person should look at.")),
};

const NATIVE: Members = {
  ...ORDER,
  X: oneOf(NATIVE_STATUSES, "Status after it."),
  reason: optional(oneOf(EXECUTION_REASONS, "Why it ended without a fill.")),
  rejectReason: optional(oneOf(REJECT_REASONS, "Why it was refused.")),
};

const BALANCE = object("A balance.", {
  a: text("Asset."),
  wb: signedDecimal("Balance now."),
  cw: signedDecimal("The part of it that is not isolated."),
  bc: signedDecimal("How much it changed by."),
});

const POSITION = object("A position.", {
  s: SYMBOL,
  pa: signedDecimal("Amount now; below zero it is short."),
  ep: signedDecimal("Price of entry."),
  bep: signedDecimal("Price at which it breaks even."),
  cr: signedDecimal("Realized profit."),
  up: signedDecimal("Unrealized profit."),
  mt: only("cross", "Margin type."),
  iw: only("0", "Not used."),
  ps: only("BOTH", "Position side."),
});

const AT_RISK = object("A position whose margin runs short.", {
  s: SYMBOL,
  ps: oneOf(["BOTH", "LONG", "SHORT"], "Position side."),
  pa: signedDecimal("Amount; below zero it is short."),
  mt: oneOf(["CROSSED", "ISOLATED"], "Margin type."),
  iw: signedDecimal("Isolated balance."),
  mp: signedDecimal("Mark price."),
  up: signedDecimal("Unrealized profit."),
  mm: signedDecimal("Margin that is needed."),
});

const LEG = object("A leg.", {
  s: SYMBOL,
  i: long("Id of the leg.", { maximum: -1 }),
  c: text("Client id of the leg."),
});

const CHANGES = list(
  { type: "array", items: decimal("Price in USD, then quantity."), minItems: 2, maxItems: 2 },
  "Levels that changed: price and quantity; quantity 0: the level is gone.",
);

/** Schemas of the events of the private stream. Source: decision 45; convention 4.8-4.11. */
export const PRIVATE_EVENTS: Readonly<Record<string, JsonSchema>> = {
  OrderTradeUpdate: object("What happened to an order.", {
    ...stamped("ORDER_TRADE_UPDATE"),
    T: time("When it was recorded."),
    o: { oneOf: [ref("ManagedTrade"), ref("NativeTrade")] },
  }),
  ListStatus: object("A list was placed, legs of it were released, or the last of them has ended.", {
    ...stamped("listStatus"),
    s: SYMBOL,
    g: long("Id of the list.", { maximum: -2 }),
    c: oneOf(["OCO", "OTO", "OTOCO"], "How the legs depend on each other."),
    l: oneOf(["EXEC_STARTED", "ALL_DONE"], "Whether all legs have ended."),
    L: oneOf(["EXECUTING", "ALL_DONE"], "The same."),
    r: only("NONE", "Not used."),
    C: text("Client id of the list."),
    T: time("When it was recorded."),
    accountId: long("Account that owns the list."),
    O: list(LEG, "The legs: working, protective, then the other."),
  }),
  AccountUpdate: object("Balances or positions changed.", {
    ...stamped("ACCOUNT_UPDATE"),
    T: time("When they changed."),
    accountId: long("Account."),
    a: object("What there is now.", {
      m: oneOf(UPDATE_REASONS, "Why they changed."),
      B: list(BALANCE, "Balances that may have changed."),
      P: list(POSITION, "Positions that may have changed."),
    }),
  }),
  MarginCall: object("Margin runs short.", {
    ...stamped("MARGIN_CALL"),
    accountId: long("Account."),
    cw: optional(signedDecimal("Cross balance.")),
    p: list(AT_RISK, "Positions that are concerned."),
  }),
  EventStreamTerminated: object("A subscription has ended.", {
    e: only("eventStreamTerminated", "Which event it is."),
    E: EVENT_TIME,
  }),
};

/** Schemas that the events refer to, and the event of every connection. */
export const EVENT_PARTS: Readonly<Record<string, JsonSchema>> = {
  ManagedTrade: object("A managed order in an event.", MANAGED),
  NativeTrade: object("A native order in an event.", NATIVE),
  ServerShutdown: object("The service stops; connect again.", {
    e: only("serverShutdown", "Which event it is."),
    E: EVENT_TIME,
  }),
};

/** Schemas of the events of the public streams. Source: decision 45; convention 4.12. */
export const PUBLIC_EVENTS: Readonly<Record<string, JsonSchema>> = {
  BookTicker: object("Best prices of a market.", {
    e: only("bookTicker", "Which event it is."),
    E: EVENT_TIME,
    u: long("Number of the quote."),
    s: SYMBOL,
    b: decimal("Best bid."),
    B: decimal("Quantity there; 0: that side is empty."),
    a: decimal("Best ask."),
    A: decimal("Quantity there; 0: that side is empty."),
  }),
  DepthUpdate: object("What a quote changed in the book.", {
    e: only("depthUpdate", "Which event it is."),
    E: EVENT_TIME,
    s: SYMBOL,
    U: long("Number of the quote: one above that of the quote before."),
    u: long("The same."),
    b: CHANGES,
    a: CHANGES,
  }),
  PartialDepth: object("The best twenty levels of each side.", {
    e: only("depth20", "Which event it is."),
    E: EVENT_TIME,
    s: SYMBOL,
    lastUpdateId: text("Number of the quote."),
    bids: BOOK_SIDE,
    asks: BOOK_SIDE,
  }),
  PublicTrade: object("An execution of the service.", {
    e: only("trade", "Which event it is."),
    E: EVENT_TIME,
    s: SYMBOL,
    t: text("Id of the execution."),
    p: decimal("Price."),
    q: decimal("Quantity."),
    T: time("When it happened."),
    m: only(false, "Not told."),
    M: only(true, "Not used."),
  }),
};

/** Code of a refusal on the public socket. Source: convention 4.12. */
export const CONTROL_ERROR: JsonSchema = integer(
  "1: a value of the wrong type; 2: a wrong request; 3: no JSON.",
  {
    enum: [1, 2, 3],
  },
);
