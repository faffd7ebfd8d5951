import { describe, expect, it } from "vitest";
import type { RequestParameters } from "../../../src/signing/index.ts";
import { openNativeWorld, placeNative, read } from "../../support/native-world.ts";
import {
  call,
  FAR_LIMIT,
  KEYS,
  LISTS,
  openWorld,
  place,
  placeList,
  requestOf,
  SELL_PAIR,
  type ServiceWorld,
} from "../../support/service-world.ts";

const key = KEYS.owner;
const DAY = 86_400_000;

const LIMIT = { ...FAR_LIMIT, quantity: "1", price: "7000" };
const STOP = { symbol: "BTC/USD", side: "SELL", type: "STOP_MARKET", quantity: "1", stopPrice: "6000" };
const TRAIL = {
  symbol: "BTC/USD",
  side: "SELL",
  type: "TRAILING_STOP_MARKET",
  quantity: "1",
  stopPrice: "9000",
};
const TWAP = {
  symbol: "BTC/USD",
  side: "BUY",
  type: "TWAP",
  quantity: "100",
  interval: 60_000,
  intervalCount: 2,
};
const POV = { symbol: "BTC/USD", side: "BUY", type: "POV", quantity: "1" };

type Bound = readonly [
  what: string,
  base: RequestParameters,
  at: readonly RequestParameters[],
  beyond: readonly (readonly [RequestParameters, number])[],
];

const long = (length: number): string => "x".repeat(length);

/** A limit of an order: the accepted value at the limit, and the next value beyond it with its error. */
const BOUNDS: readonly Bound[] = [
  ["15 USD by limit price", LIMIT, [{ price: "15" }], [[{ price: "14.99999999" }, -1013]]],
  ["15 USD by stop price", STOP, [{ stopPrice: "15" }], [[{ stopPrice: "14.99999999" }, -1013]]],
  [
    "15 USD by quote",
    POV,
    [{ quantity: "0.002143", participationBips: 10 }],
    [[{ quantity: "0.002142", participationBips: 10 }, -1013]],
  ],
  ["15 USD per slice", TWAP, [{ quantity: "0.004286" }], [[{ quantity: "0.004284" }, -1013]]],
  ["15 USD displayed", LIMIT, [{ icebergQty: "0.002143" }], [[{ icebergQty: "0.002142" }, -1013]]],
  ["6 decimals of quantity", LIMIT, [{ quantity: "1.000001" }], [[{ quantity: "1.0000001" }, -1111]]],
  ["6 decimals of icebergQty", LIMIT, [{ icebergQty: "0.100001" }], [[{ icebergQty: "0.1000001" }, -1111]]],
  ["8 decimals of price", LIMIT, [{ price: "7000.00000001" }], [[{ price: "7000.000000001" }, -1111]]],
  [
    "8 decimals of stopPrice",
    STOP,
    [{ stopPrice: "6000.00000001" }],
    [[{ stopPrice: "6000.000000001" }, -1111]],
  ],
  [
    "8 decimals of trailingAmount",
    TRAIL,
    [{ trailingAmount: "0.00000001" }],
    [[{ trailingAmount: "0.000000001" }, -1111]],
  ],
  [
    "1-36 characters of newClientOrderId",
    LIMIT,
    [{ newClientOrderId: "x" }, { newClientOrderId: long(36) }],
    [
      [{ newClientOrderId: "" }, -1118],
      [{ newClientOrderId: long(37) }, -1100],
    ],
  ],
  [
    "trailingDelta 1-9,999",
    TRAIL,
    [{ trailingDelta: 1 }, { trailingDelta: 9_999 }],
    [
      [{ trailingDelta: 0 }, -1130],
      [{ trailingDelta: 10_000 }, -1130],
    ],
  ],
  [
    "price2 above 0, below 100",
    TRAIL,
    [{ price2: "0.01" }, { price2: "99.99" }],
    [
      [{ price2: "0" }, -1130],
      [{ price2: "100" }, -1130],
    ],
  ],
  [
    "interval 1,000-86,400,000",
    TWAP,
    [{ interval: 1_000 }, { interval: DAY }],
    [
      [{ interval: 999 }, -1120],
      [{ interval: DAY + 1 }, -1120],
    ],
  ],
  [
    "intervalCount 2-10,000",
    TWAP,
    [{ intervalCount: 2 }, { intervalCount: 10_000 }],
    [
      [{ intervalCount: 1 }, -1130],
      [{ intervalCount: 10_001 }, -1130],
    ],
  ],
  [
    "intervalDelay 0-604,800,000",
    TWAP,
    [{ intervalDelay: 0 }, { intervalDelay: 7 * DAY }],
    [
      [{ intervalDelay: -1 }, -1100],
      [{ intervalDelay: 7 * DAY + 1 }, -1130],
    ],
  ],
  [
    "participationBips 1-10,000",
    POV,
    [{ participationBips: 1 }, { participationBips: 10_000 }],
    [
      [{ participationBips: 0 }, -1130],
      [{ participationBips: 10_001 }, -1130],
    ],
  ],
];

async function quoted(): Promise<ServiceWorld> {
  const world = await openWorld();
  world.feed.quote({ symbol: "BTC/USD", bid: "7000", ask: "7000.00000001" });
  return world;
}

describe("contract, Limits: a value at the limit is accepted, one beyond is refused", () => {
  it.each(BOUNDS)("%s", async (_what, base, at, beyond) => {
    const world = await quoted();
    for (const fields of at) {
      const { status, body } = await place(world, { ...base, ...fields });
      expect([fields, status, body.code]).toEqual([fields, 200, undefined]);
    }
    // What was accepted acts on the quote that stands.
    await world.engine.idle();
    const { records } = world.engine.metrics();
    for (const [fields, code] of beyond) {
      const { status, body } = await place(world, { ...base, ...fields });
      expect([fields, status, body.code]).toEqual([fields, 400, code]);
    }
    expect(world.engine.metrics().records).toBe(records);
  });

  it("1-36 characters of a listClientOrderId", async () => {
    const world = await quoted();
    for (const [listClientOrderId, expected] of [
      ["x", undefined],
      [long(36), undefined],
      ["", -1118],
      [long(37), -1100],
    ] as const)
      expect([listClientOrderId, (await placeList(world, "oco", { listClientOrderId })).body.code]).toEqual([
        listClientOrderId,
        expected,
      ]);
  });

  it("at most 64 characters of a client id in a look-up", async () => {
    for (const path of ["/api/v2/order", "/api/v2/allOrders"]) {
      const world = await openNativeWorld();
      await placeNative(world);
      const codeOf = async (clOrdId: string): Promise<unknown> =>
        (await read(world, path, { clOrdId })).body.code;
      expect(await codeOf(long(64))).toBe(path.endsWith("order") ? -2013 : undefined);
      expect(await codeOf(long(65))).toBe(-1100);
    }
  });

  it("a body of 32,768 bytes is accepted on version 3, POST and DELETE", async () => {
    const world = await quoted();
    const requested = async (method: string, path: string, body: string): Promise<unknown> => {
      const query = { nonce: world.nonce() };
      const answer = await world.service.handle(requestOf(method, path, { key, query, body }));
      return answer.status;
    };
    const padded = (fields: object, length: number): string => JSON.stringify(fields).padEnd(length, " ");
    const list = (n: number): object => ({ ...SELL_PAIR, listClientOrderId: `l-${n}` });
    expect(await requested("POST", LISTS.oco.path, padded(list(1), 32_768))).toBe(200);
    expect(await requested("POST", LISTS.oco.path, padded(list(2), 32_769))).toBe(413);
    expect(await requested("DELETE", "/api/v3/orderList", padded({ listClientOrderId: "l-1" }, 32_769))).toBe(
      413,
    );
    expect(await requested("DELETE", "/api/v3/orderList", padded({ listClientOrderId: "l-1" }, 32_768))).toBe(
      200,
    );
  });
});

describe("contract, Limits: pages", () => {
  const rows = async (world: ServiceWorld, path: string, query: RequestParameters = {}): Promise<unknown> => {
    const signed = { key, query: { ...query, nonce: world.nonce() } };
    const { status, body } = await call(world, "GET", path, signed);
    if (status !== 200) return body.code;
    return ((Array.isArray(body) ? body : body.orders) as readonly unknown[]).length;
  };

  it("openOrders: 100 by default, 1 to 1,000", async () => {
    const world = await openWorld();
    for (let n = 0; n < 101; n++) await place(world);
    const page = (query: RequestParameters): Promise<unknown> =>
      rows(world, "/api/v3/openOrders", { apiManaged: true, ...query });
    expect([await page({}), await page({ limit: 1 }), await page({ limit: 1_000 })]).toEqual([100, 1, 101]);
    expect([await page({ limit: 0 }), await page({ limit: 1_001 })]).toEqual([-1130, -1102]);
  });

  it("openOrderList and allOrderList: 500 by default, 1 to 1,000", async () => {
    const world = await openWorld();
    for (let n = 0; n < 501; n++) await placeList(world, "oco");
    for (const path of ["/api/v3/openOrderList", "/api/v3/allOrderList"]) {
      const page = (query: RequestParameters): Promise<unknown> => rows(world, path, query);
      expect([await page({}), await page({ limit: 1 }), await page({ limit: 1_000 })]).toEqual([500, 1, 501]);
      expect([await page({ limit: 0 }), await page({ limit: 1_001 })]).toEqual([-1130, -1102]);
    }
  });
});
