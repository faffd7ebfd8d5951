import type * as Api from "./core/api.ts";
import { checkedOptions, requireOptions } from "./core/checked-options.ts";
import { coreOf } from "./core/core.ts";
import { timely } from "./core/stored.ts";
import { marketIn, requireEveryShard } from "./opening.ts";
import { engineParts } from "./parts.ts";
import { RunningEngine } from "./running-engine.ts";

/**
 * Opens an engine on a store: takes every shard over, rebuilds the state from snapshots and journal, arms open parents, and
 * looks up every child with an unknown outcome. Rejects when the store cannot be read, does not answer for `hostTimeoutMs`,
 * or holds data of a newer version in one or more shards. Rejects with a TypeError or RangeError that names an option that
 * is missing, unknown, of the wrong type or out of range (contract "What the service does"). The store stays open then, and
 * is the caller's to close.
 *
 * @example
 * ```ts
 * import { openEngine } from "managed-orders/engine";
 * import { createMemoryHost } from "managed-orders/memory";
 * import type { ExecutionVenue } from "managed-orders/ports";
 * const buyOneBitcoin = async (venue: ExecutionVenue): Promise<number> => {
 *   const host = createMemoryHost({ symbols: ["BTC/USD"] });
 *   const engine = await openEngine({ ...host, venue, settings: { advancedOrders: true } });
 *   const order = { symbol: "BTC/USD", side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "1", price: "60000" } as const;
 *   const placed = await engine.place({ accountId: 1, order });
 *   return placed.order.orderId;
 * };
 * ```
 */
export function openEngine(given: Api.EngineOptions): Promise<Api.Engine> {
  return runEngine(given);
}

/** Opens an engine like {@link openEngine}, for folders of this package that use its parts. */
export async function runEngine(given: Api.EngineOptions): Promise<RunningEngine> {
  requireOptions(given);
  const core = coreOf(given);
  const options = checkedOptions(core, given);
  const store = timely(core);
  const heads = [...(await store.acquire())].sort((a, b) => a.shard - b.shard);
  core.probe("after-take-over");
  requireEveryShard(heads);
  const market = await marketIn(store);
  const engine = new RunningEngine(engineParts(core, options, { heads, market }));
  try {
    const subscribe = () => options.marketData?.subscribe(engine.market) ?? (() => undefined);
    await engine.start({ load: (shard) => shard.load(), subscribe });
  } catch (error) {
    engine.abandon();
    throw error;
  }
  return engine;
}
