import { describe, expect, it, onTestFinished } from "vitest";
import type { NativeExecution } from "../../src/model/index.ts";
import type { NativeOrders } from "../../src/ports/index.ts";
import { type RequestParameters, signSocketParameters } from "../../src/signing/index.ts";
import type { JsonObject } from "../../src/wire/index.ts";
import { messageOf } from "../support/hostile-socket.ts";
import { attack, type HostileWorld, openHostileWorld, refusal } from "../support/hostile-world.ts";
import { RESTING, reportedExecution, reportedOrder } from "../support/native-world.ts";
import { FAR_LIMIT, KEYS, START_MS } from "../support/service-world.ts";
import { SocketClient } from "../support/socket-client.ts";

const SUBSCRIBE = "userDataStream.subscribe.signature";

async function opened(options: Parameters<typeof openHostileWorld>[0] = {}): Promise<HostileWorld> {
  const world = await openHostileWorld(options);
  onTestFinished(() => world.close());
  return world;
}

async function connect(world: HostileWorld): Promise<SocketClient> {
  const client = await SocketClient.connect(`ws://127.0.0.1:${world.port}/ws/listenKey`);
  onTestFinished(() => client.close());
  return client;
}

/** Sends a request on a connection and resolves to the result. */
async function ask(client: SocketClient, method: string, json = "{}"): Promise<JsonObject> {
  const id = `c-${client.messages.length}`;
  client.socket.send(messageOf({ method, json }, `"${id}"`));
  await client.until(() => client.messages.some((message) => message.id === id));
  return client.messages.find((message) => message.id === id)?.result as JsonObject;
}

describe("complaint 35: a reconnect reveals every gap", () => {
  it("the reply to the new subscription says how many events were missed, and the stream continues after them", async () => {
    const world = await opened();
    let orders = 0;
    const place = async (): Promise<void> => {
      const json = JSON.stringify({ ...FAR_LIMIT, newClientOrderId: `gap-${++orders}` });
      await world.acceptsMessage({ method: "order.place", json });
    };
    const first = await connect(world);
    const { sequence, streamId } = await ask(first, SUBSCRIBE);
    for (let count = 0; count < 3; count++) await place();
    await first.until(() => first.events.length === 3);
    const last = Number(first.events.at(-1)?.sequence);
    expect(last).toBe(Number(sequence) + 3);
    first.close();
    await first.closed;

    for (let count = 0; count < 4; count++) await place();
    const second = await connect(world);
    const again = await ask(second, SUBSCRIBE);
    expect(again).toMatchObject({ streamId, sequence: last + 4 });
    const page = await ask(second, "openOrders.status", '{"apiManaged":true}');
    expect(page.total).toBe(1 + orders);
    await place();
    await second.until(() => second.events.length === 1);
    expect(second.events[0]?.sequence).toBe(last + 5);
  });
});

const ID = 8_389_765_489_680_951_453n;

/** A host whose only native order has that id. */
function hostOf(listeners: Set<(execution: NativeExecution) => void>): NativeOrders {
  const order = reportedOrder();
  const has = (orderId: bigint | undefined): boolean => orderId === undefined || orderId === ID;
  return {
    isPaperTrade: false,
    place: async ({ clientOrderId }) => ({ order: { ...order, clientOrderId }, fills: [], created: true }),
    findRequest: () => undefined,
    cancel: async (key) => (has("orderId" in key ? key.orderId : undefined) ? order : undefined),
    find: (key) => (has("orderId" in key ? key.orderId : undefined) ? order : undefined),
    page: ({ fromOrderId = 0n }) => (fromOrderId <= ID ? [order] : []),
    executions: ({ orderId }) => (has(orderId) ? [reportedExecution()] : []),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

describe(`complaint 39: the id ${ID} is exact`, () => {
  const digits = `"orderId":${ID}`;
  const query = (fields: string): string => `symbol=BTC%2FUSD&${fields}&timestamp=${START_MS}`;

  it("in every reply of REST, also beside every neighbor that a double would confuse with it", async () => {
    const world = await opened({ native: () => hostOf(new Set()) });
    const get = (path: string, fields: string) => world.send(attack("GET", path, { query: query(fields) }));
    const post = (path: string, body: string, nonce: string) =>
      world.send(attack("POST", path, { query: `nonce=${nonce}`, body }));
    const requested = `{"symbol":"BTC/USD","orderId":${ID}}`;
    const answers = [
      await post("/api/v2/order", JSON.stringify(RESTING), "placed"),
      await get("/api/v2/order", `orderId=${ID}`),
      await get("/api/v2/allOrders", `orderId=${ID}&limit=5`),
      await post("/api/v2/orderStatus", requested, "status"),
      await post("/api/v2/getOrderHistory", requested, "history"),
      await world.send(
        attack("DELETE", "/api/v2/order", { query: `symbol=BTC%2FUSD&orderId=${ID}&nonce=cancel` }),
      ),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([200, expect.stringContaining(digits)]);
    }
    for (const other of [ID - 1n, ID + 1n, BigInt(Number(ID))]) {
      await world.bothRefuse(
        attack("GET", "/api/v2/order", { query: query(`orderId=${other}`) }),
        refusal(-2013),
      );
      expect(
        (await post("/api/v2/getOrderHistory", requested.replace(String(ID), String(other)), `${other}`))
          .body,
      ).toBe('{"orders":[]}');
    }
    expect((await get("/api/v2/allOrders", `orderId=${ID + 1n}&limit=5`)).body).toBe("[]");
  });

  it("in replies and events of the WebSocket, as a number and as text; a client that reads it can send it back", async () => {
    const listeners = new Set<(execution: NativeExecution) => void>();
    const world = await opened({ native: () => hostOf(listeners) });
    const client = await connect(world);
    await ask(client, SUBSCRIBE);
    const order = await ask(client, "order.status", `{"symbol":"BTC/USD","orderId":${ID}}`);
    expect(order.orderId).toBe(ID);
    expect(await ask(client, "order.status", `{"symbol":"BTC/USD","orderId":"${ID}"}`)).toEqual(order);
    expect(await ask(client, "allOrders", `{"symbol":"BTC/USD","orderId":${ID}}`)).toEqual([order]);

    // The client signs the ids that it read, for both interfaces.
    const fields: RequestParameters = { symbol: "BTC/USD", orderId: order.orderId as bigint };
    const own = { ...fields, apiKey: KEYS.owner.apiKey, timestamp: START_MS };
    const params = signSocketParameters({ secret: KEYS.owner.secret, parameters: own });
    const text = `{"id":"back","method":"order.status","params":${JSON.stringify(params, (_name, value) =>
      typeof value === "bigint" ? `${value}` : value,
    )}}`;
    expect(await world.acceptsMessage(text)).toEqual(order);
    expect(
      (await world.accepts(attack("GET", "/api/v2/order", { query: query(`orderId=${order.orderId}`) })))
        .orderId,
    ).toBe(ID);

    for (const listener of listeners) listener(reportedExecution());
    await client.until(() => client.events.length === 1);
    expect(client.events[0]).toMatchObject({ e: "ORDER_TRADE_UPDATE", o: { i: ID } });
    expect(client.texts.at(-1)).toContain(`"i":${ID},`);
  });
});
