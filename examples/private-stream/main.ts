/**
 * A client that places orders over WebSocket and follows them on the private stream. It loses the connection while one
 * of them fills, and knows after the reconnect which events it missed. Copy own-orders.ts and connection.ts.
 */
import { Connection, type Members } from "./connection.ts";
import { openExchange } from "./exchange.ts";
import { OwnOrders } from "./own-orders.ts";

const exchange = await openExchange();
const orders = new OwnOrders();

const lines: string[] = [];
let heard = (): void => undefined;

function take(event: Members): boolean {
  const taken = orders.take(event);
  const { c, x, X, z } = (event.o ?? {}) as Members;
  lines.push(`  event ${event.sequence}: ${c} ${x}, ${X} with ${z} executed`);
  heard();
  return taken;
}

/** Prints the next events, once there are that many. */
async function printEvents(count: number): Promise<void> {
  while (lines.length < count) {
    await new Promise<void>((resolve) => {
      heard = resolve;
    });
  }
  for (const line of lines.splice(0)) console.log(line);
}

function show(...clientOrderIds: readonly string[]): void {
  for (const id of clientOrderIds) {
    const { status, executedQty } = orders.get(id) ?? { status: "unknown", executedQty: "0" };
    console.log(`  ${id} is ${status} with ${executedQty} executed`);
  }
}

const market = { symbol: "BTC/USD" } as const;
const entry = { ...market, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "0.5", price: "60000" } as const;
const stop = { ...market, side: "SELL", type: "STOP_MARKET", quantity: "0.5", stopPrice: "59500" } as const;

await exchange.quote("60100", "60101");
const first = await Connection.open(exchange.caller, take);
await orders.follow(first);

const placed = await first.request("order.place", { ...entry, newClientOrderId: "entry-1" });
console.log("placed by WebSocket:", placed.orderId, placed.status, placed.apiState);
await printEvents(1);
console.log("the ask falls to the limit");
await exchange.quote("59999", "60000");
await printEvents(1);
await first.request("order.place", { ...stop, newClientOrderId: "stop-1" });
await printEvents(1);

console.log("the connection is lost, and the bid falls to the stop");
await first.break();
await exchange.quote("59480", "59481");
console.log("what the client believes:");
show("entry-1", "stop-1");

const second = await Connection.open(exchange.caller, take);
console.log("subscribed anew; events missed:", await orders.follow(second));
show("entry-1", "stop-1");

await second.request("order.place", { ...entry, price: "59000", newClientOrderId: "entry-2" });
console.log("and the stream goes on:");
await printEvents(1);

await second.break();
await exchange.close();
