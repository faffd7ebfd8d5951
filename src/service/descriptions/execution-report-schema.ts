import { REJECT_REASONS } from "../../host-answers/index.ts";
import type { JsonSchema } from "../../requests/schemas/index.ts";
import {
  decimal,
  flag,
  int64,
  integer,
  long,
  object,
  oneOf,
  only,
  optional,
  text,
  time,
} from "../views/schema.ts";

/**
 * Schema of the events of orders at `/compat/ws-api/v3`. A letter whose value is not known is absent. Source: convention
 * 4.7; decision NP.
 */
export const EXECUTION_REPORT: JsonSchema = object("An order changed, in the form of the convention.", {
  e: only("executionReport", "Event type."),
  E: time("Time at which the event was sent."),
  sequence: long("Sequence number of the event within its account. It increases by one with each event.", {
    minimum: 1,
  }),
  s: text("Symbol of the market, without a slash."),
  c: text("Client id of the order."),
  C: text("Client id of the order in an event CANCELED; empty in any other."),
  S: oneOf(["BUY", "SELL"], "Side of the order."),
  o: text("Type, in the convention's words."),
  f: text("Time in force."),
  q: decimal("Ordered quantity."),
  p: decimal("Limit price; 0 if there is none."),
  P: decimal("Stop price; 0 if there is none."),
  d: optional(integer("Trailing distance in basis points.")),
  F: decimal("Display quantity of an iceberg; 0 if there is none."),
  g: int64("Id of the list of the order; -1 if it is not part of a list."),
  x: oneOf(["NEW", "TRADE", "CANCELED", "EXPIRED", "REJECTED"], "Execution type."),
  X: text("Status of the order after the event."),
  r: text(`Reason of a rejection, such as ${REJECT_REASONS[0]}; NONE if there is none.`),
  i: int64("Id of the order."),
  l: decimal("Quantity of this execution; 0 if the event is not a trade."),
  z: decimal("Cumulative executed quantity, this execution included."),
  L: decimal("Price of this execution; 0 if the event is not a trade."),
  n: optional(only("0", "Commission. Absent in a trade: it is not known.")),
  N: optional({ type: "null", description: "Asset of the commission. Absent in a trade." }),
  T: time("Time of the event."),
  t: int64("Number of the execution, the same as in myTrades; -1 if the event is not a trade."),
  I: int64("Number of the event."),
  w: flag("Whether the order executes whenever the market allows it."),
  W: optional(time("Since when it does. Absent before, and where it is not known.")),
  m: optional(only(false, "Whether the order was the maker. Absent in a trade of a native order.")),
  M: only(false, "Not used."),
  O: optional(time("Time of the order's acceptance. Absent where it is not known.")),
  Z: optional(decimal("Cumulative amount in USD. Absent if the host does not report it.")),
  Y: decimal("Amount of this execution in USD; 0 if the event is not a trade."),
  Q: decimal("Amount in USD of an order by amount; 0 for any other."),
  V: only("NONE", "Not used."),
  accountId: long("Account that owns the order."),
  apiState: optional(text("State of a managed order within the service.")),
  held: optional(flag("Whether a leg waits for its release.")),
  cancelPending: optional(
    flag("Whether a managed order is canceled once the outcome of its child is known."),
  ),
  executionId: optional(text("Id of the execution, a text of the venue.")),
  reason: optional(text("Reason why the order ended.")),
  alert: optional(text("Condition that a person should look at.")),
});
