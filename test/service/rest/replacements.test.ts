import { describe, expect, it } from "vitest";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { turns } from "../../support/faulty-world.ts";
import { openNativeWorld } from "../../support/native-world.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import {
  call,
  KEYS,
  openWorld,
  place,
  placeList,
  type Reply,
  requestOf,
  type ServiceWorld,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const STOP = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "0.01", stopPrice: "6000" };
const NEW = { ...STOP, stopPrice: "6100", newClientOrderId: "new", cancelReplaceMode: "STOP_ON_FAILURE" };
const NATIVE = {
  ...{ symbol: "BTC/USD", side: "SELL", type: "LIMIT", quantity: "0.01", price: "9000" },
  timeInForce: "GTC",
};
const PATH = "/api/order/cancelReplace";
const COMPAT = "/compat/api/v3";

const replace = (world: ServiceWorld, fields: RequestParameters, as = key): Promise<Reply> =>
  call(world, "POST", PATH, { key: as, json: { ...NEW, ...fields }, query: { nonce: world.nonce() } });

const stop = async (world: ServiceWorld): Promise<number> =>
  (await place(world, { ...STOP, newClientOrderId: "old" })).body.orderId as number;

const openIds = async ({ engine }: ServiceWorld): Promise<readonly string[]> => {
  const page = { accountId: 1, includeHistory: false, newestFirst: false, limit: 100, afterOrderId: 0 };
  return (await engine.page(page)).orders.map(({ intent }) => intent.clientOrderId);
};

/** Lets the stop at 6000 send a child, which the venue does not answer. */
async function sendsChild({ venue, feed }: ServiceWorld): Promise<void> {
  venue.onSubmit = () => "silence";
  feed.quote({ symbol: "BTC/USD", bid: "5990", ask: "5991" });
  await turns();
  expect(venue.submitted).toHaveLength(1);
}

describe("POST /api/order/cancelReplace", () => {
  it("answers with both orders, and the same bytes again do nothing", async () => {
    const world = await openWorld();
    const orderId = await stop(world);
    const { newClientOrderId: _none, ...unnamed } = NEW;
    const json = { ...unnamed, cancelOrderId: orderId, cancelNewClientOrderId: "c-1" };
    const request = requestOf("POST", PATH, { key, json, query: { nonce: "replace-1" } });
    const first = await world.service.handle(request);
    expect([first.status, JSON.parse(String(first.body))]).toMatchObject([
      200,
      {
        ...{ cancelResult: "SUCCESS", newOrderResult: "SUCCESS" },
        cancelResponse: { orderId, status: "CANCELED", origClientOrderId: "old", clientOrderId: "c-1" },
        newOrderResponse: { status: "NEW", stopPrice: "6100" },
      },
    ]);
    const again = await world.service.handle(request);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect((await openIds(world)).length).toBe(1);
  });

  it("a failed cancel: -2022 places nothing, and -2021 says that the new order was placed", async () => {
    const world = await openWorld();
    const failed = { cancelResult: "FAILURE", cancelResponse: { code: -2011 } };
    const none = await replace(world, { cancelOrigClientOrderId: "none" });
    expect([none.status, none.body]).toMatchObject([
      400,
      { code: -2022, data: { ...failed, newOrderResult: "NOT_ATTEMPTED", newOrderResponse: null } },
    ]);
    expect(await openIds(world)).toEqual([]);
    const fields = { cancelOrigClientOrderId: "none", cancelReplaceMode: "ALLOW_FAILURE" };
    for (const _copy of [1, 2]) {
      const { status, body } = await replace(world, fields);
      expect([status, body]).toMatchObject([
        409,
        { code: -2021, data: { ...failed, newOrderResult: "SUCCESS", newOrderResponse: { status: "NEW" } } },
      ]);
    }
    expect(await openIds(world)).toEqual(["new"]);
  });

  it("a child that is not settled: the cancel is pending, and the new order is not attempted", async () => {
    const world = await openWorld();
    const cancelOrderId = await stop(world);
    await sendsChild(world);
    for (const cancelReplaceMode of ["STOP_ON_FAILURE", "ALLOW_FAILURE"]) {
      const { status, body } = await replace(world, { cancelOrderId, cancelReplaceMode });
      expect([status, body]).toMatchObject([
        409,
        {
          code: -2021,
          data: {
            ...{ cancelResult: "SUCCESS", newOrderResult: "NOT_ATTEMPTED", newOrderResponse: null },
            cancelResponse: { orderId: cancelOrderId, cancelPending: true },
          },
        },
      ]);
    }
    expect(await openIds(world)).toEqual(["old"]);
  });

  it("a copy after the other order has executed whole does not advise to place the new one", async () => {
    const world = await openWorld();
    const cancelOrderId = await stop(world);
    await sendsChild(world);
    await replace(world, { cancelOrderId });
    const [child] = world.venue.submitted;
    const fill = fillOf({ quantity: "0.01", price: "5990" });
    world.venue.say(reported(child?.childId ?? "", "closed", [fill]));
    await turns();
    const { body } = await replace(world, { cancelOrderId });
    expect(body).toMatchObject({ code: -2021, data: { cancelResponse: { status: "FILLED" } } });
    expect(body.error).not.toContain("then place");
    expect(body.error).toContain("read what it has executed");
  });

  it("a copy is answered as before though a native order has the client id of the replaced one", async () => {
    const world = await openNativeWorld();
    await stop(world);
    const fields = { cancelOrigClientOrderId: "old" };
    const first = await replace(world, fields);
    const json = { ...NATIVE, newClientOrderId: "old" };
    const native = await call(world, "POST", "/api/v2/order", { key, json, query: { nonce: world.nonce() } });
    expect([first.status, native.status]).toEqual([200, 200]);
    const copy = await replace(world, fields);
    expect([copy.status, copy.body]).toEqual([200, first.body]);
    const other = await replace(world, { ...fields, newClientOrderId: "other" });
    expect([other.status, other.body.code]).toEqual([400, -2022]);
  });

  it("a request that is refused leaves the order as it is, and says what is wrong with it", async () => {
    const world = await openWorld();
    const cancelOrderId = await stop(world);
    const list = await placeList(world, "oco");
    const [leg] = list.body.orders as unknown as readonly { orderId: number }[];
    const open = await openIds(world);
    for (const [fields, code] of [
      [{ cancelOrderId, quantity: "0.0001" }, -1013],
      [{ cancelOrderId, quantity: "0.0001", cancelReplaceMode: "ALLOW_FAILURE" }, -1013],
      [{ cancelOrderId, cancelReplaceMode: "MAYBE" }, -1130],
      [{ cancelOrderId, orderRateLimitExceededMode: "CANCEL_ONLY" }, -1130],
      [{ cancelOrderId, cancelRestrictions: "ONLY_FILLED" }, -1145],
      [{ cancelOrderId, cancelRestrictions: "ONLY_PARTIALLY_FILLED" }, -2022],
      [{ cancelOrderId, cancelOrigClientOrderId: "other" }, -2039],
      [{ cancelOrderId, orderId: cancelOrderId }, -1104],
      [{ cancelOrderId, type: "LIMIT", price: "7000", stopPrice: undefined, timeInForce: "GTC" }, -1116],
      [{ cancelOrderId, newClientOrderId: "old" }, -2010],
      [{ cancelOrderId: leg?.orderId ?? 0 }, -2022],
      [{}, -1102],
    ] as const) {
      const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
      const base = "type" in fields ? { symbol: STOP.symbol, side: "SELL", quantity: "0.01" } : {};
      const json = { ...("type" in fields ? base : NEW), cancelReplaceMode: "STOP_ON_FAILURE", ...sent };
      const { status, body } = await call(world, "POST", PATH, {
        key,
        json,
        query: { nonce: world.nonce() },
      });
      expect([status, body.code], JSON.stringify(fields)).toEqual([400, code]);
      expect(String(body.error).length).toBeGreaterThan(String(body.msg).length);
    }
    expect(await openIds(world)).toEqual(open);
  });

  it("39: needs TRADE, and another's order is an unknown one", async () => {
    const world = await openWorld();
    const cancelOrderId = await stop(world);
    expect((await replace(world, { cancelOrderId }, KEYS.reader)).status).toBe(401);
    expect((await replace(world, { cancelOrderId }, KEYS.stranger)).body.code).toBe(-2022);
    expect(await openIds(world)).toEqual(["old"]);
  });

  it("above the limit a copy of a replacement that was not placed is answered as the first", async () => {
    const world = await openWorld({ limits: { ordersPer10s: 2 } });
    const cancelOrderId = await stop(world);
    await sendsChild(world);
    for (const fields of [{ cancelOrderId }, { cancelOrigClientOrderId: "old" }])
      expect((await replace(world, fields)).body.code).toBe(-2021);
    await place(world, { ...STOP, newClientOrderId: "other" });
    for (const fields of [{ cancelOrderId }, { cancelOrigClientOrderId: "old" }])
      expect((await replace(world, fields)).body.code).toBe(-2021);
    expect((await replace(world, { cancelOrderId, newClientOrderId: "newer" })).body.code).toBe(-1015);
  });

  it("counts as the new order, and neither a copy nor one that is not placed counts", async () => {
    const world = await openWorld();
    const cancelOrderId = await stop(world);
    const counts = ({ headers }: Reply): unknown => headers["X-MBX-ORDER-COUNT-10S"];
    expect(counts(await replace(world, { cancelOrderId }))).toBe("2");
    await replace(world, { cancelOrderId, newClientOrderId: "none" });
    expect(counts(await replace(world, { cancelOrderId }))).toBe("2");
  });
});

describe("on the compat prefix", () => {
  const compat = (world: ServiceWorld, method: "POST" | "PUT", path: string, query: RequestParameters) =>
    call(world, method, `${COMPAT}/${path}`, {
      key,
      query: { symbol: "BTCUSD", ...query, timestamp: world.clock.nowMs() },
    });

  it("replaces an order in the convention's names, and its answers to a half that failed have them too", async () => {
    const world = await openWorld();
    await stop(world);
    const fields = { ...NEW, symbol: "BTCUSD", type: "STOP_LOSS", cancelOrigClientOrderId: "old" };
    const { status, body } = await compat(world, "POST", "order/cancelReplace", fields);
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ cancelResult: "SUCCESS", newOrderResult: "SUCCESS" },
        cancelResponse: { symbol: "BTCUSD", type: "STOP_LOSS", status: "CANCELED", origClientOrderId: "old" },
        newOrderResponse: { symbol: "BTCUSD", type: "STOP_LOSS", cummulativeQuoteQty: "0" },
      },
    ]);
    const more = { ...fields, newClientOrderId: "newer", cancelReplaceMode: "ALLOW_FAILURE" };
    expect((await compat(world, "POST", "order/cancelReplace", more)).body).toMatchObject({
      code: -2021,
      data: { newOrderResponse: { symbol: "BTCUSD", type: "STOP_LOSS" } },
    });
  });

  it("changes the quantity of an order and keeps its client id", async () => {
    const world = await openWorld();
    const orderId = await stop(world);
    const path = "order/amend/keepPriority";
    const { status, body } = await compat(world, "PUT", path, { orderId, newQty: "0.005" });
    expect([status, body]).toMatchObject([
      200,
      { amendedOrder: { orderId, symbol: "BTCUSD", qty: "0.005", clientOrderId: "old", status: "NEW" } },
    ]);
    for (const [fields, code] of [
      [{ orderId }, -1102],
      [{ orderId, newQty: "0" }, -1130],
      [{ orderId, newQty: "0.005", price: "1" }, -1104],
    ] as const)
      expect((await compat(world, "PUT", path, fields)).body.code, JSON.stringify(fields)).toBe(code);
  });
});
