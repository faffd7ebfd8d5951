import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageOf, sendText } from "../support/hostile-socket.ts";
import {
  type Attack,
  attack,
  BASE_ID,
  type HostileWorld,
  openHostileWorld,
  orderWith,
  refusal,
} from "../support/hostile-world.ts";
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
    "BTC/USDT",
    " BTC/USD",
  ])("hostile 82: refuses the symbol %j", (symbol) =>
    world.bothRefuse(orderWith({ symbol: text(symbol) }), BAD_SYMBOL),
  );

  it.each(["BTC+USD", "BTC USD", "BTC/USD "])(
    "hostile 40: refuses plus and space in the symbol: %s",
    (symbol) => world.bothRefuse(orderWith({ symbol: text(symbol) }), BAD_SYMBOL),
  );

  it("hostile 82: refuses a percent sign in a symbol; a message cannot contain one", () =>
    world.bothRefuse(orderWith({ symbol: text("BTC%2FUSD") }), BAD_SYMBOL, refusal(-1100)));

  it("hostile 82: refuses an empty and a missing symbol", async () => {
    await world.bothRefuse(orderWith({ symbol: text("") }), refusal(-1105));
    await world.bothRefuse(orderWith({ symbol: undefined }), refusal(-1102));
  });

  it.each(["BTC%252FUSD", "BTCUSD", "BTC-USD", "btc/usd", "BTC/USD/", "DOGE/USD"])(
    "hostile 82: version 2 queries do not know %s",
    (symbol) =>
      world.bothRefuse(
        attack("GET", "/api/v2/order", {
          query: `symbol=${symbol}&origClientOrderId=${BASE_ID}&timestamp=${START_MS}`,
        }),
        BAD_SYMBOL,
        symbol.includes("%") ? refusal(-1100) : BAD_SYMBOL,
      ),
  );

  it.each(["BTCUSD", "BTC-USD"])("hostile 82: %s is accepted in advanced orders", async (symbol) => {
    expect(await world.accepts(orderWith({ symbol: text(symbol) }))).toMatchObject({ symbol: "BTC/USD" });
  });

  it.each(["buy", "BUY ", "Sell", "B", "", "BOTH"])("hostile 83: refuses the side %j", (side) =>
    world.bothRefuse(orderWith({ side: text(side) }), refusal(-1117)),
  );
});

describe("trailing distances", () => {
  const trailing = (fields: Readonly<Record<string, string>>): Attack =>
    orderWith({ type: text("TRAILING_STOP_MARKET"), price: undefined, stopPrice: text("9000"), ...fields });

  it("hostile 84: refuses two of them, three of them, and none", async () => {
    await world.bothRefuse(trailing({ trailingDelta: "100", price2: text("1") }), CONFLICT);
    await world.bothRefuse(trailing({ trailingDelta: "100", trailingAmount: text("5") }), CONFLICT);
    await world.bothRefuse(
      trailing({ price2: text("1"), trailingAmount: text("5"), trailingDelta: "1" }),
      CONFLICT,
    );
    await world.bothRefuse(trailing({}), CONFLICT);
  });

  it.each(["0", "10000", "99999999"])("hostile 84: refuses %s basis points", (trailingDelta) =>
    world.bothRefuse(trailing({ trailingDelta }), INVALID),
  );

  it.each(["0", "100", "100.00000001", "0.00000000"])("hostile 84: refuses %s percent", (price2) =>
    world.bothRefuse(trailing({ price2: text(price2) }), INVALID),
  );

  it("hostile 84: 99.99 percent, 1 and 9,999 basis points are accepted", async () => {
    expect(await world.accepts(trailing({ price2: text("99.99") }))).toMatchObject({ price2: "99.99" });
    expect(await world.accepts(trailing({ trailingDelta: "1" }))).toMatchObject({ trailingDelta: 1 });
    expect(await world.accepts(trailing({ trailingDelta: "9999" }))).toMatchObject({ trailingDelta: 9_999 });
  });

  it("hostile 84: an amount and a percent just above 0 are accepted, an amount of 0 is not", async () => {
    expect(await world.accepts(trailing({ price2: text("0.00000001") }))).toMatchObject({
      price2: "0.00000001",
    });
    for (const amount of ["0.00000001", "5"])
      expect(await world.accepts(trailing({ trailingAmount: text(amount) }))).toMatchObject({
        trailingAmount: amount,
      });
    await world.bothRefuse(trailing({ trailingAmount: text("0") }), INVALID);
  });

  it("refuses a distance on a type that does not trail", () =>
    world.bothRefuse(orderWith({ trailingDelta: "100" }), refusal(-1106)));

  it("decision 19: refuses both price and limitOffset, and neither", async () => {
    const limit = { type: text("TRAILING_STOP_LIMIT"), trailingDelta: "100", stopPrice: text("9000") };
    await world.bothRefuse(orderWith({ ...limit, limitOffset: text("1") }), CONFLICT);
    await world.bothRefuse(orderWith({ ...limit, price: undefined }), CONFLICT);
    const dynamic = { price: undefined, limitOffset: text("1.5") };
    expect(await world.accepts(orderWith({ ...limit, ...dynamic }))).toMatchObject({ limitOffset: "1.5" });
    const cap = await world.accepts(orderWith({ ...limit, price: text("7000") }));
    expect([cap.price, "limitOffset" in cap]).toEqual(["7000", false]);
  });
});

describe("expiry", () => {
  const expiring = (fields: Readonly<Record<string, string>>): Attack => orderWith(fields);
  const gtd = { timeInForce: text("GTD") };

  it("hostile 85: refuses GTD without an expiry, and an expiry with GTC", async () => {
    await world.bothRefuse(expiring(gtd), refusal(-1102));
    await world.bothRefuse(
      expiring({ timeInForce: text("GTC"), expireTime: String(START_MS + 1_000) }),
      CONFLICT,
    );
  });

  it.each([START_MS, START_MS - 1, 1, 0])(
    "hostile 85: refuses an expiry that is not in the future: %d",
    (expireTime) => world.bothRefuse(expiring({ ...gtd, expireTime: String(expireTime) }), INVALID),
  );

  it("hostile 85: an expiry in 1 ms is accepted and takes effect then", async () => {
    const own = await openHostileWorld();
    const accepted = await own.accepts(expiring({ ...gtd, expireTime: String(START_MS + 1) }));
    expect(accepted).toMatchObject({ timeInForce: "GTD", expireTime: START_MS + 1, status: "NEW" });
    await own.clock.advanceBy(1, () => own.engine.idle());
    const query = `symbol=BTC/USD&orderId=${accepted.orderId}&timestamp=${START_MS}`;
    expect(await own.accepts(attack("GET", "/api/v2/order", { query }))).toMatchObject({ status: "EXPIRED" });
    await own.close();
  });

  it.each(["9007199254740992", "9007199254740993", "253402300799000"])(
    "hostile 85: refuses an expiry at %s",
    (expireTime) => world.bothRefuse(expiring({ ...gtd, expireTime }), INVALID),
  );

  it("hostile 85: two different expiries are refused, two equal ones accepted", async () => {
    const [one, other] = [String(START_MS + 60_000), String(START_MS + 60_001)];
    await world.bothRefuse(expiring({ ...gtd, expireTime: one, goodTillDate: other }), CONFLICT);
    await world.accepts(expiring({ ...gtd, expireTime: one, goodTillDate: one }));
  });
});

describe("open orders", () => {
  const page = (query: string): Attack => attack("GET", "/api/v3/openOrders", { query: `${query}&nonce=1` });
  const cancelAll = (query: string): Attack =>
    attack("DELETE", "/api/v3/openOrders", { query: `${query}&nonce=2` });

  it("hostile 92: refuses apiManaged missing, false, in capitals, and empty", async () => {
    for (const request of [page, cancelAll]) {
      await world.bothRefuse(request("account=1"), refusal(-1102));
      await world.bothRefuse(request("apiManaged=false"), INVALID);
      await world.bothRefuse(request("apiManaged=TRUE"), INVALID);
      await world.bothRefuse(request("apiManaged="), refusal(-1105), INVALID);
    }
  });

  it.each(["symbol=BTC/USD", "instrumentId=1", "side=BUY"])(
    "hostile 92: refuses it with %s",
    async (parameter) => {
      await world.bothRefuse(page(`apiManaged=true&${parameter}`), refusal(-1106));
      await world.bothRefuse(cancelAll(`apiManaged=true&${parameter}`), refusal(-1106));
    },
  );

  it("hostile 92: refuses limits of 0 and 1,001, and a positive cursor", async () => {
    await world.bothRefuse(page("apiManaged=true&limit=0"), INVALID);
    await world.bothRefuse(page("apiManaged=true&limit=1001"), refusal(-1102));
    await world.bothRefuse(page("apiManaged=true&limit=-1"), refusal(-1100));
    await world.bothRefuse(page("apiManaged=true&afterOrderId=1"), INVALID);
    await world.accepts(page("apiManaged=true&limit=1000&afterOrderId=0"));
  });

  it("refuses a page's parameters on a cancel-all", async () => {
    await world.bothRefuse(cancelAll("apiManaged=true&limit=5"), refusal(-1104));
    await world.bothRefuse(cancelAll("apiManaged=true&includeHistory=false"), refusal(-1104));
  });

  it("hostile 92: another account's cursor is accepted and shows the caller's own orders only", async () => {
    const foreign = await place(world, {}, { key: KEYS.stranger });
    for (const newestFirst of [false, true]) {
      const query = `apiManaged=true&newestFirst=${newestFirst}&afterOrderId=${foreign.body.orderId}`;
      const { orders } = await world.accepts(page(query));
      for (const order of orders as readonly { accountId: number }[]) expect(order.accountId).toBe(1);
    }
  });
});

describe("cancels", () => {
  let nonces = 0;
  const cancel = (key: string): Attack =>
    attack("DELETE", "/api/v2/order", { query: `symbol=BTC/USD&${key}&nonce=cancel-${++nonces}` });
  const NOT_CANCELED = refusal(-2011);

  it("hostile 91: of unknown, foreign and ended orders are refused", async () => {
    const foreign = await place(world, { newClientOrderId: "theirs" }, { key: KEYS.stranger });
    const ended = await place(world);
    await world.accepts(cancel(`orderId=${ended.body.orderId}`));
    for (const id of [-1_000_000, foreign.body.orderId, ended.body.orderId]) {
      await world.bothRefuse(cancel(`orderId=${id}`), NOT_CANCELED);
    }
    await world.bothRefuse(cancel("origClientOrderId=theirs"), NOT_CANCELED);
    await world.bothRefuse(cancel("origClientOrderId=nothing"), NOT_CANCELED);
  });

  it("hostile 91: twice at once: one cancels, the other is refused or gives the same answer", async () => {
    for (const [first, second] of [
      ["rest", "rest"],
      ["rest", "message"],
      ["message", "message"],
    ]) {
      const { orderId } = (await place(world)).body;
      const byRest = async (): Promise<string> => (await world.send(cancel(`orderId=${orderId}`))).body;
      const json = `{"symbol":"BTC/USD","orderId":${orderId}}`;
      const byMessage = async (): Promise<string> =>
        (await sendText(world.port, messageOf({ method: "order.cancel", json }))).text;
      const bodies = await Promise.all(
        [first, second].map((way) => (way === "rest" ? byRest() : byMessage())),
      );
      expect(bodies.some((body) => body.includes('"status":"CANCELED"'))).toBe(true);
      for (const body of bodies) expect(body).toMatch(/"status":"CANCELED"|"code":-2011/);
    }
  });
});

describe("pages of lists", () => {
  it.each(["openOrderList", "allOrderList"])(
    "hostile 93: %s refuses limits of 0 and 1,001, and a start after the end",
    async (name) => {
      const page = (query: string): Attack =>
        attack("GET", `/api/v3/${name}`, { query: `${query}&nonce=${name}` });
      await world.bothRefuse(page("limit=1001"), refusal(-1102));
      await world.bothRefuse(page("limit=0"), INVALID);
      await world.bothRefuse(page("limit=-1"), refusal(-1100));
      await world.bothRefuse(page("startTime=2&endTime=1"), refusal(-1023));
      await world.accepts(page("limit=1000&startTime=1&endTime=1"));
    },
  );
});
