/**
 * Schedules on the sandbox: each is previewed with the service's own rules, placed, and followed to its end. Time and
 * prices of this sandbox move only when the program moves them, so every run prints the same.
 */
import { createClient, followOrders, type NewManagedOrder, preview } from "managed-orders/client";
import { moveMarket, reportTrade } from "./sandbox.ts";

const access = {
  baseUrl: process.env.SANDBOX_URL ?? "http://127.0.0.1:8080",
  ...{ apiKey: "schedule-key", secret: "schedule-secret" },
  clockKeepMs: 0, // the clock of this sandbox stands still, so read it before each request
};
const client = createClient(access);
const stream = followOrders(access);
await stream.ready;
const events = stream[Symbol.asyncIterator]();

/** Prints what the service would answer now, and the slots of the schedule. */
async function show(order: NewManagedOrder): Promise<void> {
  const { serverTime } = await client.time();
  const seconds = (ms: number): string => `${(ms - serverTime) / 1_000} s`;
  const { refusal, slots = [], smallestSliceValue, endsAtMs } = await preview(client, order);
  if (refusal !== undefined) return console.log(`  would be refused: ${refusal.code} ${refusal.message}`);
  console.log(`  would be accepted${slots.length === 0 ? "; trades decide its slices" : ""}`);
  for (const { slot, opensAtMs, quantity } of slots)
    console.log(`  slot ${slot} opens after ${seconds(opensAtMs).padEnd(5)}  ${quantity} SOL`);
  if (smallestSliceValue === undefined || endsAtMs === undefined) return;
  console.log(`  smallest slice ${smallestSliceValue} USD, end after ${seconds(endsAtMs)}`);
}

/** Places an order and prints each change of it. `next` makes the market move after each. */
async function follow(order: NewManagedOrder, next: () => Promise<void>): Promise<void> {
  const { orderId, type } = await client.placeOrder(order);
  console.log(`  placed as ${type}`);
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error("the stream has ended", { cause: await stream.ended });
    if (value.kind !== "order" || value.order.orderId !== orderId) continue;
    const { status, executedQty, origQty } = value.order;
    console.log(`  ${status}: ${executedQty} of ${origQty} SOL`);
    if (status === "FILLED") return;
    await next();
  }
}

const buy = { symbol: "SOL/USD", side: "BUY" } as const;
const minute = () => moveMarket({ advanceMs: 60_000, bid: "149", ask: "150" });
await minute();

const slots = { interval: 60_000, intervalDelay: 60_000 } as const;
const capped = { ...buy, ...slots, type: "LIMIT", targetStrategy: 180, price: "151", quantity: "1" } as const;
console.log("TWAP up to 151 USD: 1 SOL in 20 slices");
await show({ ...capped, intervalCount: 20 });
console.log("TWAP up to 151 USD: 1 SOL in 4 slices");
const twap: NewManagedOrder = { ...capped, intervalCount: 4 };
await show(twap);
await follow(twap, minute);

console.log("VWAP: 1.2 SOL in 3 slices, weighted 3 to 1 to 2");
const vwap: NewManagedOrder = { ...buy, ...slots, type: "VWAP", quantity: "1.2", volumeProfile: "3,1,2" };
await show(vwap);
await follow(vwap, minute);

console.log("POV: 3 SOL, 10 % of the volume");
const pov: NewManagedOrder = { ...buy, type: "POV", quantity: "3", participationBips: 1_000 };
await show(pov);
await follow(pov, () => reportTrade({ price: "150", quantity: "20" }));

stream.close();
