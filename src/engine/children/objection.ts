import { executable, executableLevels, isActive, isExpired, isSlotOver } from "../../lifecycle/index.ts";
import type { ChildRequest, ParentOrder } from "../../model/index.ts";
import type { Core } from "../core/core.ts";
import { OVERTAKEN } from "../eligibility/stall-watch.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";

/**
 * Returns why a child must not be handed over any more; undefined when it may be. This is the last check before the
 * child leaves: a cancel, an expiry, its list, the market or other executions of the account may have come in between (I13,
 * I23, I25).
 */
export function objectionTo(
  child: ChildRequest,
  core: Core,
  { shards, market }: Readonly<{ shards: Shards; market: MarketHub }>,
): string | undefined {
  const shard = shards.ofOrder(child.parentOrderId);
  const live = shard.liveOrders.get(child.parentOrderId);
  const order = live?.working;
  if (shard.state === "reloading") return "the state is being read again";
  if (shard.state !== "running" || order?.child?.childId !== child.childId)
    return "the order is not here any more";
  if (!isActive(order)) return "the order is ending";
  const isUnknown = (leg: ParentOrder): boolean => leg !== order && leg.child?.state === "UNKNOWN";
  if (shard.memory.legsOf(order).some(isUnknown)) return "the outcome of a child of its list is not known";
  if (shards.isFrozen(order)) return "the account is frozen";
  // Also by a wall clock that is not confirmed: it ends nothing, but nothing is placed past it.
  const latestMs = Math.max(core.nowMs(), core.wallMs());
  if (isSlotOver(order, latestMs)) return "its slot has closed";
  if (isExpired(order, latestMs)) return "the order has expired";
  if (child.reduceOnly) {
    const { unreserved } = shard.memory.account(order.accountId).sums.of(order);
    if (live?.coveredTo === undefined || unreserved > live.coveredTo) return OVERTAKEN;
  }
  const now = market.now(child.symbol);
  if (now?.fresh !== true) return "the quote is stale";
  const levels = executableLevels(order, now.quote);
  const { quantity, value } = executable(order, { levels, wanted: child.quantity });
  if (quantity <= 0 || (child.timeInForce === "FOK" && quantity < child.quantity))
    return "the market went away";
  return !child.reduceOnly && value < core.rules.minimum
    ? "what is left in the market is below the minimum"
    : undefined;
}
