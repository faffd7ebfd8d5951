import type { Price } from "../../decimal/index.ts";
import { frozenLimitOf } from "../../lifecycle/index.ts";
import { type ParentOrder, shardOfId } from "../../model/index.ts";
import { dynamicLimit, executableSide, type MarkHistory } from "../../triggers/index.ts";

/**
 * Returns the limit of a triggered parent, or before the trigger the limit of a dynamic trailing parent by its
 * current reference (decision 19).
 */
export function runningLimitOf(order: ParentOrder, history: MarkHistory): Price | undefined {
  const { orderId, intent, activation, trigger } = order;
  if (trigger !== undefined) return frozenLimitOf(order);
  const { symbol, limitOffset, trailing } = intent;
  if (limitOffset === undefined || trailing === undefined || activation === undefined) return undefined;
  const side = executableSide(intent.side);
  const { position } = activation;
  const reference = history.referenceFrom({ shard: shardOfId(orderId), symbol, side, position });
  if (reference === undefined) return undefined;
  return dynamicLimit({ side, reference, distance: trailing, limitOffset });
}
