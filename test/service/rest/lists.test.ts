import { describe, expect, it } from "vitest";
import type { RequestParameters } from "../../../src/signing/index.ts";
import type { JsonObject } from "../../../src/wire/index.ts";
import { reported } from "../../support/scripted-venue.ts";
import {
  call,
  KEYS,
  openWorld,
  placeList,
  type Reply,
  type ServiceWorld,
  START_MS,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const MINUTE_MS = 60_000;

const look = (world: ServiceWorld, query: RequestParameters): Promise<Reply> =>
  call(world, "GET", "/api/v3/orderList", { key, query: { ...query, nonce: world.nonce() } });

const cancel = (world: ServiceWorld, query: RequestParameters): Promise<Reply> =>
  call(world, "DELETE", "/api/v3/orderList", { key, query: { ...query, nonce: world.nonce() } });

const cancelOrder = (world: ServiceWorld, orderId: number): Promise<Reply> =>
  call(world, "DELETE", "/api/v2/order", {
    key,
    query: { symbol: "BTC/USD", orderId, nonce: world.nonce() },
  });

/** GET of a page of lists; its body is an array. */
async function pageOf(
  world: ServiceWorld,
  name: "openOrderList" | "allOrderList",
  query: RequestParameters = {},
): Promise<readonly JsonObject[]> {
  const options = { key, query: { ...query, nonce: world.nonce() } };
  const { status, body } = await call(world, "GET", `/api/v3/${name}`, options);
  expect(status).toBe(200);
  return body as unknown as readonly JsonObject[];
}

const listIdOf = ({ body }: Reply): number => body.orderListId as number;
const reportsOf = (body: JsonObject): readonly JsonObject[] => body.orderReports as readonly JsonObject[];
const statusesOf = (body: JsonObject): readonly unknown[] => reportsOf(body).map(({ status }) => status);
const legOf = ({ body }: Reply, index: number): number => reportsOf(body)[index]?.orderId as number;

/** An OTOCO whose entry has a child in flight. */
async function placeWorking(world: ServiceWorld): Promise<Reply> {
  world.venue.onSubmit = ({ childId }) => reported(childId, "open");
  world.venue.onLookup = ({ childId }) => reported(childId, "open");
  const placed = await placeList(world, "otoco");
  world.feed.quote({ symbol: "BTC/USD", bid: "6499", ask: "6500" });
  await world.engine.idle();
  return placed;
}

describe("GET /api/v3/orderList", () => {
  it("contract, List queries: by id, by either name of the client id, by both; reports included", async () => {
    const world = await openWorld();
    const placed = await placeList(world, "otoco", { listClientOrderId: "mine" });
    const orderListId = listIdOf(placed);
    for (const query of [
      { orderListId },
      { listClientOrderId: "mine" },
      { origClientOrderId: "mine" },
      { orderListId, origClientOrderId: "mine" },
      { orderListId, symbol: "BTC/USD" },
      { orderListId, symbol: "BTCUSD" },
      { orderListId, instrumentId: 1 },
    ]) {
      expect((await look(world, query)).body).toEqual(placed.body);
    }
  });

  it("unknown, positive and foreign lists and those of another market are -2013 in one form", async () => {
    const world = await openWorld();
    const orderListId = listIdOf(await placeList(world, "oco"));
    const foreign = await placeList(world, "oco", { listClientOrderId: "theirs" }, { key: KEYS.stranger });
    const leg = legOf(foreign, 0);
    const answers = [
      await look(world, { orderListId: -1_000_000 }),
      await look(world, { orderListId: 12 }),
      await look(world, { orderListId: -9_007_199_254_740_993n }),
      await look(world, { orderListId: listIdOf(foreign) }),
      await look(world, { orderListId: leg }),
      await look(world, { listClientOrderId: "theirs" }),
      await look(world, { orderListId, symbol: "ETH/USD" }),
      await look(world, { orderListId, instrumentId: 2 }),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).toEqual([400, answers[0]?.body]);
      expect(body.code).toBe(-2013);
    }
  });

  it("two ids must name one list, -2039; a leg is not found as a list, nor a list as an order", async () => {
    const world = await openWorld();
    const first = await placeList(world, "oco", { listClientOrderId: "first" });
    await placeList(world, "oco", { listClientOrderId: "second" });
    const both = { orderListId: listIdOf(first), listClientOrderId: "second" };
    expect((await look(world, both)).body.code).toBe(-2039);
    expect((await cancel(world, both)).body.code).toBe(-2039);
    expect((await look(world, { orderListId: legOf(first, 0) })).body.code).toBe(-2013);
    expect((await cancelOrder(world, listIdOf(first))).body.code).toBe(-2011);
  });

  it("a leg's own status contains its list", async () => {
    const world = await openWorld();
    const placed = await placeList(world, "oto");
    const query = { symbol: "BTC/USD", orderId: legOf(placed, 1), timestamp: world.clock.nowMs() };
    const { body } = await call(world, "GET", "/api/v2/order", { key, query });
    expect(body).toEqual(reportsOf(placed.body)[1]);
    expect(body).toMatchObject({ orderListId: listIdOf(placed), status: "PENDING_NEW", held: true });
  });
});

describe("DELETE /api/v3/orderList", () => {
  it("I43, I44: cancels every leg, including held ones, and answers with the list all done", async () => {
    const world = await openWorld();
    const placed = await placeList(world, "otoco", { workingClientOrderId: "entry" });
    const canceled = await cancel(world, { orderListId: listIdOf(placed) });
    expect(canceled.body).toMatchObject({ listStatusType: "ALL_DONE", listOrderStatus: "ALL_DONE" });
    expect(statusesOf(canceled.body)).toEqual(["CANCELED", "CANCELED", "CANCELED"]);
    for (const report of reportsOf(canceled.body)) {
      expect(report.origClientOrderId).toBe(report.clientOrderId);
      expect(report.held).toBe(false);
    }
    expect(reportsOf(canceled.body)[0]?.clientOrderId).toBe("entry");
  });

  it("needs no symbol; symbol and newClientOrderId are read and ignored", async () => {
    const world = await openWorld();
    await placeList(world, "oco", { listClientOrderId: "mine" });
    const canceled = await cancel(world, {
      listClientOrderId: "mine",
      symbol: "ETH/USD",
      newClientOrderId: "the-cancel",
    });
    expect([canceled.status, canceled.body.listClientOrderId]).toEqual([200, "mine"]);
  });

  it("with a child in flight the list continues with cancelPending, and may be canceled again", async () => {
    const world = await openWorld();
    const placed = await placeWorking(world);
    for (let time = 0; time < 2; time++) {
      const pending = await cancel(world, { orderListId: listIdOf(placed) });
      expect([pending.status, pending.body.listOrderStatus]).toEqual([200, "EXECUTING"]);
      expect(reportsOf(pending.body)).toMatchObject([
        { status: "NEW", apiState: "WORKING", cancelPending: true },
        { status: "CANCELED", cancelPending: false },
        { status: "CANCELED", cancelPending: false },
      ]);
    }
    world.venue.say(reported(world.venue.submitted[0]?.childId ?? "", "closed"));
    await world.engine.idle();
    const { body } = await look(world, { orderListId: listIdOf(placed) });
    expect([body.listOrderStatus, ...statusesOf(body)]).toEqual([
      "ALL_DONE",
      "CANCELED",
      "CANCELED",
      "CANCELED",
    ]);
  });

  it("hostile 91: unknown, foreign and ended lists are -2011 and change nothing", async () => {
    const world = await openWorld();
    const foreign = await placeList(world, "oco", { listClientOrderId: "theirs" }, { key: KEYS.stranger });
    const ended = listIdOf(await placeList(world, "oco"));
    await cancel(world, { orderListId: ended });
    const { records } = world.engine.metrics();
    for (const query of [
      { orderListId: -1_000_000 },
      { orderListId: 1 },
      { orderListId: listIdOf(foreign) },
      { orderListId: ended },
      { listClientOrderId: "theirs" },
    ]) {
      const refused = await cancel(world, query);
      expect([refused.status, refused.body.code]).toEqual([400, -2011]);
    }
    expect(world.engine.metrics().records).toBe(records);
  });
});

describe("DELETE of an order that is a leg", () => {
  it.each([0, 1, 2])("I43: leg %d cancels the whole list and answers with the list", async (leg) => {
    const world = await openWorld();
    const placed = await placeList(world, "otoco");
    const canceled = await cancelOrder(world, legOf(placed, leg));
    expect(canceled.status).toBe(200);
    expect(canceled.body).toMatchObject({ orderListId: listIdOf(placed), listOrderStatus: "ALL_DONE" });
    expect(statusesOf(canceled.body)).toEqual(["CANCELED", "CANCELED", "CANCELED"]);
    for (const report of reportsOf(canceled.body)) {
      expect(report.origClientOrderId).toBe(report.clientOrderId);
    }
  });
});

describe("pages of lists", () => {
  it("contract: openOrderList has the open ones, allOrderList all, both oldest first, the caller's only", async () => {
    const world = await openWorld();
    const ids: number[] = [];
    for (const form of ["oco", "oto", "otoco"] as const) ids.push(listIdOf(await placeList(world, form)));
    await placeList(world, "oco", {}, { key: KEYS.stranger });
    await cancel(world, { orderListId: ids[1] as number });
    const open = await pageOf(world, "openOrderList");
    expect(open.map(({ orderListId }) => orderListId)).toEqual([ids[0], ids[2]]);
    const all = await pageOf(world, "allOrderList");
    expect(all.map(({ orderListId }) => orderListId)).toEqual(ids);
    expect(all.map(({ listOrderStatus }) => listOrderStatus)).toEqual(["EXECUTING", "ALL_DONE", "EXECUTING"]);
    expect(all[2]).toEqual((await look(world, { orderListId: ids[2] as number })).body);
  });

  it("times filter transactionTime, both ends included; the newest `limit` of them, oldest first", async () => {
    const world = await openWorld();
    const ids: number[] = [];
    for (let count = 0; count < 4; count++) {
      ids.push(listIdOf(await placeList(world, "oco")));
      await world.clock.advanceBy(MINUTE_MS);
    }
    await cancel(world, { orderListId: ids[1] as number });
    const seen = async (name: "openOrderList" | "allOrderList", query: RequestParameters): Promise<unknown> =>
      (await pageOf(world, name, query)).map(({ orderListId }) => ids.indexOf(orderListId as number));
    expect(await seen("allOrderList", { limit: 2 })).toEqual([2, 3]);
    expect(await seen("openOrderList", { limit: 2 })).toEqual([2, 3]);
    const second = START_MS + MINUTE_MS;
    const third = START_MS + 2 * MINUTE_MS;
    expect(await seen("allOrderList", { startTime: second, endTime: third })).toEqual([1, 2]);
    expect(await seen("openOrderList", { startTime: second, endTime: third })).toEqual([2]);
    expect(await seen("allOrderList", { startTime: second + 1 })).toEqual([2, 3]);
    expect(await seen("allOrderList", { endTime: third - 1 })).toEqual([0, 1]);
    expect(await seen("allOrderList", { endTime: third, limit: 1 })).toEqual([2]);
  });
});
