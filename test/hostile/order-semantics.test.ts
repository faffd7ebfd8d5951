import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  attack,
  BASE_ID,
  type HostileWorld,
  openHostileWorld,
  orderWith,
  refusal,
} from "../support/hostile-world.ts";
import type { RawRequest } from "../support/raw-http.ts";
import { KEYS, place, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const BAD_SYMBOL = refusal(-1121);
const INVALID = refusal(-1130);
const CONFLICT = refusal(-1128);

const text = JSON.stringify;

describe("symbols and sides", () => {
  it.each([
    "BTC/USD/",
    "btc/usd",
    "Btc/Usd",
    "STETH/USD",
    "STETHUSD",
    "DOGE/USD",
    "BTC",
    "BTC%2FUSD",
    "BTC/USDT",
    " BTC/USD",
  ])("hostile 82: the symbol %j cannot be ordered", (symbol) =>
    world.refuses(orderWith({ symbol: text(symbol) }), BAD_SYMBOL),
  );

  it("hostile 82: an empty symbol, and none", async () => {
    await world.refuses(orderWith({ symbol: text("") }), refusal(-1105));
    await world.refuses(orderWith({ symbol: undefined }), refusal(-1102));
  });

  it.each(["BTC%252FUSD", "BTCUSD", "BTC-USD", "btc/usd", "BTC/USD/", "DOGE/USD"])(
    "hostile 82: version 2 queries do not know %s",
    (symbol) =>
      world.refuses(
        attack("GET", "/api/v2/order", {
          query: `symbol=${symbol}&origClientOrderId=${BASE_ID}&timestamp=${START_MS}`,
        }),
        BAD_SYMBOL,
      ),
  );

  it.each(["BTCUSD", "BTC-USD"])(
    "hostile 82: %s is accepted where advanced orders are placed",
    async (symbol) => {
      expect(await world.accepts(orderWith({ symbol: text(symbol) }))).toMatchObject({ symbol: "BTC/USD" });
    },
  );

  it.each(["buy", "BUY ", "Sell", "B", "", "BOTH"])("hostile 83: the side %j", (side) =>
    world.refuses(orderWith({ side: text(side) }), refusal(-1117)),
  );
});

describe("trailing distances", () => {
  const trailing = (fields: Readonly<Record<string, string>>): RawRequest =>
    orderWith({ type: text("TRAILING_STOP_MARKET"), price: undefined, stopPrice: text("9000"), ...fields });

  it("hostile 84: two of them, three of them, none", async () => {
    await world.refuses(trailing({ trailingDelta: "100", price2: text("1") }), CONFLICT);
    await world.refuses(trailing({ trailingDelta: "100", trailingAmount: text("5") }), CONFLICT);
    await world.refuses(
      trailing({ price2: text("1"), trailingAmount: text("5"), trailingDelta: "1" }),
      CONFLICT,
    );
    await world.refuses(trailing({}), CONFLICT);
  });

  it.each(["0", "10000", "99999999"])("hostile 84: %s basis points", (trailingDelta) =>
    world.refuses(trailing({ trailingDelta }), INVALID),
  );

  it.each(["0", "100", "100.00000001", "0.00000000"])("hostile 84: %s percent", (price2) =>
    world.refuses(trailing({ price2: text(price2) }), INVALID),
  );

  it("hostile 84: 99.99 percent, 1 and 9,999 basis points are accepted", async () => {
    expect(await world.accepts(trailing({ price2: text("99.99") }))).toMatchObject({ price2: "99.99" });
    expect(await world.accepts(trailing({ trailingDelta: "1" }))).toMatchObject({ trailingDelta: 1 });
    expect(await world.accepts(trailing({ trailingDelta: "9999" }))).toMatchObject({ trailingDelta: 9_999 });
  });

  it("a distance on a type that does not trail", () =>
    world.refuses(orderWith({ trailingDelta: "100" }), refusal(-1106)));

  it("decision 19: both price and limitOffset, and neither", async () => {
    const limit = { type: text("TRAILING_STOP_LIMIT"), trailingDelta: "100", stopPrice: text("9000") };
    await world.refuses(orderWith({ ...limit, limitOffset: text("1") }), CONFLICT);
    await world.refuses(orderWith({ ...limit, price: undefined }), CONFLICT);
  });
});

describe("expiry", () => {
  const expiring = (fields: Readonly<Record<string, string>>): RawRequest => orderWith(fields);
  const gtd = { timeInForce: text("GTD") };

  it("hostile 85: GTD without an expiry, an expiry with GTC", async () => {
    await world.refuses(expiring(gtd), refusal(-1102));
    await world.refuses(
      expiring({ timeInForce: text("GTC"), expireTime: String(START_MS + 1_000) }),
      CONFLICT,
    );
  });

  it.each([START_MS, START_MS - 1, 1, 0])("hostile 85: an expiry that has come already: %d", (expireTime) =>
    world.refuses(expiring({ ...gtd, expireTime: String(expireTime) }), INVALID),
  );

  it("hostile 85: an expiry in 1 ms is accepted and comes then", async () => {
    const own = await openHostileWorld();
    const accepted = await own.accepts(expiring({ ...gtd, expireTime: String(START_MS + 1) }));
    expect(accepted).toMatchObject({ timeInForce: "GTD", expireTime: START_MS + 1, status: "NEW" });
    await own.clock.advanceBy(1, () => own.engine.idle());
    const query = `symbol=BTC/USD&orderId=${accepted.orderId}&timestamp=${START_MS}`;
    expect(await own.accepts(attack("GET", "/api/v2/order", { query }))).toMatchObject({ status: "EXPIRED" });
    await own.close();
  });

  it.each(["9007199254740992", "9007199254740993", "253402300799000"])(
    "hostile 85: an expiry at %s",
    (expireTime) => world.refuses(expiring({ ...gtd, expireTime }), INVALID),
  );

  it("hostile 85: two different expiries are refused, two equal ones accepted", async () => {
    const [one, other] = [String(START_MS + 60_000), String(START_MS + 60_001)];
    await world.refuses(expiring({ ...gtd, expireTime: one, goodTillDate: other }), CONFLICT);
    await world.accepts(expiring({ ...gtd, expireTime: one, goodTillDate: one }));
  });
});

describe("open orders", () => {
  const page = (query: string): RawRequest =>
    attack("GET", "/api/v3/openOrders", { query: `${query}&nonce=1` });
  const cancelAll = (query: string): RawRequest =>
    attack("DELETE", "/api/v3/openOrders", { query: `${query}&nonce=2` });

  it("hostile 92: without apiManaged, with false, in capitals, empty", async () => {
    for (const request of [page, cancelAll]) {
      await world.refuses(request("account=1"), refusal(-1102));
      await world.refuses(request("apiManaged=false"), INVALID);
      await world.refuses(request("apiManaged=TRUE"), INVALID);
      await world.refuses(request("apiManaged="), refusal(-1105));
    }
  });

  it.each(["symbol=BTC/USD", "instrumentId=1", "side=BUY"])("hostile 92: with %s", async (parameter) => {
    await world.refuses(page(`apiManaged=true&${parameter}`), refusal(-1106));
    await world.refuses(cancelAll(`apiManaged=true&${parameter}`), refusal(-1106));
  });

  it("hostile 92: limits of 0 and 1,001, a positive cursor", async () => {
    await world.refuses(page("apiManaged=true&limit=0"), INVALID);
    await world.refuses(page("apiManaged=true&limit=1001"), refusal(-1102));
    await world.refuses(page("apiManaged=true&limit=-1"), refusal(-1100));
    await world.refuses(page("apiManaged=true&afterOrderId=1"), INVALID);
    await world.accepts(page("apiManaged=true&limit=1000&afterOrderId=0"));
  });

  it("a page's parameters on a cancel-all", async () => {
    await world.refuses(cancelAll("apiManaged=true&limit=5"), refusal(-1104));
    await world.refuses(cancelAll("apiManaged=true&includeHistory=false"), refusal(-1104));
  });

  it("hostile 92: another account's cursor is accepted and shows one's own orders only", async () => {
    const foreign = await place(world, {}, { key: KEYS.stranger });
    for (const newestFirst of [false, true]) {
      const query = `apiManaged=true&newestFirst=${newestFirst}&afterOrderId=${foreign.body.orderId}`;
      const { orders } = await world.accepts(page(query));
      for (const order of orders as readonly { accountId: number }[]) expect(order.accountId).toBe(1);
    }
  });
});
