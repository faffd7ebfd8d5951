import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import type { JsonObject } from "../../src/wire/index.ts";
import { messageOf, sendText } from "../support/hostile-socket.ts";
import {
  type Attack,
  attack,
  BASE_ID,
  BASE_ORDER,
  type HostileWorld,
  listBody,
  listWith,
  openHostileWorld,
  order,
  orderWith,
  refusal,
} from "../support/hostile-world.ts";
import { KEYS, LISTS, place, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const text = JSON.stringify;

/** Fields of an order or list as values; those in the base order stay unless they are undefined. */
type Values = Readonly<Record<string, unknown>>;
const asText = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, text(value) as string | undefined]),
  );
const orderOf = (values: Values): Attack => orderWith(asText(values));
const listOf = (form: Parameters<typeof listWith>[0], values: Values): Attack =>
  listWith(form, asText(values));
const scheduled = (targetStrategy: number, values: Values): Attack =>
  orderOf({ type: "LIMIT", quantity: "100", targetStrategy, ...values });
const SLOTS = { interval: 60_000, intervalCount: 10 };
const trailing = (values: Values): Attack =>
  orderOf({ type: "TRAILING_STOP_MARKET", price: undefined, stopPrice: "9000", ...values });
const gtd = (values: Values): Attack => orderOf({ timeInForce: "GTD", ...values });

let nonces = 0;
const nonce = (): string => `nonce=o${++nonces}`;
const look = (query: string): Attack =>
  attack("GET", "/api/v2/order", { query: `symbol=BTC/USD&${query}&timestamp=${START_MS}` });
const cancel = (query: string): Attack =>
  attack("DELETE", "/api/v2/order", { query: `symbol=BTC/USD&${query}&${nonce()}` });
const page = (query: string): Attack => attack("GET", "/api/v3/openOrders", { query: `${query}&${nonce()}` });
const lists = (query: string): Attack =>
  attack("GET", "/api/v3/allOrderList", { query: `${query}&${nonce()}` });
const lookList = (query: string): Attack =>
  attack("GET", "/api/v3/orderList", { query: `${query}&${nonce()}` });
const cancelList = (query: string): Attack =>
  attack("DELETE", "/api/v3/orderList", { query: `${query}&${nonce()}` });

describe("orders that make no sense are refused by REST and as a message, and change nothing", () => {
  // One row for each kind; test/requests/ has the values of each.
  it.each<[what: string, request: Attack, code: number, ofTheMessage?: number]>([
    ["40: a space in the symbol", orderOf({ symbol: "BTC USD" }), -1121],
    ["70: a quantity with an exponent", orderOf({ quantity: "1e3" }), -1100],
    ["70: a price with a sign", orderOf({ price: "-1" }), -1100],
    ["70: a quantity of zero", orderOf({ quantity: "0.0" }), -1130],
    ["71: digits of another script", orderOf({ quantity: "\u0661\u0662" }), -1100, -1100],
    ["72: seven quantity decimals that are zeros", orderOf({ quantity: "0.0100000" }), -1111],
    ["72: nine price decimals", orderOf({ price: "7000.000000001" }), -1111],
    ["72: precision before the minimum", orderOf({ quantity: "0.0000001", price: "1" }), -1111],
    ["73: 400 digits", orderOf({ quantity: "9".repeat(400) }), -1100],
    ["73: a price of eleven digits", orderOf({ price: "10000000000" }), -1108],
    ["74: a value of 14.99999999", orderOf({ quantity: "1", price: "14.99999999" }), -1013],
    ["75: icebergQty above the quantity", orderOf({ icebergQty: "0.010001" }), -1013],
    ["75: a display quantity worth 14.994", orderOf({ icebergQty: "0.002142" }), -1013],
    ["76: an order id that a double would round", look("orderId=-9007199254740993"), -2013],
    ["76: the cancel of such an id", cancel("orderId=-9007199254740993"), -2011],
    ["76: an order id beyond 64 bits", look("orderId=-9223372036854775809"), -1108],
    ["76: an order id with a point", cancel("orderId=-256.0"), -1100, -1100],
    ["76: a list id beyond 64 bits", lookList("orderListId=-9223372036854775809"), -1108],
    ["78: a reserved client id", orderOf({ newClientOrderId: "aQc-1" }), -1130],
    ["78: a client id with a slash", orderOf({ newClientOrderId: "a/b" }), -1100],
    ["78: a line feed in a client id", orderWith({ newClientOrderId: '"a\\nb"' }), -1100],
    ["79: a look-up by 65 characters", look(`origClientOrderId=${"a".repeat(65)}`), -1100],
    ["80: aliases that differ", look(`origClientOrderId=${BASE_ID}&clOrdId=other`), -1128],
    ["81: the same id with another price", order(BASE_ORDER.replace('"7000"', '"7001"')), -2010],
    ["81: the same id with another side", order(BASE_ORDER.replace("BUY", "SELL")), -2010],
    ["82: a staking instrument", orderOf({ symbol: "STETH/USD" }), -1121],
    ["82: a percent sign in the symbol", orderOf({ symbol: "BTC%2FUSD" }), -1121, -1100],
    ["83: a side in lower case", orderOf({ side: "buy" }), -1117],
    ["84: no trailing distance", trailing({}), -1128],
    ["84: two trailing distances", trailing({ trailingDelta: 100, price2: "1" }), -1128],
    ["84: 10,000 basis points", trailing({ trailingDelta: 10_000 }), -1130],
    ["84: 100 percent", trailing({ price2: "100" }), -1130],
    ["85: GTD without an expiry", gtd({}), -1102],
    ["85: an expiry that is now", gtd({ expireTime: START_MS }), -1130],
    ["85: two expiries", gtd({ expireTime: START_MS + 1, goodTillDate: START_MS + 2 }), -1128],
    ["86: an interval of 999 ms", scheduled(180, { ...SLOTS, interval: 999 }), -1120],
    ["86: one interval", scheduled(180, { ...SLOTS, intervalCount: 1 }), -1130],
    ["87: a profile without weight", scheduled(1_000_002, { volumeProfile: "0,0" }), -1130],
    ["87: a profile of 10,001", scheduled(1_000_002, { volumeProfile: Array(10_001).fill(1).join() }), -1130],
    ["87: another count", scheduled(1_000_002, { volumeProfile: "1,2", intervalCount: 3 }), -1128],
    ["88: 10,001 basis points", scheduled(1_000_004, { participationBips: 10_001 }), -1130],
    ["88: intervals of a POV", scheduled(1_000_004, { participationBips: 1, interval: 60_000 }), -1106],
    ["89: a slice worth 14.994", scheduled(180, { ...SLOTS, quantity: "0.02142" }), -1013],
    ["90: an upper level at the lower one", listOf("oco", { abovePrice: "6000" }), -2010],
    ["90: the same in a released pair", listOf("otoco", { pendingAboveStopPrice: "6000" }), -2010],
    ["90: a schedule as entry", listOf("oto", { workingType: "TWAP", workingPrice: undefined }), -1014],
    ["90: a side of one leg", listOf("oco", { aboveSide: "BUY" }), -1104],
    ["90: one leg missing", listOf("oco", { aboveType: undefined, abovePrice: undefined }), -1102],
    ["91: the cancel of an unknown order", cancel("origClientOrderId=nothing"), -2011],
    ["91: the cancel of an unknown list", cancelList("orderListId=-1000000"), -2011],
    ["92: apiManaged=false", page("apiManaged=false"), -1130],
    ["92: a market beside apiManaged", page("apiManaged=true&symbol=BTC/USD"), -1106],
    ["93: a page of 1,001 lists", lists("limit=1001"), -1102],
    ["93: a start after the end", lists("startTime=2&endTime=1"), -1023],
  ])("hostile %s", (_what, request, code, ofTheMessage) =>
    ofTheMessage === undefined
      ? world.bothRefuse(request, refusal(code))
      : world.bothRefuse(request, refusal(code), refusal(ofTheMessage)),
  );

  it.each(["{}", "[]", "null", '{"price":"8000"}'])(
    "contract, Shared: refuses %s in place of a field of a list",
    async (value) => {
      await world.bothRefuse(listWith("oco", { abovePrice: value }), refusal(-1130));
      await world.refuses(listWith("legacyOco", { stopPrice: value }), refusal(-1130));
    },
  );

  it("contract, Shared: a parameter is in the query or in the body, not in both", async () => {
    for (const form of ["oco", "oto", "otoco", "legacyOco"] as const) {
      const { path } = LISTS[form];
      for (const query of ["nonce=1&symbol=BTC/USD", "nonce=1&listClientOrderId=twice"])
        await world.refuses(attack("POST", path, { query, body: listBody(form) }), refusal(-1101));
      await world.accepts(attack("POST", path, { query: "nonce=1&account=1", body: listBody(form) }));
    }
  });
});

describe("values just inside", () => {
  it("hostile 74: a value of 15, and a reduce-only order worth 1 if there is a position to reduce", async () => {
    await world.accepts(orderOf({ quantity: "0.000001", price: "15000000" }));
    const reducing = orderOf({ quantity: "0.001", price: "1000", side: "SELL", reduceOnly: true });
    await world.bothRefuse(reducing, refusal(-2022));
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("0.5") });
    expect(await world.accepts(reducing)).toMatchObject({ reduceOnly: true, origQty: "0.001" });
  });

  it("hostile 85: an expiry in 1 ms is accepted and takes effect then", async () => {
    const own = await openHostileWorld();
    const { orderId } = await own.accepts(gtd({ expireTime: START_MS + 1 }));
    await own.clock.advanceBy(1, () => own.engine.idle());
    expect(await own.accepts(look(`orderId=${orderId}`))).toMatchObject({ status: "EXPIRED" });
    await own.close();
  });
});

describe("several orders and lists", () => {
  it("hostile 77: refuses the ids of two orders, and of two lists", async () => {
    const other = await place(world, { newClientOrderId: "hostile-77" });
    const both = `orderId=${other.body.orderId}&origClientOrderId=${BASE_ID}`;
    for (const request of [look, cancel]) await world.bothRefuse(request(both), refusal(-2039));
    const first = await world.accepts(listOf("oco", {}));
    await world.accepts(listOf("oco", { listClientOrderId: "hostile-77-list" }));
    const ofLists = `orderListId=${first.orderListId}&listClientOrderId=hostile-77-list`;
    for (const request of [lookList, cancelList]) await world.bothRefuse(request(ofLists), refusal(-2039));
  });

  it("hostile 81: refuses the same listClientOrderId with its legs swapped, and with entry and exit swapped", async () => {
    const pair = {
      listClientOrderId: "hostile-81-list",
      aboveClientOrderId: "leg-a",
      belowClientOrderId: "leg-b",
    };
    await world.accepts(listOf("oco", pair));
    const legs = { aboveClientOrderId: "leg-b", belowClientOrderId: "leg-a" };
    await world.bothRefuse(listOf("oco", { ...pair, ...legs }), refusal(-2010));
    const entry = { listClientOrderId: "hostile-81-oto" };
    await world.accepts(listOf("oto", entry));
    const working = { workingType: "STOP_LOSS", workingSide: "SELL", workingStopPrice: "6000" };
    const pending = { pendingType: "LIMIT", pendingSide: "BUY", pendingPrice: "6500" };
    const without = { workingPrice: undefined, pendingStopPrice: undefined };
    await world.bothRefuse(listOf("oto", { ...entry, ...working, ...pending, ...without }), refusal(-2010));
  });

  it("hostile 91: of two cancels at once, one cancels, the other is refused or gives the same answer", async () => {
    for (const ways of ["rest rest", "rest message", "message message"]) {
      const { orderId } = (await place(world)).body;
      const json = `{"symbol":"BTC/USD","orderId":${orderId}}`;
      const send = async (way: string): Promise<string> =>
        way === "rest"
          ? (await world.send(cancel(`orderId=${orderId}`))).body
          : (await sendText(world.port, messageOf({ method: "order.cancel", json }))).text;
      const bodies = await Promise.all(ways.split(" ").map(send));
      expect(bodies.some((body) => body.includes('"status":"CANCELED"'))).toBe(true);
      for (const body of bodies) expect(body).toMatch(/"status":"CANCELED"|"code":-2011/);
    }
    const { orderListId } = await world.accepts(listOf("oco", {}));
    const answers = await Promise.all([1, 2].map(() => world.send(cancelList(`orderListId=${orderListId}`))));
    expect(answers.some(({ body }) => body.includes('"listOrderStatus":"ALL_DONE"'))).toBe(true);
    for (const { body } of answers) expect(body).toMatch(/"listOrderStatus":"ALL_DONE"|"code":-2011/);
  });

  it("hostile 92: another account's cursor is accepted and shows the caller's own orders only", async () => {
    const foreign = await place(world, {}, { key: KEYS.stranger });
    for (const newestFirst of [false, true]) {
      const query = `apiManaged=true&newestFirst=${newestFirst}&afterOrderId=${foreign.body.orderId}`;
      const { orders } = (await world.accepts(page(query))) as { orders: readonly JsonObject[] };
      for (const order of orders) expect(order.accountId).toBe(1);
    }
  });
});
