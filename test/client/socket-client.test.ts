import { describe, expect, it, onTestFinished } from "vitest";
import {
  createSocketClient,
  ProtocolError,
  RefusedError,
  type SocketEvent,
  TransportError,
  UncertainOutcome,
} from "../../src/client/index.ts";
import { SOCKET_ROUTES } from "../../src/client/socket-client.ts";
import { METHODS } from "../../src/requests/index.ts";
import { answers, settled } from "./client-world.ts";
import { STOP } from "./placements.ts";
import { openSocketWorld, settle } from "./socket-wire.ts";

/** Methods of the rule "Existing clients have a WebSocket path of their own" for clients of the convention. This client reads market data and the clock by REST. */
const FOR_OTHERS: ReadonlySet<string> = new Set([
  ...["ping", "time", "exchangeInfo", "depth", "ticker.24hr", "ticker.price", "ticker.book", "avgPrice"],
  "account.status",
]);

/** Resolves to the next rejection that nobody handles, which would fail the test. */
function unhandledRejection(): Promise<unknown> {
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  onTestFinished(() => {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  });
  return new Promise((resolve) => void process.once("unhandledRejection", resolve));
}

describe("the client of the private WebSocket", () => {
  it("calls every method of the private WebSocket by its name", () => {
    const called = Object.values(SOCKET_ROUTES).map(({ method }) => method);
    const names = METHODS.map(({ name }) => name).filter((name) => !FOR_OTHERS.has(name));
    expect([...called].sort()).toEqual(names.sort());
  });

  it("complaint 39: places, reads and cancels, with the replies of REST and ids as text", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    const placed = await socket.placeOrder(STOP);
    expect(placed.orderId).toMatch(/^-[0-9]+$/);
    const key = { symbol: "BTC/USD", orderId: placed.orderId };
    expect(await socket.order(key)).toEqual(await world.client.order(key));
    expect((await socket.openOrders()).total).toBe(1);
    expect(await socket.cancelOrder(key)).toMatchObject({ status: "CANCELED", orderId: placed.orderId });
    expect(await socket.openOrderLists()).toEqual([]);
    expect(await socket.subscribe()).toMatchObject({ subscriptionId: 0, accountId: 1, sequence: 2 });
    expect(await socket.subscriptions()).toEqual([{ subscriptionId: 0, accountId: 1 }]);
    expect(await socket.unsubscribe({ subscriptionId: 0 })).toEqual({});
    expect(world.sockets.opened).toBe(1);
  });

  it("a refusal has the code and text of the service", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    const refused = await socket
      .order({ symbol: "BTC/USD", orderId: "-9999" })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RefusedError);
    expect(refused).toMatchObject({ code: -2013, msg: "Order does not exist.", sent: true });
  });

  it("a placement whose connection is lost is uncertain, and REST tells its outcome", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    world.sockets.change = () => {
      world.sockets.lose();
      return [];
    };
    const lost = await settled(
      world,
      socket.placeOrder(STOP).catch((error: unknown) => error),
    );
    expect(lost).toBeInstanceOf(UncertainOutcome);
    const { state, order } = await settled(world, (lost as UncertainOutcome).reconcile());
    expect([state, order?.clientOrderId]).toEqual(["placed", (lost as UncertainOutcome).clientOrderId]);
    world.sockets.change = (text) => [text];
    expect((await socket.openOrders()).total).toBe(1);
  });

  it("a placement that was never sent is not uncertain", async () => {
    const world = await openSocketWorld();
    world.sockets.down = true;
    const socket = createSocketClient(world.options);
    const failed = await settled(
      world,
      socket.placeOrder(STOP).catch((error: unknown) => error),
    );
    expect(failed).toBeInstanceOf(TransportError);
    expect(failed).toMatchObject({ reason: "connection" });
  });

  it("complaint 18: silence ends a request in time, and the connection with it", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    await socket.openOrders();
    world.sockets.deaf = true;
    const silent = await settled(
      world,
      socket.cancelOpenOrders().catch((error: unknown) => error),
    );
    expect(silent).toBeInstanceOf(UncertainOutcome);
    expect((silent as UncertainOutcome).cause).toMatchObject({ reason: "timeout" });
    world.sockets.deaf = false;
    expect((await socket.openOrders()).total).toBe(0);
    expect(world.sockets.opened).toBe(2);
  });

  it("a connection that takes longer than one request has time is opened for the others", async () => {
    const world = await openSocketWorld();
    const { clock } = world;
    class Slow {
      readonly #listeners: Map<string, (event: SocketEvent) => void> = new Map();
      constructor() {
        clock.schedule(clock.monotonicMs() + 1_000, () => this.#listeners.get("open")?.({ type: "open" }));
      }
      addEventListener(type: string, listener: (event: SocketEvent) => void): void {
        this.#listeners.set(type, listener);
      }
      send(text: string): void {
        const data = JSON.stringify({ id: JSON.parse(text).id, status: 200, result: [] });
        this.#listeners.get("message")?.({ type: "message", data });
      }
      close(): void {}
    }
    const socket = createSocketClient({ ...world.options, WebSocket: Slow });
    const hasty = socket.subscriptions({ timeoutMs: 100 }).catch((error: unknown) => error);
    const patient = socket.subscriptions();
    expect(await settled(world, patient)).toEqual([]);
    expect(await hasty).toMatchObject({ reason: "timeout" });
    socket.close();
  });

  it("a listener that throws, or that subscribes again, keeps no message from the others", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    const received: string[] = [];
    const unhandled = unhandledRejection();
    socket.onMessage(() => {
      throw new Error("of the listener");
    });
    let leave = (): void => undefined;
    const again = (): void => {
      received.push("again");
      leave();
      if (received.length < 9) leave = socket.onMessage(again);
    };
    leave = socket.onMessage(again);
    socket.onMessage(() => received.push("last"));
    await socket.subscriptions();
    world.sockets.say('{"subscriptionId":0}');
    await settle(world);
    expect(received).toEqual(["again", "last"]);
    expect(await unhandled).toMatchObject({ message: "of the listener" });
    socket.close();
  });

  it("a signal ends a request", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    await socket.openOrders();
    world.sockets.deaf = true;
    const controller = new AbortController();
    const requested = socket.openOrders({}, { signal: controller.signal }).catch((error: unknown) => error);
    await world.engine.idle();
    controller.abort();
    expect(await requested).toMatchObject({ reason: "aborted" });
  });

  it("no more requests than `maxInFlight` wait for their replies", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient({ ...world.options, maxInFlight: 2 });
    const requested = await Promise.allSettled([1, 2, 3].map(() => socket.cancelOpenOrders()));
    expect(requested.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(requested[2]).toMatchObject({ reason: { kind: "refused", sent: false } });
    await expect(socket.openOrders()).resolves.toMatchObject({ total: 0 });
  });

  it.each([
    ["not JSON", "<html>502 Bad Gateway</html>"],
    ["wrong type", "[]"],
    ["too large", `{"id":"1","result":"${"x".repeat(10_000_000)}"}`],
  ])("a message that is %s ends the connection and its requests", async (problem, text) => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    await socket.openOrders();
    world.sockets.change = () => [text];
    const broken = await socket.cancelOpenOrders().catch((error: unknown) => error);
    expect((broken as UncertainOutcome).cause).toBeInstanceOf(ProtocolError);
    expect((broken as UncertainOutcome).cause).toMatchObject({ problem });
    expect(world.sockets.open.size).toBe(0);
  });

  it("the clock comes by REST; a request that cannot read it is not sent", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    world.wire.strike("/api/time", answers("<html>"), 9);
    const failed = await settled(
      world,
      socket.placeOrder(STOP).catch((error: unknown) => error),
    );
    expect(failed).toBeInstanceOf(ProtocolError);
    expect(world.sockets.sent).toEqual([]);
  });

  it("close ends a connection that is being opened, and the requests that wait for it", async () => {
    const world = await openSocketWorld();
    let closes = 0;
    class Silent {
      addEventListener(): void {}
      send(): void {}
      close(): void {
        closes++;
      }
    }
    const socket = createSocketClient({ ...world.options, WebSocket: Silent });
    const requested = socket.subscriptions().catch((error: unknown) => error);
    await settle(world);
    socket.close();
    expect(await requested).toMatchObject({ kind: "transport", reason: "aborted" });
    expect(closes).toBe(1);
  });

  it("after close nothing is sent", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    await socket.openOrders();
    socket.close();
    await expect(settled(world, socket.cancelOpenOrders())).rejects.toMatchObject({ reason: "aborted" });
    expect(world.sockets.open.size).toBe(0);
  });
});
