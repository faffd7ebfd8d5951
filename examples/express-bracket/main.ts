/**
 * An Express app that runs managed orders beside its own routes, in memory, and a client that places a bracket on it.
 * The market then moves twice: the entry fills, and the stop wins.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { type ChildRequest, Price } from "managed-orders";
import { createClient, type OrderListReply } from "managed-orders/client";
import { openEngine } from "managed-orders/engine";
import { createMemoryHost, createMemoryRateLimiter } from "managed-orders/memory";
import { createNodeMount, createSystemClock } from "managed-orders/node";
import type { ChildReport, ExecutionVenue } from "managed-orders/ports";
import { createService } from "managed-orders/service";

const KEY = { apiKey: "example-key", secret: "example-secret" } as const;

/** Instruments, a store, positions and one account, all in memory, with the clock of the machine. */
const host = { ...createMemoryHost({ symbols: ["BTC/USD"] }), clock: createSystemClock() };
host.accounts.put({
  account: { accountId: 1, userId: 1, enableDataSharing: true, delegates: [], restricted: false },
  keys: [{ ...KEY, userId: 1, accountId: 1, permissions: ["READ", "TRADE"], ipAllowlist: [] }],
});

/** The place where orders execute: it fills every child at once, at the price that the example sets. */
let price = Price.parse("60100");
const reports = new Map<string, ChildReport>();
function fill({ childId, quantity }: ChildRequest): ChildReport {
  const execution = { executionId: `x-${childId}`, quantity, price, timeMs: host.clock.nowMs() };
  const report: ChildReport = { childId, state: "closed", fills: [execution] };
  reports.set(childId, report);
  return report;
}
const venue: ExecutionVenue = {
  capabilities: { honoursDeadline: true, canVoid: false },
  submit: async (child) => fill(child),
  lookup: async ({ childId }) => reports.get(childId) ?? "not-found",
  subscribe: () => () => undefined,
};

const engine = await openEngine({ ...host, venue, settings: { advancedOrders: true } });
engine.events.on("alert", (alert) => console.error("a person must look at this:", alert));
const service = createService({
  ...host,
  engine,
  rateLimiter: createMemoryRateLimiter({ clock: host.clock }),
});

const mount = createNodeMount({ service });
const app = express();
app.use(mount.middleware()); // before every body parser: signatures cover the raw bytes
app.use(express.json());
app.get("/", (_request, response) => void response.send("my exchange"));

const server = createServer(app);
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
console.log("GET /:", await (await fetch(baseUrl)).text());

/** Sets the price of the market, and waits until the engine has done all that follows. */
async function trade(bid: string, ask: string): Promise<void> {
  price = Price.parse(bid);
  engine.market.quote({ symbol: "BTC/USD", bid, ask });
  await engine.idle();
}

function show(list: OrderListReply): void {
  console.log(`${list.listClientOrderId} is ${list.listOrderStatus}`);
  for (const { clientOrderId, type, status, executedQty } of list.orderReports)
    console.log(`  ${clientOrderId}: ${type}, ${status}, executed ${executedQty}`);
}

const client = createClient({ baseUrl, ...KEY });
await trade("60100", "60101");
const placed = await client.placeOtoco({
  symbol: "BTC/USD",
  listClientOrderId: "trade-1",
  ...{ workingSide: "BUY", workingType: "LIMIT", workingQuantity: "0.5", workingPrice: "60000" },
  workingClientOrderId: "entry",
  ...{ pendingSide: "SELL", pendingQuantity: "0.5" },
  ...{ pendingAboveType: "LIMIT", pendingAbovePrice: "63000", pendingAboveReduceOnly: true },
  pendingAboveClientOrderId: "take-profit",
  ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "58500", pendingBelowReduceOnly: true },
  pendingBelowClientOrderId: "stop-loss",
});
show(placed);

console.log("the ask falls to 60000");
await trade("59999", "60000");
show(await client.orderList({ listClientOrderId: "trade-1" }));

console.log("the bid falls to 58490");
await trade("58490", "58491");
show(await client.orderList({ listClientOrderId: "trade-1" }));

const drained = mount.drain();
server.close();
await drained;
await engine.close();
