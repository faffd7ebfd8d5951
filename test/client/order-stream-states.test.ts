import { describe, expect, it } from "vitest";
import { followOrders, TransportError } from "../../src/client/index.ts";
import { settled } from "./client-world.ts";
import { STOP } from "./placements.ts";
import { openSocketWorld, type SocketWorld, settle } from "./socket-wire.ts";

/** A world with a stream of its account, and what the stream told about its connection. */
async function openReceiving() {
  const world = await openSocketWorld();
  const stream = followOrders(world.options);
  const received: string[] = [];
  stream.on("lost", ({ error }) => received.push(`lost: ${error.message}`));
  stream.on("state", ({ state, retryInMs }) =>
    received.push(retryInMs === undefined ? state : `${state} ${retryInMs}`),
  );
  stream.on("synced", ({ missed }) => received.push(`synced ${missed ?? ""}`.trimEnd()));
  await settled(world, stream.ready);
  return { ...world, stream, received };
}

async function goDown(world: SocketWorld): Promise<void> {
  world.sockets.down = true;
  world.sockets.lose();
  await settle(world);
}

describe("a stream of orders whose connection is lost", () => {
  it("says so at once, connects at once, and says when the orders are current again", async () => {
    const { received, stream, ...world } = await openReceiving();
    expect(received).toEqual(["reading", "synced", "current"]);
    expect(stream.state).toBe("current");
    received.length = 0;
    world.sockets.lose();
    await settle(world, 20);
    expect(received).toEqual([
      ...["lost: The connection failed.", "waiting 0", "connecting"],
      ...["synced 0", "current"],
    ]);
    stream.close();
    expect(stream.state).toBe("ended");
  });

  it("tells each attempt and how long it waits for the next one, and `lost` only once", async () => {
    const { received, stream, ...world } = await openReceiving();
    received.length = 0;
    await goDown(world);
    expect(received).toEqual(["lost: The connection failed.", "waiting 0", "connecting", "waiting 375"]);
    expect(stream.state).toBe("waiting");
    await world.clock.advanceBy(375);
    await settle(world);
    expect(received.slice(4)).toEqual(["connecting", "waiting 750"]);
    await world.client.placeOrder({ ...STOP, newClientOrderId: "a" });
    world.sockets.down = false;
    await world.clock.advanceBy(750);
    await settle(world, 20);
    expect(received.slice(6)).toEqual(["connecting", "reading", "synced 1", "current"]);
    stream.close();
  });

  it("is told by an iterator too", async () => {
    const { stream, ...world } = await openReceiving();
    const iterator = stream[Symbol.asyncIterator]();
    await goDown(world);
    expect((await iterator.next()).value).toMatchObject({ kind: "lost", error: { kind: "transport" } });
    expect((await iterator.next()).value).toMatchObject({ kind: "state", state: "waiting", retryInMs: 0 });
    stream.close();
  });
});

it("the orders of a stream have the quantity that an amend gave them, also if it came while the connection was lost", async () => {
  const { stream, ...world } = await openReceiving();
  const quantities = (): readonly string[] => [...stream.orders.values()].map(({ origQty }) => origQty);
  const { orderId } = await world.client.placeOrder({ ...STOP, quantity: "2", newClientOrderId: "a" });
  await settle(world);
  expect(quantities()).toEqual(["2"]);
  await world.client.amendOrder({ symbol: STOP.symbol, orderId, quantity: "1" });
  await settle(world);
  expect(quantities()).toEqual(["1"]);
  await goDown(world);
  await world.client.amendOrder({ symbol: STOP.symbol, orderId, quantity: "3" });
  world.sockets.down = false;
  await world.clock.advanceBy(375);
  await settle(world, 20);
  expect(quantities()).toEqual(["3"]);
  stream.close();
});

describe("`ready` of a stream of orders", () => {
  it("rejects after a bound with the last failure, and the stream goes on", async () => {
    const world = await openSocketWorld();
    world.sockets.down = true;
    const stream = followOrders({ ...world.options, readyMs: 5_000 });
    await world.clock.advanceBy(4_000);
    await world.clock.advanceBy(1_000);
    const error = await stream.ready.catch((why: unknown) => why);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({
      reason: "timeout",
      message:
        "The reply did not arrive in time: the orders are not current after 5000 ms (The connection failed.); the stream goes on.",
    });
    world.sockets.down = false;
    await world.clock.advanceBy(10_000);
    await settle(world);
    expect(stream.state).toBe("current");
    stream.close();
  });
});
