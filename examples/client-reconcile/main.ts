/**
 * A client whose connection breaks while it places orders: once before the order arrives, once after it was placed.
 * Neither looks different to the client. `reconcile()` finds out, and the order is placed exactly once.
 */
import { createClient, type NewManagedOrder, UncertainOutcome } from "managed-orders/client";
import { KEY, openExchange } from "./exchange.ts";

const exchange = await openExchange();
const { baseUrl, clock, fetch } = exchange;
const client = createClient({ baseUrl, ...KEY, clock, fetch });

const STOP = {
  symbol: "BTC/USD",
  side: "SELL",
  type: "STOP_MARKET",
  quantity: "0.01",
  stopPrice: "50000",
} as const;

/** Places an order, again only if nothing of the first attempt can appear any more. */
async function placeOnce(order: NewManagedOrder & { readonly newClientOrderId: string }): Promise<void> {
  try {
    const { clientOrderId, status } = await client.placeOrder(order);
    console.log(`  ${clientOrderId} is ${status}`);
  } catch (error) {
    if (!(error instanceof UncertainOutcome)) throw error;
    console.log(`  ${error.name}: ${error.clientOrderId} may or may not be placed`);
    const reconciling = error.reconcile();
    const outcome = await untilSettled(reconciling);
    console.log(`  reconcile says: ${outcome.state}`);
    if (outcome.state === "not placed") await placeOnce(order);
    if (outcome.order !== undefined) console.log(`  ${order.newClientOrderId} is ${outcome.order.status}`);
  }
}

/** Moves the clock of the example until a promise settles. With the clock of the machine, this is `await promise`. */
async function untilSettled<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  while (!isSettled) await clock.advanceBy(100);
  return await promise;
}

console.log("the connection breaks after the order was placed");
exchange.breakNext("after");
await placeOnce({ ...STOP, newClientOrderId: "stop-1" });

console.log("the connection breaks before the order arrives");
exchange.breakNext("before");
await placeOnce({ ...STOP, newClientOrderId: "stop-2" });

const { orders } = await client.openOrders();
console.log("open orders:", orders.map(({ clientOrderId }) => clientOrderId).join(", "));

await exchange.close();
