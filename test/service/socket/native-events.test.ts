import { describe, expect, it } from "vitest";
import { notional, price, quantity, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import type { NativeExecution } from "../../../src/model/index.ts";
import { tradeIdOf } from "../../../src/service/views/native-order.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { quoteOf } from "../../sandbox/venue-world.ts";
import {
  ask,
  cancel,
  type NativeWorld,
  openNativeWorld,
  placeNative,
  reportedExecution,
  reportedOrder,
} from "../../support/native-world.ts";
import { place, START_MS } from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";

const SUBSCRIBE = "userDataStream.subscribe.signature";

/** An event of a native order, in a line. */
function lineOf({ o }: JsonObject): string {
  const { c, x, X, l, L, z, reason } = o as JsonObject;
  const trade = x === "TRADE" ? ` ${l} at ${L}, ${z}` : "";
  return [`${c} ${x} ${X}${trade}`, reason].filter((part) => part !== undefined).join(" ");
}

type SubscribedWorld = Readonly<{
  world: NativeWorld;
  client: TestClient;
  say: (execution: NativeExecution) => void;
}>;

/** A world with a subscribed client, and a host that can report any execution. */
async function subscribed(): Promise<SubscribedWorld> {
  const listeners: ((execution: NativeExecution) => void)[] = [];
  const world = await openNativeWorld({}, (native) => ({
    subscribe: (listener) => {
      listeners.push(listener);
      return native.subscribe(listener);
    },
  }));
  const client = new TestClient(world);
  await client.ask(SUBSCRIBE);
  const say = (execution: NativeExecution): void => {
    for (const listen of listeners) listen(execution);
  };
  return { world, client, say };
}

/** Delivers all due events. */
async function settle({ world, client }: SubscribedWorld): Promise<readonly JsonObject[]> {
  await world.paper.idle();
  await client.ask("session.subscriptions", {}, { key: null });
  await world.engine.idle();
  return client.events;
}

describe("native orders on the private stream", () => {
  it("placed, filled by quotes and canceled: each event once, in order, numbered without a gap", async () => {
    const reported = await subscribed();
    const { world } = reported;
    await placeNative(world, { newClientOrderId: "a" });
    world.paper.quote(quoteOf({ bids: ["5000"], asks: ["5900x0.2"] }));
    await cancel(world, { origClientOrderId: "a" });
    const events = await settle(reported);
    expect(events.map(lineOf)).toEqual([
      "a NEW NEW",
      "a TRADE PARTIALLY_FILLED 0.2 at 5900, 0.2",
      "a CANCELED CANCELED USER_CANCELED",
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it("end if the host may have missed executions, and begin anew under another id", async () => {
    let miss = (): void => undefined;
    const world = await openNativeWorld({}, (native) => ({
      subscribe(listener, missed = miss) {
        miss = missed;
        return native.subscribe(listener);
      },
    }));
    const client = new TestClient(world);
    const { result: first } = await client.ask(SUBSCRIBE);
    miss();
    await world.engine.idle();
    expect(client.events).toMatchObject([{ e: "eventStreamTerminated" }]);
    const { result: next } = await client.ask(SUBSCRIBE);
    expect((next as JsonObject)["streamId"]).not.toBe((first as JsonObject)["streamId"]);
    await placeNative(world, { newClientOrderId: "a" });
    await world.engine.idle();
    expect(client.events.slice(1)).toMatchObject([{ e: "ORDER_TRADE_UPDATE", sequence: 1 }]);
  });

  it("share the numbers with managed orders", async () => {
    const reported = await subscribed();
    await placeNative(reported.world, { newClientOrderId: "n" });
    await place(reported.world, { newClientOrderId: "m" });
    await placeNative(reported.world, { newClientOrderId: "o" });
    const events = await settle(reported);
    expect(events.map(lineOf)).toEqual(["n NEW NEW", "m NEW NEW", "o NEW NEW"]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it("a child of a managed order is not reported as a native order, nor numbered", async () => {
    const reported = await subscribed();
    reported.say(reportedExecution(reportedOrder({ clientOrderId: "aqc-1" })));
    reported.say(reportedExecution(reportedOrder({ clientOrderId: "mine" })));
    const events = await settle(reported);
    expect(events.map(({ o, sequence }) => [(o as JsonObject).c, sequence])).toEqual([["mine", 1]]);
  });

  it("the 64-bit id and the execution id are exact", async () => {
    const reported = await subscribed();
    reported.say({ ...reportedExecution(), executionId: "999999999999999999" });
    reported.say({ ...reportedExecution(), executionId: "1000000000000000000" });
    expect((await settle(reported)).map(({ o }) => o)).toMatchObject([
      { i: 8_389_765_489_680_951_453n, t: 999_999_999_999_999_999n, executionId: "999999999999999999" },
      { i: 8_389_765_489_680_951_453n, t: 1_000_000_000_000_000_000n, executionId: "1000000000000000000" },
    ]);
  });
});

describe("the number of a fill", () => {
  it("is the same in the reply, in the history and on the stream, and differs for each fill", async () => {
    const reported = await subscribed();
    const { world } = reported;
    world.paper.quote(quoteOf({ bids: ["6999"], asks: ["7001x0.1", "7002x0.1", "7003x5"] }));
    const { body } = await placeNative(world, { price: "8000" });
    const replied = (body.fills as readonly JsonObject[]).map(({ tradeId }) => tradeId);
    const { body: history } = await ask(world, "/api/v2/getOrderHistory");
    const stored = (history.orders as readonly JsonObject[]).map(({ tradeId }) => tradeId);
    const streamed = (await settle(reported)).map(({ o }) => (o as JsonObject).t);
    expect([replied, stored, streamed]).toEqual([
      [1, 2, 3],
      [undefined, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
  });

  it("is a number also if the venue's ids are text", async () => {
    const reported = await subscribed();
    reported.say({ ...reportedExecution(), executionId: "x-1" });
    reported.say({ ...reportedExecution(), executionId: "x-2" });
    const numbers = (await settle(reported)).map(({ o }) => (o as JsonObject).t);
    expect(numbers).toEqual([tradeIdOf("x-1"), tradeIdOf("x-2")]);
    expect(numbers[0]).not.toBe(numbers[1]);
  });
});

describe("the average price of a native order", () => {
  it("is that of its fills so far, exact", async () => {
    const reported = await subscribed();
    const { world } = reported;
    world.paper.quote(quoteOf({ bids: ["6999"], asks: ["7001x0.1", "7002x0.2"] }));
    await placeNative(world, { price: "8000", quantity: "0.6" });
    world.paper.quote(quoteOf({ bids: ["6999"], asks: ["7000.00000001x9"] }));
    const averages = (await settle(reported)).map(({ o }) => (o as JsonObject).ap);
    expect(averages).toEqual(["0", "7001", "7001.66666667", "7000.83333334"]);
  });

  it("is 0 if the host does not report the executed amount", async () => {
    const reported = await subscribed();
    reported.say(reportedExecution());
    reported.say(reportedExecution(reportedOrder({ executedNotional: notional("0.007") })));
    expect((await settle(reported)).map(({ o }) => (o as JsonObject).ap)).toEqual(["0", "7000"]);
  });
});

describe("convention 4.9: ORDER_TRADE_UPDATE of a native order, letter for letter", () => {
  const NOT_HERE = {
    ...{ b: "0", a: "0", m: false, wt: "CONTRACT_PRICE", cp: false, pP: false, si: 0, ss: 0, rp: "0" },
    ...{ V: "NONE", pm: "NONE" },
  };

  it("of a new order, with stop price and list", async () => {
    const reported = await subscribed();
    const order = reportedOrder({
      ...{ status: "NEW", type: "STOP_LOSS_LIMIT", timeInForce: "GTC", stopPrice: price("7001.5") },
      ...{ executedQuantity: ZERO_QUANTITY, orderListId: 77n, clientOrderId: "n" },
    });
    reported.say({ executionId: "x-0", execType: "NEW", order, timeMs: START_MS - 5 });
    const [event] = await settle(reported);
    expect(event).toEqual({
      ...{ e: "ORDER_TRADE_UPDATE", E: START_MS, T: START_MS - 5, sequence: 1 },
      o: {
        ...{ s: "BTC/USD", c: "n", S: "SELL", o: "STOP_LOSS_LIMIT", f: "GTC", q: "0.000001" },
        ...{ p: "7000.12345678", ap: "0", sp: "7001.5", x: "NEW", X: "NEW" },
        ...{ i: 8_389_765_489_680_951_453n, l: "0", z: "0", L: "0", T: START_MS - 5, t: 0, R: false },
        ...{ ot: "STOP_LOSS_LIMIT", ...NOT_HERE, gtd: 0, er: "0", g: 77, accountId: 1 },
      },
    });
  });

  it("of a trade, and of an end with its reasons", async () => {
    const reported = await subscribed();
    const order = reportedOrder({
      status: "PARTIALLY_FILLED",
      quantity: quantity("0.5"),
      executedQuantity: quantity("0.2"),
    });
    reported.say({
      ...{ executionId: "9007199254740993", execType: "TRADE", order, timeMs: START_MS },
      ...{ lastQuantity: quantity("0.05"), lastPrice: price("7000.5") },
    });
    const reasons = { reason: "USER_CANCELED", rejectReason: "OTHER" } as const;
    const ended = { ...order, status: "CANCELED", ...reasons } as const;
    reported.say({ executionId: "x-9", execType: "CANCELED", order: ended, timeMs: START_MS });
    const usual = {
      ...{ s: "BTC/USD", c: "reported", S: "SELL", o: "LIMIT", f: "FOK", q: "0.5", p: "7000.12345678" },
      ...{ ap: "0", sp: "0", i: 8_389_765_489_680_951_453n, z: "0.2", T: START_MS, R: false, ot: "LIMIT" },
      ...{ ...NOT_HERE, gtd: 0, er: "0", g: -1, accountId: 1 },
    };
    const trade = { x: "TRADE", X: "PARTIALLY_FILLED", l: "0.05", L: "7000.5", t: 9007199254740993n };
    expect((await settle(reported)).map(({ o }) => o)).toEqual([
      { ...usual, ...trade, executionId: "9007199254740993" },
      { ...usual, x: "CANCELED", X: "CANCELED", l: "0", L: "0", t: 0, ...reasons },
    ]);
  });
});

describe("convention 4.9: er of a native order that expires", () => {
  const cases = [
    ["the rest of an IOC order", { type: "LIMIT", timeInForce: "IOC" }, "2"],
    ["a FOK order", { type: "LIMIT", timeInForce: "FOK" }, "2"],
    ["the rest of a market order", { type: "MARKET", timeInForce: "GTC" }, "9"],
    ["a limit order that its host expires", { type: "LIMIT", timeInForce: "GTD" }, "0"],
  ] as const;
  for (const [name, terms, er] of cases) {
    it(`${name} is ${er}`, async () => {
      const reported = await subscribed();
      const order = reportedOrder({ ...terms, status: "EXPIRED" });
      reported.say({ executionId: "x-2", execType: "EXPIRED", order, timeMs: 0 });
      expect((await settle(reported)).map(({ o }) => (o as JsonObject).er)).toEqual([er]);
    });
  }

  it("anything but an expiry is 0", async () => {
    const reported = await subscribed();
    const order = reportedOrder({ type: "MARKET", timeInForce: "IOC" });
    for (const execType of ["NEW", "TRADE", "CANCELED", "REJECTED"] as const) {
      reported.say({ executionId: execType, execType, order, timeMs: 0 });
    }
    expect((await settle(reported)).map(({ o }) => (o as JsonObject).er)).toEqual(["0", "0", "0", "0"]);
  });
});
