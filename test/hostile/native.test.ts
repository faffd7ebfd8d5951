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
async function refuses(request: Attack, expected: Refusal): Promise<void> {
  const before = await stateOf();
  if (request.socket === undefined) await world.refuses(request, expected);
  else await world.bothRefuse(request, expected);
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
});

describe("requests that must not create an order", () => {
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
});
