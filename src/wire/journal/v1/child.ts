import type { ChildOrder, ChildOutcome, Fill } from "../../../model/index.ts";
import { integer, type Kind, object, optional, text, words } from "../schema.ts";
import { price, quantity } from "./order.ts";

/** An unresolved child. */
export const child: Kind<ChildOrder> = object<ChildOrder>("a child", {
  childId: text,
  attempt: integer,
  quantity,
  limitPrice: optional(price),
  executedQuantity: quantity,
  executedFine: optional(integer),
  state: words<ChildOrder["state"]>({ SENT: true, OPEN: true, UNKNOWN: true }),
  intendedAtMs: integer,
  notAfterMs: integer,
  slot: optional(integer),
  problem: optional(text),
});

/** One execution at the venue. */
export const fill: Kind<Fill> = object<Fill>("a fill", {
  executionId: text,
  quantity,
  fine: optional(integer),
  price,
  timeMs: integer,
});

/** How a child was resolved. */
export const outcome: Kind<ChildOutcome> = words<ChildOutcome>({
  DONE: true,
  REJECTED: true,
  REJECTED_FINAL: true,
  VOIDED: true,
  WITHDRAWN: true,
});
