import { ERRORS } from "../../errors/index.ts";
import { UPDATE_REASONS } from "../../host-answers/index.ts";
import { ORDER_TYPES } from "../../model/index.ts";
import {
  ACCOUNT_UPDATE,
  BOOK_TICKER,
  DEPTH_UPDATE,
  IN_EVENTS,
  LIST_STATUS,
  MANAGED_UPDATE,
  MARGIN_CALL,
  NATIVE_UPDATE,
  ORDER_EVENT,
  PARTIAL_DEPTH,
  PUBLIC_TRADE,
  pick,
  TERMS_BEFORE,
  UNUSED_LETTERS,
} from "../../replies/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import { BOOK_SIDE } from "./market-schemas.ts";
import { MANAGED_NOTES } from "./order-schemas.ts";
import {
  decimal,
  described,
  flag,
  int64,
  integer,
  list,
  long,
  type Members,
  type NotesOf,
  object,
  oneOf,
  only,
  ref,
  signedDecimal,
  text,
  time,
  WORDS,
} from "./schema.ts";

/** Time at which an event was sent. */
export const EVENT_TIME: JsonSchema = time("Time at which the event was sent.");
const SYMBOL = text("Symbol of the market.");

/** Returns what is said of the members of every event of the private stream. */
export const stamped = (name: string): Readonly<Record<"e" | "E" | "sequence", JsonSchema>> => ({
  e: only(name, "Event type."),
  E: EVENT_TIME,
  sequence: long("Sequence number of the event within its account. It increases by one with each event.", {
    minimum: 1,
  }),
});

/** The schemas of the letters of the convention that are not used here. */
const UNUSED = Object.fromEntries(
  Object.entries(UNUSED_LETTERS).map(([letter, value]) => [letter, only(value, "Not used.")]),
);

/** Members that an event has for an order, managed or native. */
export const EVENT_ORDER: NotesOf<Omit<typeof NATIVE_UPDATE, "reason" | "rejectReason">> = {
  s: text("Symbol of the market."),
  c: text("Client id of the order."),
  S: oneOf(WORDS.side, "Side of the order."),
  o: text("Type."),
  f: text("Time in force."),
  q: decimal("Ordered quantity."),
  p: decimal("Limit price; 0 if there is none."),
  ap: decimal("Average price of the fills so far; 0 if there is none, or if the host does not report it."),
  sp: decimal("Stop price; 0 if there is none."),
  x: oneOf(
    WORDS.updateType,
    "Execution type: the event that happened to the order. TRIGGERED: its trigger was met; a child may follow. ALERT: only `alerts` and `stalled` have changed.",
  ),
  X: oneOf(WORDS.status, "Status of the order after the event."),
  i: int64("Id of the order."),
  l: decimal("Quantity of this execution; 0 if the event is not a trade."),
  z: decimal("Cumulative executed quantity, this execution included."),
  L: decimal("Price of this execution; 0 if the event is not a trade."),
  T: time("Time of the event."),
  t: int64("Number of the execution, the same as in replies; 0 if the event is not a trade."),
  R: flag("Whether the order may only reduce a position."),
  ot: text("Type."),
  ...UNUSED,
  gtd: long("Expiry of the order in epoch milliseconds; 0 if it has none."),
  er: text(
    "Expiry reason: 2 for the unfilled rest of a limit order, 9 for the unfilled rest of a market order, else 0.",
  ),
  g: int64("Id of the list of the order; -1 if it is not part of a list."),
  accountId: long("Account that owns the order."),
  executionId: text("Id of the execution, a text of the venue."),
};

/** Terms that an amend may change, by the names of a managed order, but for its quantity. */
const CHANGEABLE = [
  ...(["price", "stopPrice", "trailingDelta", "price2", "trailingAmount"] as const),
  ...(["limitOffset", "icebergQty", "expireTime"] as const),
] as const;

const MANAGED = described(MANAGED_UPDATE, {
  ...EVENT_ORDER,
  o: oneOf(ORDER_TYPES, "Type."),
  ot: oneOf(ORDER_TYPES, "Type."),
  f: oneOf(["GTC", "GTD"], "Time in force."),
  X: MANAGED_NOTES.status,
  i: long("Id of the order: negative.", { maximum: -1 }),
  AP: decimal("Price at which trailing begins; 0 if it begins with the first quote."),
  cr: decimal("Trailing distance in percent."),
  ...pick(MANAGED_NOTES, IN_EVENTS),
  reason: oneOf(WORDS.endReason, "Reason why the order ended."),
  before: object(
    "The terms before an amend: those that it changed.",
    described(TERMS_BEFORE, { quantity: MANAGED_NOTES.origQty, ...pick(MANAGED_NOTES, CHANGEABLE) }),
  ),
  amendId: text("Id of the amend; absent for a leg that changed with another."),
  alerts: list(
    oneOf(WORDS.alert, "Condition that a person should look at."),
    "What the event raised, in order.",
  ),
});

const NATIVE = described(NATIVE_UPDATE, {
  ...EVENT_ORDER,
  X: oneOf(WORDS.nativeStatus, "Status of the order after the event."),
  reason: oneOf(WORDS.reason, "Reason why the order ended without a fill."),
  rejectReason: oneOf(WORDS.rejectReason, "Reason why the order was refused."),
});

const BALANCE = object(
  "A balance.",
  described(ACCOUNT_UPDATE.a.B[0], {
    a: text("Asset."),
    wb: signedDecimal("Current balance."),
    cw: signedDecimal("Cross balance: the part of the balance that is not isolated."),
    bc: signedDecimal("Change of the balance."),
  }),
);

const POSITION = object(
  "A position.",
  described(ACCOUNT_UPDATE.a.P[0], {
    s: text("Symbol of the market."),
    pa: signedDecimal("Current amount; negative for a short position."),
    ep: signedDecimal("Entry price."),
    bep: signedDecimal("Break-even price."),
    cr: signedDecimal("Realized profit."),
    up: signedDecimal("Unrealized profit."),
    mt: only("cross", "Margin type."),
    iw: only("0", "Not used."),
    ps: only("BOTH", "Position side."),
  }),
);

const AT_RISK = object(
  "A position with insufficient margin.",
  described(MARGIN_CALL.p[0], {
    s: text("Symbol of the market."),
    ps: text("Position side.", { enum: ["BOTH", "LONG", "SHORT"] }),
    pa: signedDecimal("Amount; negative for a short position."),
    mt: text("Margin type.", { enum: ["CROSSED", "ISOLATED"] }),
    iw: signedDecimal("Isolated balance."),
    mp: signedDecimal("Mark price."),
    up: signedDecimal("Unrealized profit."),
    mm: signedDecimal("Maintenance margin."),
  }),
);

const LEG = object(
  "A leg.",
  described(LIST_STATUS.O[0], {
    s: text("Symbol of the market."),
    i: long("Id of the leg.", { maximum: -1 }),
    c: text("Client id of the leg."),
  }),
);

const CHANGES = list(
  { type: "array", items: decimal("Price in USD, then quantity."), minItems: 2, maxItems: 2 },
  "Changed levels: price and quantity. A quantity of 0 removes the level.",
);

/** Price, quantity and time of an execution in a public event. */
export const TRADED: Readonly<Record<"p" | "q" | "T" | "m" | "M", JsonSchema>> = {
  p: decimal("Price."),
  q: decimal("Quantity."),
  T: time("Time of the execution."),
  m: only(false, "Not reported; always false."),
  M: only(true, "Not used."),
};

/** Schemas of the events of the private stream. Source: convention 4.8-4.11. */
export const PRIVATE_EVENTS: Readonly<Record<string, JsonSchema>> = {
  OrderTradeUpdate: object(
    "An order changed.",
    described(ORDER_EVENT, {
      ...stamped("ORDER_TRADE_UPDATE"),
      T: time("Time at which the change was recorded."),
      o: { oneOf: [ref("ManagedTrade"), ref("NativeTrade")] },
    }),
  ),
  ListStatus: object(
    "A list was placed, some of its legs were released, or its last leg ended.",
    described(LIST_STATUS, {
      ...stamped("listStatus"),
      s: text("Symbol of the market."),
      g: long("Id of the list.", { maximum: -2 }),
      c: oneOf(WORDS.contingencyType, "Type of the list: how its legs depend on each other."),
      listKind: oneOf(WORDS.listKind, "Kind of the list, if its type does not tell it."),
      l: oneOf(WORDS.listStatusType, "Whether all legs have ended."),
      L: oneOf(WORDS.listOrderStatus, "The same value under another name."),
      r: only("NONE", "Not used."),
      C: text("Client id of the list."),
      T: time("Time at which the change was recorded."),
      accountId: long("Account that owns the list."),
      O: list(LEG, "Legs of the list: the working leg, the protective leg, then the other leg."),
    }),
  ),
  AccountUpdate: object(
    "Balances or positions changed.",
    described(ACCOUNT_UPDATE, {
      ...stamped("ACCOUNT_UPDATE"),
      T: time("Time of the change."),
      accountId: long("Account."),
      a: object(
        "Current balances and positions.",
        described(ACCOUNT_UPDATE.a, {
          m: text("Reason for the change.", { enum: UPDATE_REASONS }),
          B: list(BALANCE, "Balances that may have changed."),
          P: list(POSITION, "Positions that may have changed."),
        }),
      ),
    }),
  ),
  MarginCall: object(
    "The margin of an account is insufficient.",
    described(MARGIN_CALL, {
      ...stamped("MARGIN_CALL"),
      accountId: long("Account."),
      cw: signedDecimal("Cross balance."),
      p: list(AT_RISK, "Affected positions."),
    }),
  ),
  EventStreamTerminated: object("A subscription has ended.", {
    e: only("eventStreamTerminated", "Event type."),
    E: EVENT_TIME,
  }),
};

/** Schemas that the events refer to, and the event of every connection. */
export const EVENT_PARTS: Readonly<Record<string, JsonSchema>> = {
  ManagedTrade: object("A managed order in an event.", MANAGED),
  NativeTrade: object("A native order in an event.", NATIVE),
  ServerShutdown: object("The service shuts down. Reconnect.", {
    e: only("serverShutdown", "Event type."),
    E: EVENT_TIME,
  }),
};

/** The best prices of a market, as an event without a name has them. */
export const BEST_PRICES: Omit<typeof BOOK_TICKER, "e" | "E"> = BOOK_TICKER;

/** Returns what is said of the best prices of a market, whose `s` is described by `symbol`. */
export const bestPricesOf = (symbol: JsonSchema): NotesOf<typeof BEST_PRICES> => ({
  u: long("Id of the quote."),
  s: symbol,
  b: decimal("Best bid."),
  B: decimal("Quantity at that price; 0 if that level is empty."),
  a: decimal("Best ask."),
  A: decimal("Quantity at that price; 0 if that level is empty."),
});

/** The changes of a book without their series. */
export const BOOK_CHANGES: Omit<typeof DEPTH_UPDATE, "seriesId"> = DEPTH_UPDATE;

/** Returns what is said of changes of a book, whose `s` is described by `symbol`. */
export const bookChangesOf = (symbol: JsonSchema): NotesOf<typeof BOOK_CHANGES> => ({
  e: only("depthUpdate", "Event type."),
  E: EVENT_TIME,
  s: symbol,
  U: long("Id of the quote: one more than the id of the previous quote."),
  u: long("The same value under another name."),
  b: CHANGES,
  a: CHANGES,
});

/** Returns the members of an event about an execution, whose `s` is described by `symbol`. */
export const tradeOf = (symbol: JsonSchema): Members =>
  described(PUBLIC_TRADE, {
    e: only("trade", "Event type."),
    E: EVENT_TIME,
    s: symbol,
    t: int64("Number of the execution. It is that of the fill in private events."),
    executionId: text("Id of the execution, a text of the venue."),
    ...TRADED,
  });

/** Schemas of the events of the public streams. Source: convention 4.12. */
export const PUBLIC_EVENTS: Readonly<Record<string, JsonSchema>> = {
  BookTicker: object(
    "Best prices of a market.",
    described(BOOK_TICKER, { e: only("bookTicker", "Event type."), E: EVENT_TIME, ...bestPricesOf(SYMBOL) }),
  ),
  DepthUpdate: object(
    "Changes that a quote made to the book.",
    described(DEPTH_UPDATE, {
      ...bookChangesOf(SYMBOL),
      seriesId: text("Series of these ids. Ids of another series are not comparable with them."),
    }),
  ),
  PartialDepth: object(
    "The best 20 levels of each side.",
    described(PARTIAL_DEPTH, {
      e: only("depth20", "Event type."),
      E: EVENT_TIME,
      s: SYMBOL,
      lastUpdateId: text("Id of the quote."),
      bids: BOOK_SIDE,
      asks: BOOK_SIDE,
    }),
  ),
  PublicTrade: object("An execution on this service.", tradeOf(SYMBOL)),
};

/** Code of a refusal on a public socket. A negative code is that of an error of the service. Source: convention 4.12. */
export const CONTROL_ERROR: JsonSchema = integer(
  "1: a value has the wrong type. 2: the request is invalid. 3: the message is not valid JSON. " +
    `${ERRORS.TOO_MANY_REQUESTS.code}: the rate limit is exceeded. ${ERRORS.UNKNOWN.code}: the request failed.`,
  { enum: [1, 2, 3, ERRORS.TOO_MANY_REQUESTS.code, ERRORS.UNKNOWN.code] },
);
