import { describe, expect, it } from "vitest";
import type { RequestParameters } from "../../../src/signing/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { fillOf, reported } from "../../support/scripted-venue.ts";
import {
  call,
  FAR_LIMIT,
  KEYS,
  openWorld,
  place,
  placeList,
  type Reply,
  requestOf,
  type ServiceWorld,
} from "../../support/service-world.ts";

const key = KEYS.owner;

const status = (world: ServiceWorld, query: RequestParameters, path = "/api/v2/order"): Promise<Reply> =>
  call(world, "GET", path, { key, query: { symbol: "BTC/USD", ...query, timestamp: world.clock.nowMs() } });

const cancel = (world: ServiceWorld, query: RequestParameters, path = "/api/v2/order"): Promise<Reply> =>
  call(world, "DELETE", path, { key, query: { symbol: "BTC/USD", ...query, nonce: world.nonce() } });

const idOf = ({ body }: Reply): number => body.orderId as number;

/** An order whose child is in flight and stays there. */
async function placeWorking(world: ServiceWorld): Promise<Reply> {
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  const placed = await place(world);
  world.feed.quote({ symbol: "BTC/USD", bid: "6990", ask: "6991" });
  await world.engine.idle();
  return placed;
}

describe("POST /api/order", () => {
  it("contract: answers with the whole managed order, including status and apiState", async () => {
    const world = await openWorld();
    const placed = await place(world, { newClientOrderId: "entry-1" });
    expect(placed.status).toBe(200);
    expect(placed.body).toMatchObject({
      clientOrderId: "entry-1",
      type: "SYNTHETIC_LIMIT",
      status: "NEW",
      apiState: "WAITING",
      instrumentId: 1,
      accountId: 1,
    });
    expect(idOf(placed)).toBeLessThan(0);
  });

  it("the signature may be the last pair of the query or of a form", async () => {
    const world = await openWorld();
    const { clock, service } = world;
    const fields = { ...FAR_LIMIT, timestamp: clock.nowMs() };
    const signed = requestOf("POST", "/api/order", { key, query: fields });
    const signature = signed.rawHeaders[3] ?? "";
    const rawHeaders = ["X-MBX-APIKEY", key.apiKey];
    const inQuery = await service.handle({
      ...signed,
      rawHeaders,
      target: `${signed.target}&signature=${signature}`,
    });
    const form = `${signed.target.slice(signed.target.indexOf("?") + 1)}&signature=${signature}`;
    const inForm = await service.handle({
      ...signed,
      target: "/api/order",
      rawHeaders: [...rawHeaders, "Content-Type", "application/x-www-form-urlencoded"],
      body: new TextEncoder().encode(form),
    });
    expect([inQuery.status, inForm.status]).toEqual([200, 200]);
    expect(inForm.body).toBe(inQuery.body);
  });

  it("the same signed bytes without a client id are one order, a fresh signature is another", async () => {
    const world = await openWorld();
    const request = requestOf("POST", "/api/order", { key, json: FAR_LIMIT, query: { nonce: "1" } });
    const [first, again] = [await world.service.handle(request), await world.service.handle(request)];
    expect(again.body).toBe(first.body);
    expect(first.body).toMatch(/"clientOrderId":"[0-9A-Za-z]{22}"/);
    const other = await place(world);
    expect(first.body).not.toContain(`"orderId":${idOf(other)},`);
  });
});

describe("GET /api/v2/order and its aliases", () => {
  it.each(["/api/v2/order", "/api/v2/getOrderStatus", "/api/v2/orderStatus", "/api/order"])(
    "finds a managed order on %s by negative id, by client id and by both",
    async (path) => {
      const world = await openWorld();
      const orderId = idOf(await place(world, { newClientOrderId: "mine" }));
      for (const query of [{ orderId }, { origClientOrderId: "mine" }, { orderId, clOrdId: "mine" }]) {
        expect((await status(world, query, path)).body).toMatchObject({ orderId, clientOrderId: "mine" });
      }
    },
  );

  it("shows the running limit of a dynamic trailing order", async () => {
    const world = await openWorld();
    world.feed.quote({ symbol: "BTC/USD", bid: "7000", ask: "7001" });
    const fields = { symbol: "BTC/USD", side: "SELL", type: "TRAILING_STOP_LIMIT", quantity: "0.01" };
    const orderId = idOf(await place(world, { ...fields, trailingAmount: "100", limitOffset: "5" }));
    world.feed.quote({ symbol: "BTC/USD", bid: "7100", ask: "7101" });
    await world.engine.idle();
    expect((await status(world, { orderId })).body).toMatchObject({
      trailingAmount: "100",
      limitOffset: "5",
      dynamicLimit: "6995",
    });
  });

  it("the trigger of a trailing order moves with the quotes, and is told once met; /compat does not know it", async () => {
    const world = await openWorld();
    const fields = { symbol: "BTC/USD", side: "SELL", type: "TRAILING_STOP_LIMIT", quantity: "0.01" };
    const orderId = idOf(await place(world, { ...fields, trailingAmount: "100", price: "7100" }));
    const trigger = async (path?: string): Promise<readonly unknown[]> => {
      const { body } = await status(world, { orderId }, path);
      return [body.orderId, body.triggerLevel, body.triggerTime];
    };
    expect(await trigger()).toEqual([orderId, undefined, undefined]);
    for (const [bid, level] of [
      ["7000", "6900"],
      ["7100", "7000"],
      ["7050", "7000"],
    ] as const) {
      world.feed.quote({ symbol: "BTC/USD", bid, ask: "7200" });
      await world.engine.idle();
      expect(await trigger()).toEqual([orderId, level, undefined]);
    }
    const atMs = world.clock.nowMs();
    await world.clock.advanceBy(10);
    world.feed.quote({ symbol: "BTC/USD", bid: "6990", ask: "7200" });
    await world.engine.idle();
    await world.clock.advanceBy(10);
    world.feed.quote({ symbol: "BTC/USD", bid: "7090", ask: "7200" });
    await world.engine.idle();
    expect(await trigger()).toEqual([orderId, "7000", atMs + 10]);
    expect(await trigger("/compat/api/v3/order")).toEqual([orderId, undefined, undefined]);
  });

  it("unknown, positive, foreign and other-symbol ids all get -2013 in one form", async () => {
    const world = await openWorld();
    const orderId = idOf(await place(world, { newClientOrderId: "mine" }));
    const foreign = idOf(await place(world, { newClientOrderId: "theirs" }, { key: KEYS.stranger }));
    const answers = [
      await status(world, { orderId: -1_000_000 }),
      await status(world, { orderId: 12 }),
      await status(world, { orderId: foreign }),
      await status(world, { origClientOrderId: "theirs" }),
      await status(world, { symbol: "ETH/USD", orderId }),
      await status(world, { orderId: -9_007_199_254_740_993n }),
    ];
    for (const { status: code, body } of answers) {
      expect([code, body]).toEqual([400, answers[0]?.body]);
      expect(body.code).toBe(-2013);
    }
  });

  it("two ids that name different orders are -2039", async () => {
    const world = await openWorld();
    const orderId = idOf(await place(world, { newClientOrderId: "first" }));
    await place(world, { newClientOrderId: "second" });
    expect((await status(world, { orderId, origClientOrderId: "second" })).body.code).toBe(-2039);
    expect((await cancel(world, { orderId, origClientOrderId: "second" })).body.code).toBe(-2039);
  });

  it("needs the exact symbol", async () => {
    const world = await openWorld();
    const orderId = idOf(await place(world));
    expect((await status(world, { symbol: "BTCUSD", orderId })).body.code).toBe(-1121);
  });

  it("needs a timestamp; a body is refused", async () => {
    const world = await openWorld();
    const orderId = idOf(await place(world));
    const query = { symbol: "BTC/USD", orderId };
    const untimed = await call(world, "GET", "/api/v2/order", { key, query: { ...query, nonce: "5" } });
    expect(untimed.body.code).toBe(-1102);
    const json = { orderId };
    const timed = { symbol: "BTC/USD", timestamp: world.clock.nowMs() };
    expect((await call(world, "GET", "/api/v2/order", { key, query: timed, json })).body.code).toBe(-1106);
  });
});

describe("DELETE /api/v2/order and its alias", () => {
  it.each(["/api/v2/order", "/api/order"])("cancels on %s and answers with the order", async (path) => {
    const world = await openWorld();
    const orderId = idOf(await place(world, { newClientOrderId: "mine" }));
    const canceled = await cancel(world, { origClientOrderId: "mine", newClientOrderId: "cancel-1" }, path);
    const read = await status(world, { orderId });
    expect([canceled.status, read.status, read.body.status]).toEqual([200, 200, "CANCELED"]);
    expect(canceled.body).toMatchObject({
      orderId,
      status: "CANCELED",
      apiState: "CANCELED",
      clientOrderId: "cancel-1",
      clOrdId: "cancel-1",
      origClientOrderId: "mine",
    });
    expect(read.body.clientOrderId).toBe("mine");
  });

  it("the id of a cancel frees no id: the order keeps its own in every look-up", async () => {
    const world = await openWorld();
    await place(world, { newClientOrderId: "mine" });
    await cancel(world, { origClientOrderId: "mine", newClientOrderId: "cancel-1" });
    expect((await status(world, { origClientOrderId: "cancel-1" })).body.code).toBe(-2013);
    expect((await place(world, { newClientOrderId: "mine", price: "7001" })).body.code).toBe(-2010);
  });

  it("of a list, the legs that the cancel ends bear its id", async () => {
    const world = await openWorld();
    const { body } = await placeList(world, "oco");
    const [leg] = body.orders as readonly JsonObject[];
    const canceled = await cancel(world, {
      orderId: Number(leg?.orderId),
      newClientOrderId: "cancel-1",
      cancelRestrictions: "ONLY_NEW",
    });
    const reports = canceled.body.orderReports as readonly JsonObject[];
    expect(reports.map(({ clientOrderId }) => clientOrderId)).toEqual(["cancel-1", "cancel-1"]);
    expect(reports.map(({ origClientOrderId }) => origClientOrderId)).toEqual(
      (body.orders as readonly JsonObject[]).map(({ clientOrderId }) => clientOrderId),
    );
  });

  describe("convention 3.3: cancelRestrictions", () => {
    const RESTRICTED = [400, -2011, "Order was not canceled due to cancel restrictions."];
    const received = ({ status, body }: Reply): unknown[] => [status, body.code, body.msg];

    it("another value is -1145", async () => {
      const world = await openWorld();
      const orderId = idOf(await place(world));
      expect(received(await cancel(world, { orderId, cancelRestrictions: "ONLY_FILLED" }))).toEqual([
        ...[400, -1145, "Invalid cancelRestrictions"],
      ]);
      expect((await status(world, { orderId })).body.status).toBe("NEW");
    });

    it("an order of which nothing is executed is canceled by ONLY_NEW alone", async () => {
      const world = await openWorld();
      const orderId = idOf(await place(world));
      const refused = await cancel(world, { orderId, cancelRestrictions: "ONLY_PARTIALLY_FILLED" });
      expect(received(refused)).toEqual(RESTRICTED);
      expect((await status(world, { orderId })).body).toMatchObject({ status: "NEW", cancelPending: false });
      const canceled = await cancel(world, { orderId, cancelRestrictions: "ONLY_NEW" });
      expect([canceled.status, canceled.body.status]).toEqual([200, "CANCELED"]);
    });

    it("a partly filled order is canceled by ONLY_PARTIALLY_FILLED alone", async () => {
      const world = await openWorld();
      world.venue.onSubmit = ({ childId }) =>
        reported(childId, "closed", [fillOf({ quantity: "0.001", price: "6000", id: "x" })]);
      const orderId = idOf(await place(world, { price: "7000" }));
      world.feed.quote({ symbol: "BTC/USD", bid: "6900", ask: "7000" });
      await world.engine.idle();
      expect((await status(world, { orderId })).body.status).toBe("PARTIALLY_FILLED");
      expect(received(await cancel(world, { orderId, cancelRestrictions: "ONLY_NEW" }))).toEqual(RESTRICTED);
      const canceled = await cancel(world, { orderId, cancelRestrictions: "ONLY_PARTIALLY_FILLED" });
      expect(canceled.body).toMatchObject({ status: "CANCELED", executedQty: "0.001" });
    });

    it("ONLY_NEW is refused while a child is in flight, because it may have executed", async () => {
      const world = await openWorld();
      world.venue.onSubmit = ({ childId }) => reported(childId, "open");
      const orderId = idOf(await place(world, { price: "7000" }));
      world.feed.quote({ symbol: "BTC/USD", bid: "6900", ask: "7000" });
      await world.engine.idle();
      expect((await status(world, { orderId })).body).toMatchObject({ status: "NEW", apiState: "WORKING" });
      expect(received(await cancel(world, { orderId, cancelRestrictions: "ONLY_NEW" }))).toEqual(RESTRICTED);
      expect((await status(world, { orderId })).body.cancelPending).toBe(false);
    });

    it("an ended or unknown order is the same error as without them", async () => {
      const world = await openWorld();
      const orderId = idOf(await place(world));
      await cancel(world, { orderId });
      for (const id of [orderId, -1]) {
        const { body } = await cancel(world, { orderId: id, cancelRestrictions: "ONLY_NEW" });
        expect([body.code, body.msg]).toEqual([-2011, "Unknown order sent."]);
      }
    });
  });

  it("with a child in flight the cancel is pending, HTTP 200, and may be repeated", async () => {
    const world = await openWorld();
    const orderId = idOf(await placeWorking(world));
    for (let time = 0; time < 2; time++) {
      const pending = await cancel(world, { orderId });
      expect([pending.status, pending.body.status, pending.body.cancelPending]).toEqual([200, "NEW", true]);
    }
  });

  it("unknown, foreign, ended and other-symbol orders are -2011 and change nothing", async () => {
    const world = await openWorld();
    const orderId = idOf(await place(world, { newClientOrderId: "mine" }));
    const foreign = idOf(await place(world, {}, { key: KEYS.stranger }));
    const ended = idOf(await place(world));
    await cancel(world, { orderId: ended });
    const { records } = world.engine.metrics();
    for (const query of [
      { orderId: -1_000_000 },
      { orderId: foreign },
      { orderId: ended },
      { symbol: "ETH/USD", orderId },
      { origClientOrderId: "nothing" },
    ]) {
      expect((await cancel(world, query)).body.code).toBe(-2011);
    }
    expect(world.engine.metrics().records).toBe(records);
    expect((await status(world, { orderId })).body.status).toBe("NEW");
  });
});

describe("/api/v3/openOrders", () => {
  const page = (world: ServiceWorld, query: RequestParameters): Promise<Reply> =>
    call(world, "GET", "/api/v3/openOrders", {
      key,
      query: { apiManaged: true, ...query, nonce: world.nonce() },
    });
  const ids = ({ body }: Reply): readonly number[] =>
    (body.orders as readonly { orderId: number }[]).map(({ orderId }) => orderId);

  it("I70: pages by cursor without a gap, ids falling, total over all pages", async () => {
    const world = await openWorld();
    const placed: number[] = [];
    for (let count = 0; count < 5; count++) placed.push(idOf(await place(world)));
    const first = await page(world, { limit: 2 });
    expect(first.body).toMatchObject({ apiManaged: true, includesHistory: false, total: 5 });
    expect(first.body).not.toHaveProperty("newestFirst");
    expect(Object.keys(first.body).sort()).toEqual([
      "apiManaged",
      "includesHistory",
      "nextOrderId",
      "orders",
      "total",
    ]);
    const second = await page(world, { limit: 2, afterOrderId: first.body.nextOrderId as number });
    const third = await page(world, { limit: 2, afterOrderId: second.body.nextOrderId as number });
    expect([...ids(first), ...ids(second), ...ids(third)]).toEqual(placed);
    expect(third.body.nextOrderId).toBe(0);
  });

  it("newestFirst is echoed and reverses the order; ended orders need includeHistory", async () => {
    const world = await openWorld();
    const [older, newer] = [idOf(await place(world)), idOf(await place(world))];
    await cancel(world, { orderId: older });
    expect(ids(await page(world, {}))).toEqual([newer]);
    const all = await page(world, { newestFirst: true, includeHistory: true });
    expect(all.body).toMatchObject({ newestFirst: true, includesHistory: true, total: 2 });
    expect(ids(all)).toEqual([newer, older]);
  });

  it("cancel-all counts ended orders and those that wait for a child; with nothing open it is all zero", async () => {
    const world = await openWorld();
    await placeWorking(world);
    await place(world, { price: "6000" });
    await place(world, {}, { key: KEYS.stranger });
    const cancelAll = (): Promise<Reply> =>
      call(world, "DELETE", "/api/v3/openOrders", { key, query: { apiManaged: true, nonce: world.nonce() } });
    expect((await cancelAll()).body).toEqual({ matchedCount: 2, canceledCount: 1, cancelPendingCount: 1 });
    const other = await call(world, "GET", "/api/v3/openOrders", {
      key: KEYS.stranger,
      query: { apiManaged: true, nonce: "1" },
    });
    expect(other.body.total).toBe(1);
  });
});
