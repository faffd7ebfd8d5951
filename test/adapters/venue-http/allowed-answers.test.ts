import { describe, expect, it, onTestFinished } from "vitest";
import type { VenueClient, VenueServerOptions } from "../../../src/adapters/venue-http/index.ts";
import { type Price, type Quantity, quantity } from "../../../src/decimal/index.ts";
import type { Instrument, NativeExecution, NativeOrder } from "../../../src/model/index.ts";
import type { NativeOrders } from "../../../src/ports/index.ts";
import { childOf } from "../../sandbox/venue-world.ts";
import { createScriptedVenue, type ScriptedVenue } from "../../support/scripted-venue.ts";
import { connect, serveVenue, until } from "./loopback.ts";

async function served(
  parts: Partial<VenueServerOptions> = {},
): Promise<Readonly<{ venue: ScriptedVenue; client: VenueClient }>> {
  const venue = createScriptedVenue();
  const running = await serveVenue({ venue, ...parts });
  onTestFinished(running.close);
  const client = await connect(running.url);
  onTestFinished(() => client.close());
  return { venue, client };
}

const ZERO = 0 as Quantity & Price;

/** A market order with the zeros that many exchanges write for what an order does not have. */
const ORDER: NativeOrder = {
  ...{ orderId: 5n, accountId: 1, symbol: "BTC/USD", clientOrderId: "mine", status: "NEW", type: "MARKET" },
  ...{ side: "BUY", timeInForce: "GTC", quantity: quantity("1"), executedQuantity: ZERO },
  ...{ price: ZERO, stopPrice: ZERO, updatedAtMs: 1, isWorking: true },
};
const EXECUTION: NativeExecution = {
  ...{ executionId: "x1", execType: "NEW", order: ORDER, timeMs: 1 },
  ...{ lastQuantity: ZERO, lastPrice: ZERO },
};

describe("a venue over HTTP answers what the same venue answers in the process of the engine", () => {
  it("a refusal with a reason of any length is a refusal, and not an unknown outcome", async () => {
    const { venue, client } = await served();
    const child = childOf({ quantity: "1" });
    const detail = `${"x".repeat(999)}${"\u{1f600}".repeat(9)}`;
    const refusal = { childId: child.childId, state: "rejected" as const, fills: [], detail };
    venue.onSubmit = () => refusal;
    venue.onLookup = () => refusal;
    const limits = { deadlineMs: Date.now() + 60_000, signal: new AbortController().signal };
    const answer = { childId: child.childId, state: "rejected" };
    expect(await client.venue.submit(child, limits)).toMatchObject(answer);
    expect(await client.venue.lookup(child)).toMatchObject(answer);
    const received: string[] = [];
    client.venue.subscribe(({ report }) => received.push(report.state));
    await until(() => client.status().streams.every(({ isLive }) => isLive), "the stream");
    venue.say(refusal);
    await until(() => received.length > 0, "the report");
    expect(received).toEqual(["rejected"]);
  });

  it("native orders and their executions may have prices and sizes of 0", async () => {
    const listeners: ((answer: NativeExecution) => void)[] = [];
    const nativeOrders = {
      isPaperTrade: false,
      place: async () => ({ order: ORDER, fills: [], created: true }),
      page: async () => [ORDER],
      executions: async () => [EXECUTION],
      subscribe(listener: (answer: NativeExecution) => void) {
        listeners.push(listener);
        return () => undefined;
      },
    } as unknown as NativeOrders;
    for (const name of ["cancel", "find", "findRequest"] as const) nativeOrders[name] = async () => undefined;
    const native = (await served({ nativeOrders })).client.nativeOrders;
    const terms = { accountId: 1, requestKey: "r1", symbol: "BTC/USD", side: "BUY", type: "MARKET" } as const;
    const placed = await native?.place({ ...terms, clientOrderId: "mine", quantity: quantity("1") });
    expect(placed?.order).toEqual(ORDER);
    expect(await native?.page({ accountId: 1, symbol: "BTC/USD", limit: 9 })).toEqual([ORDER]);
    expect(await native?.executions({ accountId: 1, limit: 9 })).toEqual([EXECUTION]);
  });

  it("positions above the largest quantity, and long instruments, are read", async () => {
    const instrument = {
      ...{ id: 1, symbol: "BTC/USD", aliases: Array.from({ length: 101 }, (_, n) => `A${n}`) },
      ...{ baseAsset: "BTC", quoteAsset: "USD", name: "Bitcoin", kind: "liquidity", status: "TRADING" },
      ...{ address: "a".repeat(1_024), url: `https://example.com/${"u".repeat(4_000)}` },
    } as unknown as Instrument;
    const held = -(10n ** 24n) as unknown as Quantity;
    const { client } = await served({
      exposure: { position: async () => held },
      instruments: { all: () => [instrument], find: () => undefined, resolve: () => undefined },
    });
    expect(await client.exposure?.position(1, "BTC/USD")).toBe(held);
    expect(client.instruments?.all()).toEqual([instrument]);
  });
});
