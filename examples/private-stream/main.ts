/**
 * A client that places orders over WebSocket and follows them on the private stream. It loses the connection while one
 * of them fills. The stream connects again by itself, and knows which events it missed.
 */
import { createSocketClient, followOrders } from "managed-orders/client";
import { openExchange } from "./exchange.ts";
import { createNetwork } from "./network.ts";

const exchange = await openExchange();
const network = createNetwork();
const options = { ...exchange.access, WebSocket: network.WebSocket };
const socket = createSocketClient(options);
const stream = followOrders(options);
await stream.ready;
const events = stream[Symbol.asyncIterator]();

/** Prints events up to the next one of this kind. */
async function printUpTo(kind: "order" | "synced"): Promise<void> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) return;
    if (value.kind === "order") {
      const { clientOrderId, status, executedQty } = value.order;
      const cause = value.event ? `event ${value.event.sequence}, ${value.event.o.x}` : "by query";
      console.log(`  ${cause}: ${clientOrderId} is ${status} with ${executedQty} executed`);
    }
    if (value.kind === "synced") console.log("  connected again; events missed:", value.missed);
    if (value.kind === kind) return;
  }
}

function show(): void {
  for (const { clientOrderId, status, executedQty } of stream.orders.values())
    console.log(`  ${clientOrderId} is ${status} with ${executedQty} executed`);
}

const market = { symbol: "BTC/USD" } as const;
const entry = { ...market, side: "BUY", type: "SYNTHETIC_LIMIT", quantity: "0.5", price: "60000" } as const;
const stop = { ...market, side: "SELL", type: "STOP_MARKET", quantity: "0.5", stopPrice: "59500" } as const;

await exchange.quote("60100", "60101");
const placed = await socket.placeOrder({ ...entry, newClientOrderId: "entry-1" });
console.log("placed by WebSocket:", placed.orderId, placed.status, placed.apiState);
await printUpTo("order");
console.log("the ask falls to the limit");
await exchange.quote("59999", "60000");
await printUpTo("order");
await socket.placeOrder({ ...stop, newClientOrderId: "stop-1" });
await printUpTo("order");

console.log("the network fails, and the bid falls to the stop");
network.cut();
await exchange.quote("59480", "59481");
console.log("what the client believes:");
show();

network.restore();
await printUpTo("synced");
show();

await socket.placeOrder({ ...entry, price: "59000", newClientOrderId: "entry-2" });
console.log("and the stream goes on:");
await printUpTo("order");

socket.close();
stream.close();
await exchange.close();
