import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PaperVenue } from "../../src/simulator/index.ts";
import {
  type Attack,
  attack,
  type HostileWorld,
  openHostileWorld,
  type Refusal,
  refusal,
} from "../support/hostile-world.ts";
import { openPaperNative } from "../support/native-world.ts";
import { KEYS, START_MS } from "../support/service-world.ts";

let world: HostileWorld;
let paper: PaperVenue;

const FIRST = 9_007_199_254_740_993n;
/** Names of two resting orders in every test. */
const [ONE, TWO] = ["native-one", "native-two"];

const text = JSON.stringify;
const LIMIT = { symbol: "BTC/USD", side: "BUY", type: "LIMIT", quantity: "0.5", price: "6000" };

let nonces = 0;
const post = (path: string, body: string): Attack =>
  attack("POST", path, { query: `nonce=h${++nonces}`, body });
const placing = (fields: object): Attack => post("/api/v2/order", text({ ...LIMIT, ...fields }));
const reading = (query: string): Attack =>
  attack("GET", "/api/v2/order", { query: `symbol=BTC%2FUSD&${query}&timestamp=${START_MS}` });
const paging = (query: string): Attack =>
  attack("GET", "/api/v2/allOrders", { query: `symbol=BTC%2FUSD&${query}&timestamp=${START_MS}` });
const cancelling = (query: string): Attack =>
  attack("DELETE", "/api/v2/order", { query: `symbol=BTC%2FUSD&${query}&nonce=h${++nonces}` });

/** The state of all native orders. */
const stateOf = async (): Promise<unknown> =>
  [await paper.native.executions({ accountId: 1, limit: 1_000 }), paper.balances(1)] as const;

/** Refused by REST, and as a message if there is such a method. */
async function refuses(request: Attack, expected: Refusal, ofTheMessage = expected): Promise<void> {
  const before = await stateOf();
  if (request.socket === undefined) await world.refuses(request, expected);
  else await world.bothRefuse(request, expected, ofTheMessage);
  expect(await stateOf()).toEqual(before);
}

beforeAll(async () => {
  world = await openHostileWorld({
    native: async (clock) => {
      paper = await openPaperNative(clock);
      return paper.native;
    },
  });
  for (const newClientOrderId of [ONE, TWO]) await world.accepts(placing({ newClientOrderId }));
});

afterAll(() => world.close());

describe("ids", () => {
  it("hostile 76: 2^53+1 is exact in every form of request; the wire keeps its digits", async () => {
    const answer = await world.send(reading(`orderId=${FIRST}`));
    expect(answer.body).toContain(`"orderId":${FIRST},`);
    const requested = await world.send(
      post("/api/v2/orderStatus", `{"symbol":"BTC/USD","orderId":${FIRST}}`),
    );
    expect(requested.body).toContain(`"orderId":${FIRST},`);
    expect((await world.send(paging(`orderId=${FIRST + 10n}`))).body).toContain(
      `[{"symbol":"BTC/USD","orderId":${FIRST + 10n},`,
    );
    await refuses(reading("orderId=9007199254740992"), refusal(-2013));
    await refuses(cancelling("orderId=9007199254740992"), refusal(-2011));
  });

  it.each([
    ["9223372036854775807", -2013],
    ["-9007199254740993", -2013],
    ["0", -2013],
    ["9223372036854775808", -1108],
    ["-9223372036854775809", -1108],
    ["-0", -1100],
    ["1.0", -1100],
    ["1e3", -1100],
    ["%2B1", -1100],
  ])("hostile 76: refuses orderId %s", async (orderId, code) => {
    const ofTheMessage = orderId === "%2B1" ? refusal(-1130) : refusal(code);
    if (code !== -2013) {
      await refuses(reading(`orderId=${orderId}`), refusal(code), ofTheMessage);
      return await refuses(cancelling(`orderId=${orderId}`), refusal(code), ofTheMessage);
    }
    await refuses(reading(`orderId=${orderId}`), refusal(-2013));
    await refuses(cancelling(`orderId=${orderId}`), refusal(-2011));
  });

  it("hostile 66, 76: refuses a JSON id with a fraction, an exponent, in quotes or rounded", async () => {
    for (const [orderId, code] of [
      [`${FIRST}.0`, -1100],
      ["9.007199254740993e15", -1100],
      [`"${FIRST}"`, -1130],
      ["9007199254740992", -2013],
    ] as const) {
      await refuses(post("/api/v2/orderStatus", `{"symbol":"BTC/USD","orderId":${orderId}}`), refusal(code));
    }
  });

  it("hostile 77: refuses the orderId and client id of two orders", async () => {
    await refuses(reading(`orderId=${FIRST}&clOrdId=${TWO}`), refusal(-2039));
    await refuses(cancelling(`orderId=${FIRST}&clOrdId=${TWO}`), refusal(-2039));
    await refuses(
      post(
        "/api/v2/getOrderStatus",
        text({ symbol: "BTC/USD", clOrdId: TWO }).replace("}", `,"orderId":${FIRST}}`),
      ),
      refusal(-2039),
    );
    await world.accepts(reading(`orderId=${FIRST}&clOrdId=${ONE}`));
  });

  it("hostile 79: a client id of 64 characters is looked up, one of 65 is refused", async () => {
    const [whole, long] = ["x".repeat(64), "x".repeat(65)];
    await refuses(reading(`origClientOrderId=${whole}`), refusal(-2013));
    await refuses(reading(`origClientOrderId=${long}`), refusal(-1100));
    expect((await world.send(paging(`clOrdId=${whole}`))).body).toBe("[]");
    await refuses(paging(`clOrdId=${long}`), refusal(-1100));
    await refuses(post("/api/v2/getOrderHistory", text({ clordid: long })), refusal(-1100));
    await refuses(cancelling(`clientOrderId=${long}`), refusal(-1100));
  });

  it("hostile 80: conflicting aliases are refused, equal ones are one id", async () => {
    await refuses(reading(`clOrdId=${ONE}&clordid=${TWO}`), refusal(-1128));
    await refuses(paging(`clOrdId=${ONE}&origClientOrderId=${TWO}`), refusal(-1128));
    await refuses(
      post("/api/v2/getOrderHistory", text({ clOrdId: ONE, clientOrderId: TWO })),
      refusal(-1128),
    );
    await refuses(cancelling(`clOrdId=${ONE}&clientOrderId=${TWO}`), refusal(-1128));
    const all = ["origClientOrderId", "clientOrderId", "clOrdId", "clordid"].map(
      (alias) => `${alias}=${ONE}`,
    );
    expect((await world.accepts(reading(all.join("&")))).orderId).toBe(FIRST);
  });

  it.each(["", "x".repeat(37), "aqc-x", "AQC-x", "a b", "a/b", "a\nb", "😀", "é", "e\u0301", "ı", ".."])(
    "hostile 78: refuses %j as the id of a new order",
    async (newClientOrderId) => {
      const code = newClientOrderId === "" ? -1118 : /^aqc|^\.\.$/i.test(newClientOrderId) ? -1130 : -1100;
      await refuses(placing({ newClientOrderId }), refusal(code));
    },
  );
});

describe("pages", () => {
  it("hostile 93: refuses a limit above 1000 or below 1, and a start after the end", async () => {
    await refuses(paging("limit=1001"), refusal(-1102));
    await refuses(paging("limit=0"), refusal(-1130));
    await refuses(paging("startTime=2&endTime=1"), refusal(-1023));
    await refuses(post("/api/v2/getOrderHistory", '{"limit":1001}'), refusal(-1102));
    await refuses(post("/api/v2/getOrderHistory", '{"startTime":2,"endTime":1}'), refusal(-1023));
  });

  it("hostile 82: refuses an alias of the symbol in a version 2 query, the symbol encoded twice, and a staking instrument", async () => {
    for (const symbol of ["BTCUSD", "BTC-USD", "btc%2Fusd", "BTC%252FUSD", "BTC%2FUSD%2F", "NO%2FUSD"]) {
      const query = `symbol=${symbol}&timestamp=${START_MS}`;
      const ofTheMessage = symbol.includes("%252F") ? refusal(-1100) : refusal(-1121);
      await refuses(attack("GET", "/api/v2/allOrders", { query }), refusal(-1121), ofTheMessage);
    }
    await refuses(placing({ symbol: "STETH/USD" }), refusal(-1121));
  });
});

describe("requests that must not create an order", () => {
  it.each([
    [{ quantity: "1e3" }, -1100],
    [{ quantity: "0.0000001" }, -1111],
    [{ quantity: "-1" }, -1100],
    [{ quantity: "0" }, -1130],
    [{ price: "NaN" }, -1100],
    [{ price: "7000.000000001" }, -1111],
    [{ quantity: 1 }, -1130],
    [{ side: "buy" }, -1117],
    [{ type: "limit" }, -1116],
    [{ type: "STOP", stopPrice: "8000" }, -1116],
    [{ type: "LIMIT", apiManaged: true }, -1116],
    [{ timeInForce: "GTX" }, -1116],
    [{ timeInForce: "DAY" }, -1115],
    [{ type: "MARKET" }, -1106],
    [{ orderId: 5 }, -1104],
    [{ status: "FILLED" }, -1104],
    [{ executedQty: "1" }, -1104],
    [{ accountId: 2 }, -1104],
    [{ isPaperTrade: false }, -1104],
    [{ requestKey: "x" }, -1104],
    [{ account: 2 }, -1002],
    [{ quantity: "99999" }, -2010],
    [{ newClientOrderId: "native-one" }, -2010],
  ])("hostile 64-75, 81: a native LIMIT with %j", async (fields, code) => {
    await refuses(placing(fields), code === -1002 ? { status: 401, code } : refusal(code));
  });

  it("hostile 20, 21: the signature of a read is refused for placements", async () => {
    const query = `symbol=BTC%2FUSD&orderId=${FIRST}&timestamp=${START_MS}`;
    await world.accepts(attack("GET", "/api/v2/order", { query }));
    await world.refuses(attack("POST", "/api/v2/order", { query }), refusal(-1022));
    const body = text({ ...LIMIT, newClientOrderId: "moved" });
    await world.accepts(attack("POST", "/api/v2/order", { query: "nonce=moved", body }));
    await world.refuses(attack("POST", "/api/order", { query: "nonce=moved", body }), refusal(-1022));
  });

  it("hostile 22: a repeated signed MARKET buys once", async () => {
    const body = text({ symbol: "BTC/USD", side: "BUY", type: "MARKET", quantity: "0.5" });
    const request = attack("POST", "/api/order", { query: "nonce=market", body });
    const first = await world.accepts(request);
    const before = await stateOf();
    const again = await Promise.all(Array.from({ length: 20 }, () => world.accepts(request)));
    expect(new Set(again.map(({ orderId }) => orderId))).toEqual(new Set([first.orderId]));
    expect(await stateOf()).toEqual(before);
  });

  it("hostile 28: a READ key cannot place or cancel, a TRADE key cannot read", async () => {
    const denied = { status: 401, code: -2015 };
    const body = text(LIMIT);
    await refuses(attack("POST", "/api/v2/order", { key: KEYS.reader, query: "nonce=r", body }), denied);
    const query = `symbol=BTC%2FUSD&orderId=${FIRST}`;
    await refuses(attack("DELETE", "/api/v2/order", { key: KEYS.reader, query: `${query}&nonce=r` }), denied);
    const timed = `${query}&timestamp=${START_MS}`;
    await refuses(attack("GET", "/api/v2/order", { key: KEYS.trader, query: timed }), denied);
    await refuses(
      attack("POST", "/api/v2/orderStatus", { key: KEYS.trader, query: `${query}&nonce=t` }),
      denied,
    );
  });

  it("hostile 91: another account's order is unknown", async () => {
    const query = `symbol=BTC%2FUSD&orderId=${FIRST}&nonce=stranger`;
    await refuses(attack("DELETE", "/api/v2/order", { key: KEYS.stranger, query }), refusal(-2011));
    const timed = `symbol=BTC%2FUSD&orderId=${FIRST}&timestamp=${START_MS}`;
    await refuses(attack("GET", "/api/v2/order", { key: KEYS.stranger, query: timed }), refusal(-2013));
  });
});
