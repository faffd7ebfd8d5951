import type { Notional } from "../../../decimal/index.ts";
import type { EarlyClose, ParentEnd, ParentOrder } from "../../../model/index.ts";
import { executionIds, integer, type Kind, list, object, optional, scaled, text, yes } from "../schema.ts";
import { child } from "./child.ts";
import {
  activation,
  intent,
  membership,
  pendingEnd,
  plan,
  quantity,
  reason,
  stall,
  status,
  trigger,
} from "./order.ts";

const notional: Kind<Notional> = scaled();

/** A parent order in snapshots and rows of ended orders. */
export const parent: Kind<ParentOrder> = object<ParentOrder>("a parent", {
  orderId: integer,
  accountId: integer,
  intent,
  acceptedAtMs: integer,
  acceptance: integer,
  aheadMs: optional(integer),
  updatedAtMs: integer,
  lastSequence: integer,
  activation: optional(activation),
  trigger: optional(trigger),
  list: optional(membership),
  held: optional(yes),
  releasedAtMs: optional(integer),
  postOnlyCleared: optional(yes),
  plan: optional(plan),
  nextSlot: optional(integer),
  volumeBefore: optional(quantity),
  volumeLogged: optional(yes),
  child: optional(child),
  earlyClose: optional(
    object<EarlyClose>("an early close", { child: optional(child), atMs: integer, waitMs: integer }),
  ),
  invalidReports: optional(list(text)),
  stall: optional(stall),
  attempts: integer,
  consecutiveUnfilled: integer,
  notBeforeMs: integer,
  executedQuantity: quantity,
  executedFine: optional(integer),
  executedNotional: notional,
  notionalFine: optional(integer),
  executions: executionIds,
  lastChildId: optional(text),
  pendingEnd: optional(pendingEnd),
  ended: optional(object<ParentEnd>("an end", { status, reason, atMs: integer })),
  frozen: optional(yes),
  restored: optional(yes),
});
