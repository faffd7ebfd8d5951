import { describe, expect, it } from "vitest";
import {
  createSocketClient,
  followOrders,
  type OrderStreamOptions,
  type OverrunEvent,
  type StreamEvent,
} from "../../src/client/index.ts";
import { OrderStates } from "../../src/client/order-states.ts";
import {
  ACCOUNT_UPDATE,
  LIST_STATUS,
  MARGIN_CALL,
  ORDER_EVENT,
  ORDER_UPDATE,
  type Table,
} from "../../src/replies/index.ts";
import { schemasUsedIn } from "../../src/service/descriptions/components.ts";
import { PRIVATE_EVENTS } from "../../src/service/descriptions/event-schemas.ts";
import { KEYS, type WorldOptions } from "../support/service-world.ts";
import { settled } from "./client-world.ts";
import { PAIR, STOP } from "./placements.ts";
import { openSocketWorld, type SocketWorld, settle } from "./socket-wire.ts";

const shown = (event: StreamEvent | OverrunEvent): string => {
  if (event.kind === "order") {
    const { clientOrderId, status } = event.order;
    return `${clientOrderId} ${status}${event.event === undefined ? " by query" : ""}`;
  }
  if (event.kind === "synced") return `synced, missed ${event.missed ?? "unknown"}`;
  return event.kind === "overrun" ? `dropped ${event.dropped}` : event.kind;
};

/** A world with a stream of its account, what it told, and a client that places. */
async function openStreamWorld(options: Partial<OrderStreamOptions> = {}, ofService: WorldOptions = {}) {
  const world = await openSocketWorld(ofService);
  const stream = followOrders({ ...world.options, ...options });
  const reported: string[] = [];
  const kinds = ["order", "list", "account", "unknown", "synced"] as const;
  for (const kind of kinds) stream.on(kind, (event) => reported.push(shown(event)));
  await settled(world, stream.ready);
  const place = async (id: string): Promise<void> => {
    await world.client.placeOrder({ ...STOP, newClientOrderId: id });
    await settle(world);
  };
  const cancel = async (id: string): Promise<void> => {
    await world.client.cancelOrder({ symbol: "BTC/USD", origClientOrderId: id });
    await settle(world);
  };
  return { ...world, stream, reported, place, cancel };
}

/** Lets time pass until this holds. */
async function until(world: SocketWorld, holds: () => boolean): Promise<void> {
  for (let step = 0; !holds(); step++) {
    if (step > 400) throw new Error("never came");
    await world.clock.advanceBy(250);
  }
}

const isEvent = (text: string): boolean => text.includes('"ORDER_TRADE_UPDATE"');

describe("the stream of an account", () => {
  it("shows the orders from before, and then each event", async () => {
    const world = await openSocketWorld();
    await world.client.placeOrder({ ...STOP, newClientOrderId: "before" });
    const stream = followOrders(world.options);
    await settled(world, stream.ready);
    expect([...stream.orders.values()]).toMatchObject([{ clientOrderId: "before", status: "NEW" }]);
    const next = stream[Symbol.asyncIterator]().next();
    await world.client.placeOrder({ ...STOP, newClientOrderId: "after" });
    expect((await next).value).toMatchObject({
      ...{ kind: "order", order: { clientOrderId: "after", status: "NEW" } },
      event: { o: { x: "NEW", t: "0" } },
    });
    stream.close();
    expect(await stream.ended).toBeUndefined();
  });

  it("complaint 35: after a lost connection it queries what it missed, and says how much", async () => {
    const world = await openStreamWorld();
    await world.place("a");
    world.sockets.down = true;
    world.sockets.lose();
    await world.cancel("a");
    await world.place("b");
    world.sockets.down = false;
    const { reported } = world;
    await until(world, () => reported.length > 3);
    expect(reported).toEqual([
      ...["synced, missed unknown", "a NEW"],
      ...["b NEW by query", "a CANCELED by query", "synced, missed 2"],
    ]);
    await world.place("c");
    expect(reported.at(-1)).toBe("c NEW");
    world.stream.close();
  });

  it("a connection that is lost before the first orders are known begins anew with their query", async () => {
    const world = await openSocketWorld();
    await world.client.placeOrder({ ...STOP, newClientOrderId: "before" });
    let losses = 0;
    world.sockets.change = (text) => {
      if (!text.includes('"nextOrderId"') || losses++ >= 12) return [text];
      queueMicrotask(() => world.sockets.lose());
      return [];
    };
    const stream = followOrders(world.options);
    let isReady = false;
    stream.on("synced", () => {
      isReady = true;
    });
    await until(world, () => isReady);
    expect([...stream.orders.values()]).toMatchObject([{ clientOrderId: "before", status: "NEW" }]);
    stream.close();
  });

  it("nothing was missed if the numbers are equal, and nothing is queried", async () => {
    const world = await openStreamWorld();
    await world.place("a");
    const before = world.sockets.sent.filter((text) => text.includes("openOrders")).length;
    world.sockets.lose();
    await until(world, () => world.sockets.opened === 2);
    await settle(world);
    expect(world.sockets.sent.filter((text) => text.includes("openOrders"))).toHaveLength(before);
    await world.place("b");
    expect(world.reported).toEqual(["synced, missed unknown", "a NEW", "synced, missed 0", "b NEW"]);
    world.stream.close();
  });

  it.each([
    ["the service does not know any more", -2013],
    ["whose market was removed", -1121],
  ])("an order that %s is forgotten, and the stream says so", async (_what, code) => {
    const world = await openStreamWorld();
    const forgotten: string[] = [];
    world.stream.on("forgotten", ({ order }) => forgotten.push(order.clientOrderId));
    for (const id of ["a", "b"]) await world.place(id);
    world.sockets.change = (text) => {
      if (isEvent(text)) return [];
      const { id, result } = JSON.parse(text);
      const isLookUp = result?.clientOrderId === "a" && result.orderReports === undefined;
      return [isLookUp ? JSON.stringify({ id, status: 400, error: { code, msg: "Unknown." } }) : text];
    };
    for (const id of ["a", "b"]) await world.cancel(id);
    world.sockets.lose();
    await until(world, () => world.reported.length > 4);
    expect(world.reported.slice(3)).toEqual(["b CANCELED by query", "synced, missed 2"]);
    expect(forgotten).toEqual(["a"]);
    expect([...world.stream.orders.values()].map(({ clientOrderId }) => clientOrderId)).toEqual(["b"]);
    await world.place("c");
    world.stream.close();
    expect(await world.stream.ended).toBeUndefined();
  });

  it("complaint 34: an event that is missing in the middle is found by the next one", async () => {
    const world = await openStreamWorld();
    await world.place("a");
    world.sockets.change = (text) => (isEvent(text) ? [] : [text]);
    await world.cancel("a");
    expect(world.reported.at(-1)).toBe("a NEW");
    world.sockets.change = (text) => [text];
    await world.place("b");
    await until(world, () => world.reported.length > 4);
    expect(world.reported.slice(2)).toEqual(["b NEW", "a CANCELED by query", "synced, missed 1"]);
    world.stream.close();
  });

  it("complaint 34: an event that is missing at the end is found after a quiet time", async () => {
    const world = await openStreamWorld({ quietMs: 10_000 });
    await world.place("a");
    world.sockets.change = (text) => (isEvent(text) ? [] : [text]);
    await world.cancel("a");
    await world.clock.advanceBy(9_000);
    expect(world.reported.at(-1)).toBe("a NEW");
    await until(world, () => world.reported.length > 3);
    expect(world.reported.slice(2)).toEqual(["a CANCELED by query", "synced, missed 1"]);
    expect(world.sockets.opened).toBe(1);
    world.stream.close();
  });

  it("complaint 32: events that come twice or out of order are handed out once, in order", async () => {
    const world = await openStreamWorld();
    const held: string[] = [];
    world.sockets.change = (text) => {
      if (!isEvent(text)) return [text];
      held.push(text);
      return [];
    };
    for (const id of ["a", "b", "c"]) await world.place(id);
    await world.cancel("a");
    world.sockets.change = (text) => [text];
    for (const index of [0, 0, 2, 1, 2, 3, 0]) world.sockets.say(held[index] ?? "");
    await until(world, () => world.reported.some((line) => line.startsWith("synced, missed 0")));
    await settle(world);
    const orders = world.reported.filter((line) => !line.startsWith("synced"));
    expect(orders).toEqual(["a NEW", "b NEW", "c NEW", "a CANCELED"]);
    expect(world.stream.orders.size).toBe(3);
    world.stream.close();
  });

  it("complaint 32: an event that comes again is dropped, and nothing is queried for it", async () => {
    const world = await openStreamWorld();
    const received: string[] = [];
    world.sockets.change = (text) => {
      received.push(text);
      return [text];
    };
    await world.place("a");
    await world.cancel("a");
    const [reported, sent] = [[...world.reported], world.sockets.sent.length];
    for (const text of received) world.sockets.say(text);
    await settle(world);
    expect(received.filter(isEvent)).toHaveLength(2);
    expect(world.reported).toEqual(reported);
    expect(world.sockets.sent).toHaveLength(sent);
    world.stream.close();
  });

  it("complaint 32: no state moves backwards, and the executed quantity of an ended order may still grow", () => {
    const states = new OrderStates(10);
    const order = {
      symbol: "BTC/USD",
      orderId: "-1",
      clientOrderId: "a",
      side: "BUY",
      origQty: "1",
    } as const;
    const take = (
      status: "NEW" | "PARTIALLY_FILLED" | "FILLED" | "CANCELED",
      executedQty: string,
    ): string => {
      const { order: now } = states.take({ ...order, status, executedQty }, 0);
      return `${now.status} ${now.executedQty}`;
    };
    expect(take("PARTIALLY_FILLED", "0.9")).toBe("PARTIALLY_FILLED 0.9");
    expect(take("NEW", "0")).toBe("PARTIALLY_FILLED 0.9");
    expect(take("PARTIALLY_FILLED", "0.25")).toBe("PARTIALLY_FILLED 0.9");
    expect(take("CANCELED", "0.9")).toBe("CANCELED 0.9");
    expect(take("PARTIALLY_FILLED", "0.95")).toBe("CANCELED 0.95");
    expect(take("FILLED", "0.95")).toBe("CANCELED 0.95");
  });

  it("orders that have ended are forgotten, the oldest first", () => {
    const states = new OrderStates(2);
    const order = {
      symbol: "BTC/USD",
      clientOrderId: "a",
      side: "BUY",
      origQty: "1",
      executedQty: "0",
    } as const;
    states.take({ ...order, orderId: "-1", status: "NEW" }, 0);
    for (const orderId of ["-2", "-3", "-4"]) states.take({ ...order, orderId, status: "CANCELED" }, 0);
    expect([...states.orders.keys()]).toEqual(["-1", "-3", "-4"]);
  });

  it("a slow iterator gets the number of dropped events, and the states stay whole", async () => {
    const world = await openStreamWorld({ maxWaiting: 2 });
    const iterator = world.stream[Symbol.asyncIterator]();
    for (const id of ["a", "b", "c", "d"]) await world.place(id);
    expect((await iterator.next()).value).toEqual({ kind: "overrun", dropped: 3 });
    expect(shown((await iterator.next()).value as StreamEvent)).toBe("d NEW");
    expect(world.stream.orders.size).toBe(4);
    world.stream.close();
    await world.stream.ended;
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it("the bound for iterators is not one for the stream: events that come together end no connection", async () => {
    const world = await openStreamWorld({ maxWaiting: 1 });
    await world.client.placeOco(PAIR);
    await world.client.cancelOpenOrders();
    await settle(world);
    expect([world.sockets.opened, world.reported.filter((line) => line === "list").length]).toEqual([1, 2]);
    world.stream.close();
  });

  it("after a lost connection it sends no more requests at once than `maxInFlight` allows", async () => {
    const world = await openStreamWorld({ maxInFlight: 1 });
    for (const id of ["a", "b"]) await world.place(id);
    world.sockets.lose();
    await world.client.cancelOpenOrders();
    await until(world, () => world.reported.length > 5);
    expect(world.reported.slice(3)).toEqual([
      "a CANCELED by query",
      "b CANCELED by query",
      "synced, missed 2",
    ]);
    world.stream.close();
  });

  it("more look-ups than a minute allows go on in the next one, without a ban", async () => {
    const world = await openStreamWorld({}, { limits: { weightPerMinute: 100 } });
    const order = {
      symbol: "BTC/USD",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      price: "5000",
    } as const;
    for (let count = 0; count < 40; count++)
      await world.client.placeNativeOrder({ ...order, quantity: "0.01" });
    await until(world, () => world.stream.orders.size === 40);
    await world.clock.advanceBy(60_000);
    world.sockets.down = true;
    world.sockets.lose();
    await world.place("a");
    world.sockets.down = false;
    const synced = (): boolean => world.reported.at(-1) === "synced, missed 1";
    for (let second = 0; !synced() && second < 240; second++) await world.clock.advanceBy(1_000);
    expect(world.reported.slice(-2)).toEqual(["a NEW by query", "synced, missed 1"]);
    world.stream.close();
  });

  it("an unsubscribed listener hears nothing, and one that throws disturbs no other", async () => {
    const world = await openStreamWorld();
    let received = 0;
    const leave = world.stream.on("order", () => received++);
    await world.place("a");
    leave();
    await world.place("b");
    expect([received, world.reported.at(-1)]).toEqual([1, "b NEW"]);
    world.stream.close();
  });

  it("after close no listener is called, also for events that came before", async () => {
    const world = await openStreamWorld();
    const received: number[] = [];
    world.stream.on("unknown", ({ event }) => {
      received.push(event.sequence);
      world.stream.close();
    });
    for (const sequence of [1, 2])
      world.sockets.say(JSON.stringify({ subscriptionId: 0, event: { e: "NEWS", E: 1, sequence } }));
    await world.stream.ended;
    expect(received).toEqual([1]);
  });

  it("after close no listener is called, also for the event whose listener closes the stream", async () => {
    const world = await openStreamWorld();
    const received: string[] = [];
    world.stream.on("unknown", () => {
      received.push("closes");
      world.stream.close();
    });
    world.stream.on("unknown", () => received.push("next"));
    world.sockets.say('{"subscriptionId":0,"event":{"e":"NEWS","E":1,"sequence":1}}');
    await world.stream.ended;
    expect(received).toEqual(["closes"]);
  });

  it("an event of a kind that is not known counts, and is handed on", async () => {
    const world = await openStreamWorld();
    world.sockets.say('{"subscriptionId":0,"event":{"e":"NEWS","E":1,"sequence":1,"more":9007199254740993}}');
    await settle(world);
    expect(world.reported.at(-1)).toBe("unknown");
    world.stream.close();
  });

  it.each([
    ["HTML", "<html>"],
    ["no event", '{"subscriptionId":0}'],
    ["null as its event", '{"subscriptionId":0,"event":null}'],
    [
      "a number beyond 2^53",
      '{"subscriptionId":0,"event":{"e":"listStatus","E":1,"sequence":9007199254740993}}',
    ],
    [
      "a wrong member",
      '{"subscriptionId":0,"event":{"e":"ORDER_TRADE_UPDATE","E":1,"T":1,"sequence":1,"o":{}}}',
    ],
  ])("a message with %s ends the connection; the next one goes on", async (_what, text) => {
    const world = await openStreamWorld();
    world.sockets.say(text);
    await until(world, () => world.sockets.opened === 2 && world.sockets.open.size === 1);
    await until(world, () => world.sockets.sent.filter((sent) => sent.includes("subscribe")).length > 1);
    await world.place("a");
    expect(world.reported.at(-1)).toBe("a NEW");
    world.stream.close();
  });

  it("complaint 35: silence ends the connection, and the next one finds what was missed", async () => {
    const world = await openStreamWorld({ quietMs: 10_000 });
    world.sockets.deaf = true;
    world.sockets.change = () => [];
    await world.place("a");
    await until(world, () => world.sockets.opened > 1);
    world.sockets.deaf = false;
    world.sockets.change = (text) => [text];
    await until(world, () => world.reported.length > 2);
    expect(world.reported.slice(1)).toEqual(["a NEW by query", "synced, missed 1"]);
    world.stream.close();
  });

  it("complaint 34: an event of the series before is none of the series of a new subscription", async () => {
    const world = await openStreamWorld({ quietMs: 10_000 });
    const last = JSON.stringify({ subscriptionId: 0, event: { e: "NEWS", E: 1, sequence: 101 } });
    // The account moves to another node after the end of the subscription, just before which an event came.
    world.sockets.change = (text) => {
      if (text.includes('"result":{}')) return [last, text];
      return [text.replace(/"streamId":"[^"]*"/, '"streamId":"other"')];
    };
    await until(world, () => world.reported.length > 3);
    await world.place("a");
    expect(world.reported.slice(-2)).toEqual(["synced, missed unknown", "a NEW"]);
    world.stream.close();
  });

  it("a subscription that the service ends while the stream ends it is no reason to stop", async () => {
    const world = await openStreamWorld({ quietMs: 10_000 });
    world.sockets.change = (text) => (text.includes("eventStreamTerminated") ? [] : [text]);
    for (const socket of world.sockets.open) socket.send('{"id":"x","method":"userDataStream.unsubscribe"}');
    await until(world, () => world.sockets.opened === 2 && world.sockets.open.size === 1);
    await until(world, () => world.sockets.sent.filter((sent) => sent.includes(".signature")).length > 1);
    await world.place("a");
    expect(world.reported.at(-1)).toBe("a NEW");
    world.stream.close();
  });

  it("a subscription that ends right after its reply is made anew", async () => {
    const world = await openSocketWorld();
    world.sockets.change = (text) => {
      const { result } = JSON.parse(text) as { result?: { subscriptionId?: number; streamId?: string } };
      if (result?.streamId === undefined || world.sockets.opened > 1) return [text];
      const event = { e: "eventStreamTerminated", E: 1 };
      return [text, JSON.stringify({ subscriptionId: result.subscriptionId, event })];
    };
    const stream = followOrders(world.options);
    const startMs = world.clock.nowMs();
    await until(world, () => world.sockets.opened > 1);
    expect(world.clock.nowMs() - startMs).toBeLessThan(5_000);
    stream.close();
  });

  it("pauses between attempts grow, up to half a minute", async () => {
    const world = await openStreamWorld();
    world.sockets.down = true;
    world.sockets.lose();
    await world.clock.advanceBy(120_000);
    const attempts = world.sockets.opened;
    expect(attempts).toBeGreaterThan(6);
    expect(attempts).toBeLessThan(14);
    world.stream.close();
  });

  it("a key that may not read ends the stream with its refusal", async () => {
    const world = await openSocketWorld();
    const stream = followOrders({ ...world.options, ...KEYS.trader });
    const iterator = stream[Symbol.asyncIterator]();
    const why = await settled(world, stream.ended);
    expect(why).toMatchObject({ kind: "refused", code: -2015 });
    await expect(stream.ready).rejects.toBe(why);
    await expect(iterator.next()).rejects.toBe(why);
  });

  it("the client of the private WebSocket hears the same events, as they come", async () => {
    const world = await openSocketWorld();
    const socket = createSocketClient(world.options);
    const received: unknown[] = [];
    socket.onMessage((message) => received.push(message.subscriptionId));
    await socket.subscribe();
    await socket.placeOrder(STOP);
    await settle(world);
    expect(received).toEqual([0]);
    socket.close();
  });
});

/** Letters of the convention that always have the same value here. */
const FIXED = ["b", "a", "m", "wt", "cp", "pP", "si", "ss", "rp", "V", "pm"];

type Schema = Readonly<{ properties: Readonly<Record<string, object>>; required: readonly string[] }>;

describe("the events as the client reads them", () => {
  it("have the members of the service's schemas", () => {
    const schemas = { OrderTradeUpdate: ORDER_EVENT, ListStatus: LIST_STATUS };
    const more = { AccountUpdate: ACCOUNT_UPDATE, MarginCall: MARGIN_CALL };
    for (const [name, table] of Object.entries<Table>({ ...schemas, ...more })) {
      const { properties } = PRIVATE_EVENTS[name] as unknown as Schema;
      expect(Object.keys(table).sort()).toEqual(Object.keys(properties).sort());
    }
    const names = ["ManagedTrade", "NativeTrade"].flatMap((name) => {
      const schema = schemasUsedIn({ $ref: `#/components/schemas/${name}` })[name] as unknown as Schema;
      return Object.keys(schema.properties);
    });
    const own = [...new Set(names)].filter((name) => !FIXED.includes(name));
    expect(Object.keys(ORDER_UPDATE).sort()).toEqual(own.sort());
  });
});
