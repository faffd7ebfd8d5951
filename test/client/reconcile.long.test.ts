import { describe, expect, it } from "vitest";
import { type Client, type Outcome, ProtocolError, UncertainOutcome } from "../../src/client/index.ts";
import { KEYS } from "../support/service-world.ts";
import {
  answers,
  type ClientWorld,
  callLost,
  clientOn,
  type Fault,
  openClientWorld,
  replyLost,
  type SentCall,
  settled,
  silent,
} from "./client-world.ts";
import { PAIR, STOP } from "./placements.ts";

const NATIVE = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", quantity: "0.5", price: "6000" } as const;

async function uncertain(world: ClientWorld, call: Promise<unknown>): Promise<UncertainOutcome> {
  const error: unknown = await settled(
    world,
    call.then(
      () => undefined,
      (reason: unknown) => reason,
    ),
  );
  if (error instanceof UncertainOutcome) return error;
  throw new Error(`the outcome is certain: ${String(error)}`);
}

const outcomeOf = async (world: ClientWorld, call: Promise<unknown>): Promise<Outcome> =>
  await settled(world, (await uncertain(world, call)).reconcile());

/** What may keep the answer to a placement from the client after the service has placed the order. */
const LOSSES: Readonly<Record<string, Fault>> = {
  "the connection is lost": replyLost,
  "the reply never comes": async (call, pass) => {
    await pass();
    return await silent(call, pass);
  },
  "a proxy answers 502 with a page": async (_call, pass) => {
    await pass();
    return new Response("<html>Bad gateway</html>", { status: 502 });
  },
  "the reply is empty": async (_call, pass) => {
    await pass();
    return new Response("", { status: 200 });
  },
  "the reply is cut off": async (_call, pass) => new Response((await (await pass()).text()).slice(0, 99)),
  "the reply is about another order": async (_call, pass) => {
    const text = await (await pass()).text();
    return new Response(text.replace(/"clientOrderId":"[^"]*"/, '"clientOrderId":"other"'));
  },
  "the reply has an id of a wrong type": async (_call, pass) => {
    const text = await (await pass()).text();
    return new Response(text.replace(/"orderId":[^,]*/, '"orderId":{}'));
  },
  "the service says that it does not know": async (_call, pass) => {
    await pass();
    return new Response('{"code":-1006,"msg":"Unknown."}', { status: 500 });
  },
};

describe("contract, Errors: the outcome of a placement without a readable reply", () => {
  it.each(Object.entries(LOSSES))(
    "%s: reconcile finds the order, which was sent once",
    async (_name, fault) => {
      const world = await openClientWorld();
      world.wire.strike("/api/order", fault);
      const error = await uncertain(world, world.client.placeOrder(STOP));
      const { state, order } = await error.reconcile();
      expect([state, order?.clientOrderId, order?.status]).toEqual(["placed", error.clientOrderId, "NEW"]);
      expect(world.wire.of("POST /api/order").length).toBe(1);
      expect((await world.client.openOrders()).total).toBe(1);
    },
  );

  it.each([
    ["a managed order", (client: Client) => client.placeOrder(STOP), "/api/order"],
    ["a native order", (client: Client) => client.placeNativeOrder(NATIVE), "/api/v2/order"],
    ["a list", (client: Client) => client.placeOco(PAIR), "/api/v3/orderList/oco"],
  ])(
    "%s that never arrived is not placed, once its receive window and the time to store it are over",
    async (_name, place, path) => {
      const world = await openClientWorld();
      world.wire.strike(path, callLost);
      const error = await uncertain(world, place(world.client));
      const startMs = world.clock.nowMs();
      expect(await settled(world, error.reconcile())).toEqual({ state: "not placed" });
      expect(world.clock.nowMs() - startMs).toBeGreaterThan(45_000);
      expect(world.wire.of(`POST ${path}`).length).toBe(1);
    },
  );

  it("a request that is still under way is not called `not placed`: it arrives later and is found", async () => {
    const world = await openClientWorld();
    let arrive = (): Promise<Response> => Promise.reject(new Error("not sent"));
    world.wire.strike("/api/order", async (_call, pass) => {
      arrive = pass;
      throw new TypeError("socket closed");
    });
    const reconciling = (await uncertain(world, world.client.placeOrder(STOP))).reconcile();
    await world.clock.advanceBy(4_500);
    expect((await arrive()).status).toBe(200);
    expect((await settled(world, reconciling)).state).toBe("placed");
  });

  it("after `not placed` a late copy of the request is refused by the service", async () => {
    const world = await openClientWorld();
    let arrive = (): Promise<Response> => Promise.reject(new Error("not sent"));
    world.wire.strike("/api/order", async (_call, pass) => {
      arrive = pass;
      throw new TypeError("socket closed");
    });
    expect((await outcomeOf(world, world.client.placeOrder(STOP))).state).toBe("not placed");
    const late = await arrive();
    expect([late.status, await late.json()]).toMatchObject([400, { code: -1021 }]);
  });

  it("a wall clock of the client that runs ahead does not make `not placed` come early", async () => {
    const world = await openClientWorld();
    const clock = { ...world.clock, nowMs: () => world.clock.nowMs() + 3_600_000 };
    const client = clientOn(world, world.wire, { clock });
    world.wire.strike("/api/order", callLost);
    const error = await uncertain(world, client.placeOrder(STOP));
    const { state } = await settled(world, error.reconcile({ withinMs: 40_000 }));
    expect(state).toBe("unknown");
  });

  it("lists are found by their client id", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/v3/orderList/oco", replyLost);
    const error = await uncertain(world, world.client.placeOco({ ...PAIR, listClientOrderId: "pair-1" }));
    const { state, list } = await error.reconcile();
    expect([state, list?.listClientOrderId, error.listClientOrderId]).toEqual(["placed", "pair-1", "pair-1"]);
  });

  it("an order placed under an alias of its symbol is found", async () => {
    const world = await openClientWorld({}, {});
    world.wire.strike("/api/order", replyLost);
    const error = await uncertain(world, world.client.placeOrder({ ...STOP, symbol: "BTC-USD" }));
    expect((await error.reconcile()).state).toBe("placed");
  });

  it("a refused native order is not placed, and its rejection is shown", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/v2/order", replyLost);
    const error = await uncertain(world, world.client.placeNativeOrder({ ...NATIVE, quantity: "900000" }));
    const { state, rejection } = await settled(world, error.reconcile());
    expect([state, rejection?.status, rejection?.clientOrderId]).toEqual([
      ...["not placed", "REJECTED", error.clientOrderId],
    ]);
  });

  it("a server that is gone leaves the outcome unknown, in bounded time, and a later call finds the order", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/order", replyLost);
    const error = await uncertain(world, world.client.placeOrder(STOP));
    world.wire.strike("/api/time", callLost, 1_000);
    const outcome = await settled(world, error.reconcile({ withinMs: 20_000 }), 25_000);
    expect([outcome.state, outcome.cause?.kind]).toEqual(["unknown", "transport"]);
    world.wire.forgive();
    expect((await settled(world, error.reconcile())).state).toBe("placed");
  });

  it("a key that may not read leaves the outcome unknown at once, with the reason", async () => {
    const world = await openClientWorld();
    const client = clientOn(world, world.wire, {}, KEYS.trader);
    world.wire.strike("/api/order", replyLost);
    const outcome = await (await uncertain(world, client.placeOrder(STOP))).reconcile();
    expect([outcome.state, outcome.cause]).toMatchObject(["unknown", { code: -2015 }]);
  });

  it("a refused timestamp passes: the order is found with the next one", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/order", replyLost);
    world.wire.strike("/api/v2/order", answers('{"code":-1021,"msg":"Timestamp."}', { status: 400 }), 3);
    expect((await outcomeOf(world, world.client.placeOrder(STOP))).state).toBe("placed");
  });

  it("a refused timestamp says how far the clocks are apart", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/v2/order", answers('{"code":-1021,"msg":"Timestamp."}', { status: 400 }), 3);
    const refusal = await settled(
      world,
      world.client.order({ symbol: "BTC/USD", orderId: -256 }).catch((error: unknown) => error),
    );
    expect(refusal).toMatchObject({
      code: -1021,
      remedy: expect.stringMatching(
        /^This machine's clock was [0-9]+ ms (behind|ahead of) the server's when it was compared last\.$/,
      ),
    });
  });

  it("an abort of a placement that was sent is uncertain; one before that sends nothing", async () => {
    const world = await openClientWorld();
    const controller = new AbortController();
    world.wire.strike("/api/order", async (call, pass) => {
      await pass();
      controller.abort();
      return await silent(call, pass);
    });
    const error = await uncertain(world, world.client.placeOrder(STOP, { signal: controller.signal }));
    expect([error.cause.message, (await error.reconcile()).state]).toEqual([
      "The call was aborted.",
      "placed",
    ]);
    const before = world.wire.calls.length;
    const refused = world.client.placeOrder(STOP, { signal: AbortSignal.abort() });
    await expect(refused).rejects.toMatchObject({ kind: "transport", reason: "aborted" });
    expect(world.wire.calls.length).toBe(before);
  });

  it("nothing is sent after an abort of reconcile, and what is under way ends", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/order", callLost);
    const error = await uncertain(world, world.client.placeOrder(STOP));
    const controller = new AbortController();
    world.wire.strike("/api/time", silent);
    const looking = error.reconcile({ signal: controller.signal });
    const { request } = world.wire.calls.at(-1) as SentCall;
    const sent = world.wire.calls.length;
    controller.abort();
    await expect(looking).rejects.toMatchObject({ reason: "aborted" });
    await world.clock.advanceBy(60_000);
    expect([request.signal.aborted, world.wire.calls.length]).toEqual([true, sent]);
  });

  it("pages of open orders without an end leave the outcome unknown, in bounded time", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/v3/openOrders", callLost);
    const error = await uncertain(world, world.client.cancelOpenOrders());
    const page = '{"apiManaged":true,"includesHistory":false,"total":1,"nextOrderId":-256,"orders":[]}';
    world.wire.strike("/api/v3/openOrders", answers(page), 500);
    const outcome = await settled(world, error.reconcile({ withinMs: 1_000 }));
    expect(outcome).toMatchObject({ state: "unknown", cause: { problem: "cursor" } });
    const sent = world.wire.calls.length;
    await world.clock.advanceBy(10_000);
    expect(world.wire.calls.length).toBe(sent);
  });

  it("an abort ends reconcile", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/order", callLost);
    const error = await uncertain(world, world.client.placeOrder(STOP));
    const controller = new AbortController();
    const reconciling = error.reconcile({ signal: controller.signal });
    controller.abort();
    await expect(reconciling).rejects.toMatchObject({ kind: "transport", reason: "aborted" });
  });

  it("a placement that is refused, or whose clock reading fails, is certain", async () => {
    const world = await openClientWorld();
    await expect(world.client.placeOrder({ ...STOP, quantity: "0.0001" })).rejects.toMatchObject({
      kind: "refused",
    });
    const client = clientOn(world, world.wire, { readAttempts: 1 });
    world.wire.strike("/api/time", callLost);
    await expect(client.placeOrder(STOP)).rejects.toMatchObject({ kind: "transport" });
  });
});

describe("the outcome of an amend without a readable reply", () => {
  const changes = { stopPrice: "6100.0" } as const;

  it("an order with the values that were sent is `amended`; the amend is sent once, and again under its id", async () => {
    const world = await openClientWorld();
    const { orderId } = await world.client.placeOrder(STOP);
    world.wire.strike("/api/order", replyLost);
    const key = { symbol: "BTC/USD", orderId };
    const error = await uncertain(world, world.client.amendOrder({ ...key, ...changes }));
    expect((await settled(world, error.reconcile())).state).toBe("amended");
    expect(world.wire.of("PUT /api/order").length).toBe(1);
    await world.client.amendOrder({ ...key, stopPrice: "6200" });
    const again = await world.client.amendOrder({ ...key, ...changes, amendId: error.amendId });
    expect(again.stopPrice).toBe("6200");
  });

  it("an order with other values is `not amended` only when the request can no longer arrive", async () => {
    const world = await openClientWorld();
    const { orderId } = await world.client.placeOrder(STOP);
    world.wire.strike("/api/order", callLost);
    const error = await uncertain(world, world.client.amendOrder({ symbol: "BTC/USD", orderId, ...changes }));
    expect((await settled(world, error.reconcile({ withinMs: 5_000 }))).state).toBe("unknown");
    expect((await settled(world, error.reconcile())).state).toBe("not amended");
  });
});

describe("the outcome of a cancel without a readable reply", () => {
  it("an order that is canceled is `canceled`; the cancel is sent once", async () => {
    const world = await openClientWorld();
    const { orderId } = await world.client.placeOrder(STOP);
    world.wire.strike("/api/v2/order", replyLost);
    const outcome = await outcomeOf(world, world.client.cancelOrder({ symbol: "BTC/USD", orderId }));
    expect([outcome.state, outcome.order?.status]).toEqual(["canceled", "CANCELED"]);
    expect(world.wire.of("DELETE /api/v2/order").length).toBe(1);
  });

  it("the id and the condition of a cancel name no order to look for", async () => {
    const world = await openClientWorld();
    const { orderId } = await world.client.placeOrder(STOP);
    world.wire.strike("/api/v2/order", replyLost);
    const restricted = { cancelRestrictions: "ONLY_NEW", newClientOrderId: "cancel-1" } as const;
    const canceling = world.client.cancelOrder({ symbol: "BTC/USD", orderId, ...restricted });
    expect((await outcomeOf(world, canceling)).state).toBe("canceled");
  });

  it("an order that is open is `not canceled` only when the request can no longer arrive", async () => {
    const world = await openClientWorld();
    const { orderId } = await world.client.placeOrder(STOP);
    world.wire.strike("/api/v2/order", callLost);
    const error = await uncertain(world, world.client.cancelOrder({ symbol: "BTC/USD", orderId }));
    const early = await settled(world, error.reconcile({ withinMs: 5_000 }));
    expect(early.state).toBe("unknown");
    const outcome = await settled(world, error.reconcile());
    expect([outcome.state, outcome.order?.status]).toEqual(["not canceled", "NEW"]);
  });

  describe("an ended managed order does not hide the native order of its client id", () => {
    const KEY = { symbol: "BTC/USD", origClientOrderId: "both" } as const;

    async function openBoth(): Promise<ClientWorld> {
      const world = await openClientWorld();
      const expireTime = world.clock.nowMs() + 60_000;
      await world.client.placeOrder({
        ...{ ...STOP, newClientOrderId: "both" },
        ...{ timeInForce: "GTD", expireTime },
      });
      return world;
    }

    it("a native order that was canceled is `canceled`, although the managed one expired", async () => {
      const world = await openBoth();
      await world.clock.advanceBy(61_000);
      await world.client.placeNativeOrder({ ...NATIVE, newClientOrderId: "both" });
      world.wire.strike("/api/v2/order", replyLost);
      const { state, order } = await outcomeOf(world, world.client.cancelOrder(KEY));
      expect([state, order?.status, order?.apiManaged]).toEqual(["canceled", "CANCELED", undefined]);
    });

    it("a native order that is still open is `not canceled`, although the managed one was canceled before", async () => {
      const world = await openBoth();
      await world.client.cancelOrder(KEY);
      await world.clock.advanceBy(1_000);
      await world.client.placeNativeOrder({ ...NATIVE, newClientOrderId: "both" });
      world.wire.strike("/api/v2/order", callLost);
      const { state, order } = await outcomeOf(world, world.client.cancelOrder(KEY));
      expect([state, order?.status, order?.apiManaged]).toEqual(["not canceled", "NEW", undefined]);
    });

    it("a managed order that this request has canceled is `canceled`, whatever the native one is", async () => {
      const world = await openBoth();
      await world.client.placeNativeOrder({ ...NATIVE, newClientOrderId: "both" });
      world.wire.strike("/api/v2/order", replyLost);
      const { state, order } = await outcomeOf(world, world.client.cancelOrder(KEY));
      expect([state, order?.status, order?.apiManaged]).toEqual(["canceled", "CANCELED", true]);
    });

    it("a native order that had ended before is not the one that was to be canceled", async () => {
      const world = await openBoth();
      await world.client.placeNativeOrder({ ...NATIVE, newClientOrderId: "both" });
      const [native] = await world.client.nativeOrders(KEY);
      await world.client.cancelOrder({ symbol: "BTC/USD", orderId: native?.orderId ?? "" });
      await world.clock.advanceBy(1_000);
      world.wire.strike("/api/v2/order", callLost);
      const error = await uncertain(world, world.client.cancelOrder(KEY));
      await world.clock.advanceBy(61_000);
      const { state, order } = await settled(world, error.reconcile());
      expect([state, order?.status, order?.apiManaged]).toEqual(["not canceled", "EXPIRED", true]);
    });

    it("a native placement is `placed` only if there is a native order, whatever managed one has its id", async () => {
      const world = await openBoth();
      const order = { ...NATIVE, newClientOrderId: "both" };
      world.wire.strike("/api/v2/order", callLost);
      expect((await outcomeOf(world, world.client.placeNativeOrder(order))).state).toBe("not placed");
      world.wire.strike("/api/v2/order", replyLost);
      const found = await outcomeOf(world, world.client.placeNativeOrder(order));
      expect([found.state, found.order?.apiManaged]).toEqual(["placed", undefined]);
    });
  });

  it("a reply about another order or list is uncertain", async () => {
    const world = await openClientWorld();
    const { client, wire } = world;
    const another: Fault = async (_call, pass) => {
      const text = await (await pass()).text();
      return new Response(text.replaceAll(/("(?:orderId|orderListId)":)-[0-9]+/g, "$1-8"));
    };
    const { orderId } = await client.placeOrder(STOP);
    const { orderListId } = await client.placeOco(PAIR);
    for (const [path, cancel] of [
      ["/api/v2/order", () => client.cancelOrder({ symbol: "BTC/USD", orderId })],
      ["/api/v3/orderList", () => client.cancelOrderList({ orderListId })],
    ] as const) {
      wire.strike(path, another);
      const error = await uncertain(world, cancel());
      expect(error.cause).toMatchObject({ problem: "another order" });
      expect((await error.reconcile()).state).toBe("canceled");
    }
  });

  it("the reply about a list is about its leg, by either id and under the id of the cancel", async () => {
    const { client } = await openClientWorld();
    const key = { symbol: "BTC/USD", newClientOrderId: "cancel-1" };
    for (const id of ["leg-1", "leg-2"]) {
      const { orders } = await client.placeOco({ ...PAIR, belowClientOrderId: id });
      const { orderId = "" } = orders.find((leg) => leg.clientOrderId === id) ?? {};
      const names = id === "leg-1" ? { orderId: BigInt(orderId) } : { origClientOrderId: id };
      expect(await client.cancelOrder({ ...key, ...names })).toMatchObject({ listOrderStatus: "ALL_DONE" });
    }
    const { clientOrderId } = await client.placeOrder(STOP);
    expect(await client.cancelOrder({ ...key, origClientOrderId: clientOrderId })).toMatchObject({
      ...{ status: "CANCELED", clientOrderId: "cancel-1", origClientOrderId: clientOrderId },
    });
  });

  it("an answer about another order or list decides nothing", async () => {
    const world = await openClientWorld();
    for (const [placing, looking, place] of [
      ["/api/order", "/api/v2/order", () => world.client.placeOrder(STOP)],
      ["/api/v3/orderList/oco", "/api/v3/orderList", () => world.client.placeOco(PAIR)],
    ] as const) {
      world.wire.strike(placing, replyLost);
      const error = await uncertain(world, place());
      world.wire.strike(looking, async (_call, pass) => {
        const text = await (await pass()).text();
        return new Response(text.replace(/"((?:listC|c)lientOrderId)":"[^"]*"/, '"$1":"other"'));
      });
      const { order, list } = await settled(world, error.reconcile());
      expect(order?.clientOrderId).toBe(error.clientOrderId);
      expect(list?.listClientOrderId).toBe(error.listClientOrderId);
    }
  });

  it("a list that is canceled is `canceled`, one that is open `not canceled`", async () => {
    const world = await openClientWorld();
    const path = "/api/v3/orderList";
    for (const [fault, state] of [
      [replyLost, "canceled"],
      [callLost, "not canceled"],
    ] as const) {
      const { orderListId } = await world.client.placeOco(PAIR);
      world.wire.strike(path, fault);
      expect((await outcomeOf(world, world.client.cancelOrderList({ orderListId }))).state).toBe(state);
    }
  });

  it("a cancel of all is `canceled` when no order from before is open", async () => {
    const world = await openClientWorld();
    for (const [fault, state] of [
      [replyLost, "canceled"],
      [callLost, "not canceled"],
    ] as const) {
      await world.client.placeOrder(STOP);
      world.wire.strike("/api/v3/openOrders", fault);
      expect((await outcomeOf(world, world.client.cancelOpenOrders())).state).toBe(state);
    }
  });

  it("a reply of another form is uncertain, and says which member is wrong", async () => {
    const world = await openClientWorld();
    world.wire.strike("/api/v3/openOrders", answers('{"matchedCount":"1"}'));
    const { cause } = await uncertain(world, world.client.cancelOpenOrders());
    expect(cause).toBeInstanceOf(ProtocolError);
    expect(cause).toMatchObject({ problem: "wrong type", member: "matchedCount" });
  });
});
