import { RefusedError } from "../errors/refused-error.ts";
import type { Client } from "../methods/api.ts";
import type { ActorParameters, CallOptions } from "../methods/parameters.ts";
import type { SharedMethod } from "../outcome/shared-methods.ts";
import { eachOpenOrder, eachOrderList } from "../pages/pages.ts";
import { type OrderState, stateInReply } from "./order-states.ts";

/** Codes that say that the service has no such order: it does not know the order, or its market was removed. */
const GONE: readonly (number | undefined)[] = [-2013, -1121];

/** For which account to ask, and how many look-ups of single orders may be under way at the same time. */
export type QueryContext = Readonly<{ actor: ActorParameters; atOnce: number; options: CallOptions }>;

/** The answers to the queries of a client that may have missed events. */
export type Answers = Readonly<{ states: readonly OrderState[]; unknown: readonly OrderState[] }>;

/**
 * Queries the open orders, the legs of the open lists, and each known order that is in neither. Rejects with a
 * ClientError. Source: docs/websocket.md, After a lost connection.
 */
export async function queryOrders(
  client: Pick<Client, SharedMethod>,
  known: readonly OrderState[],
  { actor, atOnce, options }: QueryContext,
): Promise<Answers> {
  const found = new Map<string, OrderState>();
  const take = (state: OrderState | undefined): void => {
    if (state !== undefined) found.set(state.orderId, state);
  };
  for await (const order of eachOpenOrder(client, actor, options)) take(stateInReply(order));
  for await (const { orderReports } of eachOrderList(client, { ...actor, openOnly: true }, options))
    for (const report of orderReports) take(stateInReply(report));
  const unknown: OrderState[] = [];
  const missing = known.filter(({ orderId }) => !found.has(orderId));
  for (let from = 0; from < missing.length; from += atOnce) {
    const lookUps = missing.slice(from, from + atOnce).map(async (order) => {
      const { symbol, orderId } = order;
      try {
        take(stateInReply(await client.order({ ...actor, symbol, orderId }, options)));
      } catch (error) {
        if (!(error instanceof RefusedError) || !GONE.includes(error.code)) throw error;
        unknown.push(order);
      }
    });
    await Promise.all(lookUps);
  }
  return { states: [...found.values()], unknown };
}
