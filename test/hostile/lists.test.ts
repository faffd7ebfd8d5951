import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/wire/index.ts";
import {
  type Attack,
  attack,
  BASE_ID,
  type HostileWorld,
  type JsonFields,
  listBody,
  listWith,
  openHostileWorld,
  refusal,
} from "../support/hostile-world.ts";
import { KEYS, LISTS, placeList, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const ILLEGAL = refusal(-1100);
const INVALID = refusal(-1130);
const CONFLICT = refusal(-1128);
const DUPLICATE = refusal(-2010);
const PRICES = refusal(-2010);
const MISSING = refusal(-1102);
const NOT_REQUIRED = refusal(-1106);
const UNKNOWN_NAME = refusal(-1104);
const NOT_CANCELED = refusal(-2011);

const text = JSON.stringify;
const oco = (fields: JsonFields): Attack => listWith("oco", fields);
const oto = (fields: JsonFields): Attack => listWith("oto", fields);
const otoco = (fields: JsonFields): Attack => listWith("otoco", fields);
const legacy = (fields: JsonFields): Attack => listWith("legacyOco", fields);

describe("pairs", () => {
  it("complaint 44, hostile 90: refuses an upper level at or below the lower one, and names both fields", async () => {
    await world.bothRefuse(oco({ abovePrice: text("6000") }), PRICES);
    await world.bothRefuse(oco({ abovePrice: text("5999.99999999") }), PRICES);
    await world.accepts(oco({ abovePrice: text("6000.00000001") }));
    const answer = await world.send(oco({ abovePrice: text("6000") }));
    expect(answer.body).toContain("The relationship of the prices for the orders is not correct.");
    expect(answer.body).toContain("abovePrice");
    expect(answer.body).toContain("belowStopPrice");
  });

  it("hostile 90: refuses the same in a released pair and in a legacy one", async () => {
    await world.bothRefuse(otoco({ pendingAboveStopPrice: text("6000") }), PRICES);
    await world.bothRefuse(otoco({ pendingAboveStopPrice: text("5000") }), PRICES);
    await world.refuses(legacy({ price: text("6000") }), PRICES);
    await world.refuses(legacy({ price: text("5000") }), PRICES);
  });

  it("hostile 90: refuses a SELL pair with its limit below, and a BUY pair with its limit above", async () => {
    const turned = {
      aboveType: text("STOP_LOSS"),
      abovePrice: undefined,
      aboveStopPrice: text("8000"),
      belowType: text("LIMIT"),
      belowStopPrice: undefined,
      belowPrice: text("6000"),
    };
    await world.bothRefuse(oco(turned), refusal(-1166));
    await world.accepts(oco({ side: text("BUY"), ...turned }));
    await world.bothRefuse(oco({ side: text("BUY") }), refusal(-1165));
  });

  it("hostile 90: refuses a take-profit on the wrong side", async () => {
    const profitBelow = {
      aboveType: text("STOP_LOSS"),
      abovePrice: undefined,
      aboveStopPrice: text("8000"),
      belowType: text("TAKE_PROFIT"),
    };
    await world.bothRefuse(oco(profitBelow), refusal(-1199));
    const profitAbove = {
      side: text("BUY"),
      aboveType: text("TAKE_PROFIT"),
      abovePrice: undefined,
      aboveStopPrice: text("8000"),
    };
    await world.bothRefuse(oco(profitAbove), refusal(-1198));
  });

  it("hostile 90: refuses two legs of one kind", async () => {
    await world.bothRefuse(
      oco({ belowType: text("LIMIT_MAKER"), belowStopPrice: undefined, belowPrice: text("6000") }),
      refusal(-1168),
    );
    await world.bothRefuse(
      oco({ aboveType: text("STOP_LOSS"), abovePrice: undefined, aboveStopPrice: text("8000") }),
      refusal(-1158),
    );
  });

  it.each(["TWAP", "VWAP", "POV"])("hostile 90: refuses a %s leg in a pair", async (type) => {
    const leg = { aboveType: text(type), abovePrice: undefined };
    await world.bothRefuse(oco(leg), refusal(-1158));
  });

  it("hostile 90: refuses a separate side for a leg of a pair", async () => {
    await world.bothRefuse(oco({ aboveSide: text("BUY") }), UNKNOWN_NAME);
    await world.bothRefuse(otoco({ pendingAboveSide: text("BUY") }), UNKNOWN_NAME);
  });

  it("hostile 90: refuses a pair with one leg missing", async () => {
    await world.bothRefuse(oco({ belowType: undefined, belowStopPrice: undefined }), MISSING);
    await world.bothRefuse(oco({ aboveType: undefined, abovePrice: undefined }), MISSING);
    await world.refuses(legacy({ stopPrice: undefined }), MISSING);
  });

  it("hostile 84: refuses two trailing distances, 0 and 10,000 basis points in a leg", async () => {
    const trailing = { belowType: text("TRAILING_STOP_MARKET"), belowStopPrice: text("7900") };
    await world.bothRefuse(oco({ ...trailing, belowTrailingDelta: "0" }), INVALID);
    await world.bothRefuse(oco({ ...trailing, belowTrailingDelta: "10000" }), INVALID);
    await world.bothRefuse(oco({ ...trailing, belowTrailingDelta: "5", belowPrice2: text("1") }), CONFLICT);
    expect(await world.accepts(oco({ ...trailing, belowTrailingDelta: "9999" }))).toMatchObject({
      orderReports: [{ type: "TRAILING_STOP_MARKET", trailingDelta: 9_999 }, { type: "SYNTHETIC_LIMIT" }],
    });
  });

  it("hostile 75: refuses an icebergQty above the quantity, and a display quantity worth less than 15, in a leg", async () => {
    await world.bothRefuse(oco({ aboveIcebergQty: text("0.010001") }), refusal(-1013));
    await world.bothRefuse(oco({ aboveIcebergQty: text("0.001874") }), refusal(-1013));
    await world.accepts(oco({ aboveIcebergQty: text("0.001875") }));
    await world.bothRefuse(oco({ belowIcebergQty: text("0.01") }), NOT_REQUIRED);
  });
});

describe("entries and what they release", () => {
  it("hostile 90: refuses an OTO without its pending order, and an OTOCO with one leg missing", async () => {
    const noPending = { pendingType: undefined, pendingSide: undefined, pendingStopPrice: undefined };
    await world.bothRefuse(oto({ ...noPending, pendingQuantity: undefined }), MISSING);
    await world.bothRefuse(oto({ pendingQuantity: undefined }), MISSING);
    await world.bothRefuse(otoco({ pendingBelowType: undefined, pendingBelowStopPrice: undefined }), MISSING);
    await world.bothRefuse(otoco({ pendingAboveType: undefined, pendingAboveStopPrice: undefined }), MISSING);
    await world.bothRefuse(otoco({ workingType: undefined }), MISSING);
  });

  it.each(["TWAP", "VWAP", "POV"])(
    "hostile 90: refuses a %s as entry, and as a released leg",
    async (type) => {
      await world.bothRefuse(oto({ workingType: text(type), workingPrice: undefined }), refusal(-1014));
      await world.bothRefuse(oto({ pendingType: text(type), pendingStopPrice: undefined }), refusal(-1014));
    },
  );

  it.each([
    ["MARKET", -1116],
    ["limit", -1116],
    ["OCO", -1116],
    ["", -1116],
  ])("refuses the leg type %j", (type, code) =>
    world.bothRefuse(oto({ workingType: text(type) }), refusal(code)),
  );

  it("hostile 74: a leg below the minimum causes the refusal of the whole list", async () => {
    await world.bothRefuse(oto({ workingQuantity: text("0.000001") }), refusal(-1013));
    await world.bothRefuse(oto({ pendingQuantity: text("0.000001") }), refusal(-1013));
    await world.bothRefuse(otoco({ pendingQuantity: text("0.000001") }), refusal(-1013));
  });

  it("hostile 85: refuses a leg with GTD and no expiry, with a past one, and with two that differ", async () => {
    const gtd = { workingTimeInForce: text("GTD") };
    await world.bothRefuse(oto(gtd), MISSING);
    await world.bothRefuse(oto({ ...gtd, expireTime: String(START_MS) }), INVALID);
    await world.bothRefuse(
      oto({ ...gtd, workingExpireTime: String(START_MS + 1), workingGoodTillDate: String(START_MS + 2) }),
      CONFLICT,
    );
    expect(await world.accepts(oto({ ...gtd, expireTime: String(START_MS + 1) }))).toMatchObject({
      orderReports: [{ timeInForce: "GTD", expireTime: START_MS + 1 }, { timeInForce: "GTC" }],
    });
  });

  it("decision 10: refuses an expiry that no leg uses", () =>
    world.bothRefuse(oto({ expireTime: String(START_MS + 1) }), NOT_REQUIRED));
});

describe("fields of a list", () => {
  it("contract, List creation rule 1: listClientOrderId is required, with the same characters as an order's", async () => {
    for (const [id, expected] of [
      [undefined, MISSING],
      [text("a".repeat(37)), ILLEGAL],
      [text("a b"), ILLEGAL],
      [text("aqc-list"), INVALID],
      [text(".."), INVALID],
    ] as const) {
      const named = { listClientOrderId: id };
      for (const list of [oco, oto, otoco]) await world.bothRefuse(list(named), expected);
      await world.refuses(legacy(named), expected);
    }
    await world.accepts(oco({ listClientOrderId: text("a".repeat(36)) }));
  });

  it("hostile 78: refuses reserved and malformed ids of legs", async () => {
    await world.bothRefuse(oco({ aboveClientOrderId: text("aqc-1") }), INVALID);
    await world.bothRefuse(oco({ belowClientOrderId: text("AQC-1") }), INVALID);
    await world.bothRefuse(oco({ aboveClientOrderId: text("a/b") }), ILLEGAL);
    await world.bothRefuse(oco({ aboveClientOrderId: text("a".repeat(37)) }), ILLEGAL);
  });

  it("decision 1: refuses two legs with one id, and a leg with another order's id", async () => {
    await world.bothRefuse(
      oco({ aboveClientOrderId: text("twin"), belowClientOrderId: text("twin") }),
      DUPLICATE,
    );
    await world.bothRefuse(oco({ aboveClientOrderId: text(BASE_ID) }), DUPLICATE);
  });

  it.each(["price", "type", "newClientOrderId", "orderListId", "contingencyType", "aboveHeld", "AbovePrice"])(
    "hostile 67, 68: refuses the field %s",
    (name) => world.bothRefuse(oco({ [name]: text("1") }), UNKNOWN_NAME),
  );

  it.each(["{}", "[]", "null", '{"price":"8000"}'])(
    "contract, Shared: refuses %s in place of a field",
    async (value) => {
      for (const list of [
        oco({ abovePrice: value }),
        oto({ workingPrice: value }),
        otoco({ pendingSide: value }),
      ])
        await world.bothRefuse(list, INVALID);
      await world.refuses(legacy({ stopPrice: value }), INVALID);
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

  it("hostile 70: decimals of a leg are read like an order's", async () => {
    await world.bothRefuse(oco({ abovePrice: text("8e3") }), ILLEGAL);
    await world.bothRefuse(oco({ abovePrice: text("0") }), INVALID);
    await world.bothRefuse(oco({ belowStopPrice: text("6000.000000001") }), refusal(-1111));
    await world.bothRefuse(oco({ quantity: text("0.0100000") }), refusal(-1111));
    await world.bothRefuse(otoco({ pendingQuantity: text("1000000000000") }), refusal(-1108));
  });

  it("hostile 82, 83: refuses invalid symbols and sides", async () => {
    await world.bothRefuse(oco({ symbol: text("STETH/USD") }), refusal(-1121));
    await world.bothRefuse(oco({ symbol: text("btc/usd") }), refusal(-1121));
    await world.bothRefuse(oco({ side: text("sell") }), refusal(-1117));
    await world.bothRefuse(oto({ pendingSide: text("Sell") }), refusal(-1117));
    await world.accepts(oco({ symbol: text("BTC-USD") }));
  });
});

describe("lists with the same id", () => {
  it("hostile 81: refuses the same listClientOrderId with its legs swapped", async () => {
    const named = {
      listClientOrderId: text("hostile-81-list"),
      aboveClientOrderId: text("leg-a"),
      belowClientOrderId: text("leg-b"),
    };
    await world.accepts(oco(named));
    const swapped = { aboveClientOrderId: text("leg-b"), belowClientOrderId: text("leg-a") };
    await world.bothRefuse(oco({ ...named, ...swapped }), DUPLICATE);
    await world.bothRefuse(oco({ ...named, abovePrice: text("8000.00000001") }), DUPLICATE);
    await world.bothRefuse(oco({ ...named, quantity: text("0.010001") }), DUPLICATE);
    await world.accepts(oco({ ...named, quantity: text("0.010000") }));
  });

  it("hostile 81: refuses entry and exit swapped", async () => {
    const named = { listClientOrderId: text("hostile-81-oto") };
    await world.accepts(oto(named));
    const swapped = {
      workingType: text("STOP_LOSS"),
      workingSide: text("SELL"),
      workingPrice: undefined,
      workingStopPrice: text("6000"),
      pendingType: text("LIMIT"),
      pendingSide: text("BUY"),
      pendingStopPrice: undefined,
      pendingPrice: text("6500"),
    };
    await world.bothRefuse(oto({ ...named, ...swapped }), DUPLICATE);
  });

  it("hostile 81: the same list 100 times at once is one list", async () => {
    const { records } = world.engine.metrics();
    const body = listBody("otoco", { listClientOrderId: text("hostile-81-copies") });
    const copies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        world.accepts(attack("POST", "/api/v3/orderList/otoco", { query: `nonce=list-${index}`, body })),
      ),
    );
    expect(new Set(copies.map(({ orderListId }) => orderListId)).size).toBe(1);
    expect(world.engine.metrics().records).toBe(records + 1);
  });
});

describe("reads and cancels", () => {
  let nonces = 0;
  const look = (query: string): Attack =>
    attack("GET", "/api/v3/orderList", { query: `${query}&nonce=look-${++nonces}` });
  const cancel = (query: string): Attack =>
    attack("DELETE", "/api/v3/orderList", { query: `${query}&nonce=cancel-${++nonces}` });
  const legsOf = (list: JsonObject): readonly number[] =>
    (list.orders as readonly { orderId: number }[]).map(({ orderId }) => orderId);

  it("hostile 91: refuses cancels of unknown, foreign and ended lists", async () => {
    const foreign = await placeList(world, "oco", { listClientOrderId: "theirs" }, { key: KEYS.stranger });
    const ended = await world.accepts(oco({}));
    await world.accepts(cancel(`orderListId=${ended.orderListId}`));
    await world.bothRefuse(cancel("orderListId=-1000000"), NOT_CANCELED);
    await world.bothRefuse(cancel("listClientOrderId=nothing"), NOT_CANCELED);
    await world.bothRefuse(cancel(`orderListId=${foreign.body.orderListId}`), NOT_CANCELED);
    await world.bothRefuse(cancel("listClientOrderId=theirs"), NOT_CANCELED);
    await world.bothRefuse(cancel(`orderListId=${ended.orderListId}`), NOT_CANCELED);
    await world.bothRefuse(cancel(`orderListId=${world.orderId}`), NOT_CANCELED);
    await world.bothRefuse(look(`orderListId=${foreign.body.orderListId}`), refusal(-2013));
    await world.bothRefuse(look("listClientOrderId=theirs"), refusal(-2013));
  });

  it("hostile 91: the cancel of a held leg is accepted and cancels the whole list", async () => {
    const placed = await world.accepts(otoco({}));
    const held = legsOf(placed)[2];
    const query = `symbol=BTC/USD&orderId=${held}&nonce=held-leg`;
    expect(await world.accepts(attack("DELETE", "/api/v2/order", { query }))).toMatchObject({
      orderListId: placed.orderListId,
      listOrderStatus: "ALL_DONE",
      orderReports: [{ status: "CANCELED" }, { status: "CANCELED" }, { status: "CANCELED" }],
    });
  });

  it("hostile 91: of two cancels at once, one cancels, the other is refused or gives the same answer", async () => {
    const { orderListId } = await world.accepts(oco({}));
    const answers = await Promise.all([1, 2].map(() => world.send(cancel(`orderListId=${orderListId}`))));
    const bodies = answers.map(({ body }) => body);
    expect(bodies.some((body) => body.includes('"listOrderStatus":"ALL_DONE"'))).toBe(true);
    for (const body of bodies) expect(body).toMatch(/"listOrderStatus":"ALL_DONE"|"code":-2011/);
  });

  it("hostile 76: refuses list ids beyond the safe integers, beyond 64 bits, and of another form", async () => {
    await world.bothRefuse(look("orderListId=-9007199254740993"), refusal(-2013));
    await world.bothRefuse(cancel("orderListId=-9007199254740993"), NOT_CANCELED);
    for (const [id, expected, ofTheMessage] of [
      ["-9223372036854775809", refusal(-1108), undefined],
      ["-0", ILLEGAL, refusal(-1100)],
      ["-1.0", ILLEGAL, refusal(-1100)],
      ["", refusal(-1105), INVALID],
    ] as const) {
      await world.bothRefuse(look(`orderListId=${id}`), expected, ofTheMessage);
      await world.bothRefuse(cancel(`orderListId=${id}`), expected, ofTheMessage);
    }
  });

  it("hostile 77, 80: refuses ids of two lists, and aliases that differ; accepts equal ones", async () => {
    const first = await world.accepts(oco({ listClientOrderId: text("hostile-77-a") }));
    await world.accepts(oco({ listClientOrderId: text("hostile-77-b") }));
    const both = `orderListId=${first.orderListId}&listClientOrderId=hostile-77-b`;
    await world.bothRefuse(look(both), refusal(-2039));
    await world.bothRefuse(cancel(both), refusal(-2039));
    const aliases = "origClientOrderId=hostile-77-a&listClientOrderId=";
    await world.bothRefuse(look(`${aliases}hostile-77-b`), CONFLICT);
    await world.bothRefuse(cancel(`${aliases}hostile-77-b`), CONFLICT);
    expect(await world.accepts(look(`${aliases}hostile-77-a`))).toMatchObject({
      orderListId: first.orderListId,
    });
  });

  it("refuses a look-up without an id, and a page's parameters", async () => {
    await world.bothRefuse(look("symbol=BTC/USD"), MISSING);
    await world.bothRefuse(cancel("symbol=BTC/USD"), MISSING);
    await world.bothRefuse(look("orderListId=-256&limit=5"), UNKNOWN_NAME);
    await world.bothRefuse(cancel("orderListId=-256&apiManaged=true"), UNKNOWN_NAME);
  });
});
