import { describe, expect, it } from "vitest";
import type { NativeExecution } from "../../../src/model/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { quoteOf } from "../../sandbox/venue-world.ts";
import {
  cancel,
  type NativeWorld,
  openNativeWorld,
  placeNative,
  reportedExecution,
  reportedOrder,
} from "../../support/native-world.ts";
import { place } from "../../support/service-world.ts";
import { TestClient } from "../../support/socket-world.ts";

const SUBSCRIBE = "userDataStream.subscribe.signature";

/** What an event says of a native order, in a line. */
function lineOf({ o }: JsonObject): string {
  const { c, x, X, l, L, z, reason } = o as JsonObject;
  const trade = x === "TRADE" ? ` ${l} at ${L}, ${z}` : "";
  return [`${c} ${x} ${X}${trade}`, reason].filter((part) => part !== undefined).join(" ");
}

type Told = Readonly<{ world: NativeWorld; client: TestClient; say: (execution: NativeExecution) => void }>;

/** A world with a subscribed client, and a host that can say any execution. */
async function subscribed(): Promise<Told> {
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

/** Lets everything that is due be told. */
async function settle({ world, client }: Told): Promise<readonly JsonObject[]> {
  await world.paper.idle();
  await client.ask("session.subscriptions", {}, { key: null });
  await world.engine.idle();
  return client.events as readonly JsonObject[];
}

describe("decision 45: native orders on the private stream", () => {
  it("placed, filled by quotes and canceled: each once, in order, numbered without a gap", async () => {
    const told = await subscribed();
    const { world } = told;
    await placeNative(world, { newClientOrderId: "a" });
    world.paper.quote(quoteOf({ bids: ["5000"], asks: ["5900x0.2"] }));
    await cancel(world, { origClientOrderId: "a" });
    const events = await settle(told);
    expect(events.map(lineOf)).toEqual([
      "a NEW NEW",
      "a TRADE PARTIALLY_FILLED 0.2 at 5900, 0.2",
      "a CANCELED CANCELED USER_CANCELED",
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it("one line of numbers with managed orders", async () => {
    const told = await subscribed();
    await placeNative(told.world, { newClientOrderId: "n" });
    await place(told.world, { newClientOrderId: "m" });
    await placeNative(told.world, { newClientOrderId: "o" });
    const events = await settle(told);
    expect(events.map(lineOf)).toEqual(["n NEW NEW", "m NEW NEW", "o NEW NEW"]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it("a child of a managed order is not told as a native order, nor numbered", async () => {
    const told = await subscribed();
    told.say(reportedExecution(reportedOrder({ clientOrderId: "aqc-1" })));
    told.say(reportedExecution(reportedOrder({ clientOrderId: "mine" })));
    const events = await settle(told);
    expect(events.map(({ o, sequence }) => [(o as JsonObject).c, sequence])).toEqual([["mine", 1]]);
  });

  it("decision 2: the 64-bit id and the execution id are exact", async () => {
    const told = await subscribed();
    told.say({ ...reportedExecution(), executionId: "999999999999999999" });
    told.say({ ...reportedExecution(), executionId: "1000000000000000000" });
    expect((await settle(told)).map(({ o }) => o)).toMatchObject([
      { i: 8_389_765_489_680_951_453n, t: 999_999_999_999_999_999n, executionId: "999999999999999999" },
      { i: 8_389_765_489_680_951_453n, t: 0, executionId: "1000000000000000000" },
    ]);
  });
});

describe("convention 4.9: er of a native order that expires", () => {
  const cases = [
    ["the rest of an IOC order", { type: "LIMIT", timeInForce: "IOC" }, "2"],
    ["a FOK order", { type: "LIMIT", timeInForce: "FOK" }, "2"],
    ["the rest of a market order", { type: "MARKET", timeInForce: "GTC" }, "9"],
    ["a limit order that its host lets expire", { type: "LIMIT", timeInForce: "GTD" }, "0"],
  ] as const;
  for (const [name, terms, er] of cases) {
    it(`${name} is ${er}`, async () => {
      const told = await subscribed();
      const order = reportedOrder({ ...terms, status: "EXPIRED" });
      told.say({ executionId: "x-2", execType: "EXPIRED", order, timeMs: 0 });
      expect((await settle(told)).map(({ o }) => (o as JsonObject).er)).toEqual([er]);
    });
  }

  it("anything but an expiry is 0", async () => {
    const told = await subscribed();
    const order = reportedOrder({ type: "MARKET", timeInForce: "IOC" });
    for (const execType of ["NEW", "TRADE", "CANCELED", "REJECTED"] as const) {
      told.say({ executionId: execType, execType, order, timeMs: 0 });
    }
    expect((await settle(told)).map(({ o }) => (o as JsonObject).er)).toEqual(["0", "0", "0", "0"]);
  });
});
