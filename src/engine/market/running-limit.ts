import type { Price } from "../../decimal/index.ts";
import { type ParentOrder, shardOfId } from "../../model/index.ts";
import {
  displayedLevel,
  dynamicLimit,
  executableSide,
  type MarkHistory,
  type TrailingPoint,
} from "../../triggers/index.ts";

/**
 * Returns the limit of a triggered parent, or before the trigger the limit of a dynamic trailing parent by its current
 * reference.
 */
export function runningLimitOf(order: ParentOrder, history: MarkHistory): Price | undefined {
  if (order.trigger !== undefined) return order.trigger.limit;
  const { limitOffset } = order.intent;
  const point = limitOffset === undefined ? undefined : pointOf(order, history);
  if (limitOffset === undefined || point === undefined) return undefined;
  return dynamicLimit({ ...point, limitOffset });
}

/**
 * Returns the level at which a trailing parent triggers by its current reference; undefined for any other, and for a level
 * that no price can meet.
 */
export function runningLevelOf(order: ParentOrder, history: MarkHistory): Price | undefined {
  const point = order.trigger === undefined ? pointOf(order, history) : undefined;
  return point && displayedLevel(point);
}

function pointOf(
  { orderId, intent, activation }: ParentOrder,
  history: MarkHistory,
): TrailingPoint | undefined {
  const { symbol, trailing } = intent;
  if (trailing === undefined || activation === undefined) return undefined;
  const side = executableSide(intent.side);
  const { position } = activation;
  const reference = history.referenceFrom({ shard: shardOfId(orderId), symbol, side, position });
  return reference === undefined ? undefined : { side, reference, distance: trailing };
}
