import { describe, expect, it } from "vitest";
import { formatPrice, formatQuantity } from "../../src/decimal/index.ts";
import { ORDER_TYPES } from "../../src/model/index.ts";
import { readPlacement } from "../../src/requests/index.ts";
import { context, type Fields, json, query, rawJson, refusal } from "./support.ts";

const base = { symbol: "BTC/USD", side: "BUY", quantity: "0.5" };
const limit = { ...base, type: "SYNTHETIC_LIMIT", price: "7000" };
const stop = { ...base, type: "STOP_MARKET", stopPrice: "7500" };
const trail = { ...base, type: "TRAILING_STOP_MARKET", trailingDelta: 150 };
const trailLimit = { ...trail, type: "TRAILING_STOP_LIMIT", limitOffset: "5" };

const place = (fields: Fields) => readPlacement(json(fields), context);
const intent = (fields: Fields) => place(fields).intent;
const refused = (fields: Fields) => refusal(() => place(fields));

/** Fields that are undefined are not sent: JSON has none. */
const expectRefused = (fields: Fields, code: number, field?: string): void => {
  expect(refused(fields)).toMatchObject(field === undefined ? { code } : { code, field });
};

describe("order types", () => {
  it.each([
    ["SYNTHETIC_LIMIT", "SYNTHETIC_LIMIT", { price: "1" }],
    ["LIMIT", "SYNTHETIC_LIMIT", { price: "1", apiManaged: true }],
    ["STOP_MARKET", "STOP_MARKET", { stopPrice: "1" }],
    ["STOP", "STOP_MARKET", { stopPrice: "1" }],
    ["STOP_LOSS", "STOP_MARKET", { stopPrice: "1" }],
    ["STOP_LOSS_LIMIT", "STOP_LOSS_LIMIT", { stopPrice: "1", price: "2" }],
    ["STOP_LIMIT", "STOP_LOSS_LIMIT", { stopPrice: "1", price: "2" }],
    ["TAKE_PROFIT_MARKET", "TAKE_PROFIT_MARKET", { stopPrice: "1" }],
    ["TAKE_PROFIT", "TAKE_PROFIT_MARKET", { stopPrice: "1" }],
    ["TAKE_PROFIT_LIMIT", "TAKE_PROFIT_LIMIT", { stopPrice: "1", price: "2" }],
    ["TRAILING_STOP_MARKET", "TRAILING_STOP_MARKET", { trailingDelta: 1 }],
    ["TRAILING_STOP", "TRAILING_STOP_MARKET", { trailingAmount: "1", stopPrice: "2" }],
    ["TRAILING_STOP_LIMIT", "TRAILING_STOP_LIMIT", { price2: "1", price: "2" }],
    ["TRAILING_STOP_LIMIT", "TRAILING_STOP_LIMIT", { price2: "1", limitOffset: "0", stopPrice: "2" }],
    ["LIMIT_MAKER", "LIMIT_MAKER", { price: "1" }],
    ["POST_ONLY", "LIMIT_MAKER", { price: "1" }],
    ["ICEBERG", "ICEBERG", { price: "1", icebergQty: "0.1" }],
    ["TWAP", "TWAP", { interval: 1000, intervalCount: 2 }],
    ["VWAP", "VWAP", {}],
    ["POV", "POV", { participationBips: 1 }],
  ])("%s is %s", (type, canonical, fields) => {
    expect(intent({ ...base, type, ...fields }).type).toBe(canonical);
  });

  it("the catalogue lists every canonical type once", () => {
    expect([...ORDER_TYPES].sort()).toEqual([
      "ICEBERG",
      "LIMIT_MAKER",
      "POV",
      "STOP_LOSS_LIMIT",
      "STOP_MARKET",
      "SYNTHETIC_LIMIT",
      "TAKE_PROFIT_LIMIT",
      "TAKE_PROFIT_MARKET",
      "TRAILING_STOP_LIMIT",
      "TRAILING_STOP_MARKET",
      "TWAP",
      "VWAP",
    ]);
  });

  it.each([
    ["MARKET", {}, "MARKET"],
    ["MARKET", { targetStrategy: 180 }, "MARKET"],
    ["LIMIT", {}, "apiManaged"],
    ["LIMIT", { timeInForce: "GTC" }, "apiManaged"],
    ["LIMIT", { timeInForce: "IOC" }, "apiManaged"],
    ["LIMIT", { timeInForce: "FOK" }, "apiManaged"],
    ["LIMIT", { apiManaged: false }, "apiManaged"],
  ])("%s with %j is native, and the remedy names the sent value", (type, fields, named) => {
    const { error, code, field } = refused({ ...base, type, price: "1", ...fields });
    expect({ code, field }).toEqual({ code: -1116, field: "type" });
    expect(error.remedy).toContain(named);
  });

  it.each([
    { timeInForce: "GTD", expireTime: 2_000_000_000_000 },
    { expireTime: 2_000_000_000_000 },
    { apiManaged: true, timeInForce: "GTC" },
    { icebergQty: "0.1" },
  ])("LIMIT with %j is managed", (fields) => {
    expect(intent({ ...base, type: "LIMIT", price: "1", ...fields }).type).toBe("SYNTHETIC_LIMIT");
  });

  it.each(["stop", "STOP ", "", "FOO", "__proto__", "constructor"])("type %j is refused", (type) => {
    expectRefused({ ...stop, type }, -1116, "type");
  });

  it("an unknown type is not repeated in the answer", () => {
    expect(JSON.stringify(refused({ ...stop, type: "<script>" }).error.toBody())).not.toContain("script");
  });

  it("type is required", () => expectRefused({ ...base }, -1102, "type"));

  it("apiManaged=true is accepted on any type, false is not", () => {
    expect(intent({ ...stop, apiManaged: true }).type).toBe("STOP_MARKET");
    expectRefused({ ...limit, apiManaged: false }, -1130, "apiManaged");
    const gtd = { ...limit, type: "LIMIT", timeInForce: "GTD", expireTime: 2e12 };
    expectRefused({ ...gtd, apiManaged: false }, -1130, "apiManaged");
  });
});

describe("fields of each type", () => {
  it.each([
    [limit, "stopPrice", "1"],
    [limit, "trailingDelta", 1],
    [limit, "limitOffset", "1"],
    [stop, "price", "1"],
    [stop, "trailingDelta", 1],
    [stop, "interval", 1000],
    [stop, "intervalCount", 2],
    [stop, "intervalDelay", 0],
    [stop, "volumeProfile", "1,2"],
    [stop, "participationBips", 1],
    [stop, "quoteOrderQty", "15"],
    [{ ...stop, type: "STOP_LOSS_LIMIT", price: "1" }, "limitOffset", "1"],
    [trail, "price", "1"],
    [trail, "limitOffset", "1"],
    [stop, "icebergQty", "0.1"],
    [trail, "icebergQty", "0.1"],
    [{ ...stop, type: "STOP_LOSS_LIMIT", price: "1" }, "trailingDelta", 1],
    [{ ...stop, type: "TAKE_PROFIT" }, "trailingDelta", 1],
    [limit, "interval", 1000],
    [limit, "volumeProfile", "~"],
    [limit, "participationBips", 1],
  ])("%j does not take %s", (fields, field, value) => {
    expectRefused({ ...fields, [field]: value }, -1106, field);
  });

  it.each([
    [limit, "price"],
    [limit, "symbol"],
    [limit, "side"],
    [limit, "quantity"],
    [stop, "stopPrice"],
    [{ ...stop, type: "STOP_LIMIT", price: "1" }, "stopPrice"],
    [{ ...limit, type: "STOP_LIMIT", stopPrice: "1" }, "price"],
    [{ ...limit, type: "TAKE_PROFIT_LIMIT", stopPrice: "1" }, "price"],
    [{ ...stop, type: "TAKE_PROFIT" }, "stopPrice"],
  ])("%j needs %s", (fields, field) => expectRefused({ ...fields, [field]: undefined }, -1102, field));

  it.each(["orderId", "status", "executedQty", "accountId", "held", "Price", "SYMBOL", "foo", "toString"])(
    "hostile 67, 68, 69: %s is unknown",
    (field) => {
      const { error } = refused({ ...limit, [field]: "1" });
      expect(error).toMatchObject({ code: -1104, field, details: { read: 5, sent: 6 } });
      expect(error.remedy).toContain(`'${field}'`);
    },
  );

  it("hostile 67: a very long unknown name is cut in the answer", () => {
    expect(refused({ ...limit, ["x".repeat(5_000)]: "1" }).error.remedy.length).toBeLessThan(150);
  });

  it("parameters of the convention and of authentication are accepted and not read", () => {
    const ignored = {
      newOrderRespType: "FULL",
      strategyId: 7,
      strategyType: "x",
      returnRateLimits: false,
      selfTradePreventionMode: "NONE",
      nonce: "1",
      timestamp: "2",
      recvWindow: "0",
      signature: "",
    };
    expect(intent({ ...limit, ...ignored })).toEqual(intent(limit));
    expectRefused({ ...limit, selfTradePreventionMode: "EXPIRE_TAKER" }, -1130, "selfTradePreventionMode");
  });

  it("every known field refuses a nonsensical value with an OrderError", () => {
    const names = "symbol side type quantity price stopPrice trailingDelta price2 trailingAmount limitOffset";
    const more = "timeInForce childTimeInForce expireTime goodTillDate reduceOnly apiManaged account userId";
    const schedules = "icebergQty targetStrategy interval intervalCount intervalDelay participationBips";
    for (const name of `${names} ${more} ${schedules}`.split(" ")) {
      expect(refused({ ...limit, newClientOrderId: "a", [name]: "~" }).field).toBe(name);
    }
  });
});

describe("decimals", () => {
  const wrong = ["1e3", "1E-7", "0x10", "0b1", "1_000", "Infinity", "NaN", "+1", "-1", "-0", "", " 1", ".5"];
  const more = [
    "5.",
    "1,5",
    "1 ",
    "1.2.3",
    "٣",
    "１",
    "1.".padEnd(400, "0"),
    "9".repeat(400),
    "9".repeat(21),
  ];

  it.each([...wrong, ...more])("hostile 70, 71, 73: %j is not a decimal", (text) => {
    const { error } = refused({ ...limit, quantity: text });
    expect(error).toMatchObject({ code: -1100, field: "quantity" });
    expect(error.msg).toContain("^[0-9]{1,20}(\\.[0-9]{1,20})?$");
    expectRefused({ ...limit, price: text }, -1100, "price");
  });

  it.each(["0", "0.0", "000"])("hostile 70: %j is not a positive decimal", (text) => {
    expectRefused({ ...limit, quantity: text }, -1130, "quantity");
    expectRefused({ ...stop, stopPrice: text }, -1130, "stopPrice");
    expectRefused({ ...trail, trailingDelta: undefined, trailingAmount: text }, -1130, "trailingAmount");
  });

  it("hostile 72: decimals count as sent, including zeros", () => {
    expect(intent({ ...limit, quantity: "1.000000", price: "1.00000000" })).toEqual(
      intent({ ...limit, quantity: "1", price: "1" }),
    );
    for (const text of ["1.0000001", "1.0000000", "0.0000000"]) {
      expectRefused({ ...limit, quantity: text }, -1111, "quantity");
    }
    for (const text of ["1.000000001", "1.000000000"])
      expectRefused({ ...limit, price: text }, -1111, "price");
    expect(refused({ ...limit, quantity: "1.0000001" }).error.remedy).toContain("at most 6 decimals");
    expectRefused({ ...trailLimit, limitOffset: "0.000000000" }, -1111, "limitOffset");
    expectRefused({ ...trail, trailingDelta: undefined, price2: "1.000000001" }, -1111, "price2");
    expectRefused(
      { ...trail, trailingDelta: undefined, trailingAmount: "1.000000001" },
      -1111,
      "trailingAmount",
    );
  });

  it("precision is checked before range, range before zero", () => {
    expectRefused({ ...limit, quantity: "1000000000000.0000000" }, -1111);
    expectRefused({ ...limit, quantity: "1000000000000" }, -1108, "quantity");
  });

  it("quantity stays below 10^12, price below 10^10", () => {
    expect(formatQuantity(intent({ ...limit, quantity: "999999999999.999999" }).quantity)).toBe(
      "999999999999.999999",
    );
    const { price } = intent({ ...limit, price: "9999999999.99999999" });
    expect(price !== undefined && formatPrice(price)).toBe("9999999999.99999999");
    expectRefused({ ...limit, price: "10000000000" }, -1108, "price");
    expectRefused({ ...stop, stopPrice: "99999999999999999999" }, -1108, "stopPrice");
    expectRefused({ ...trailLimit, limitOffset: "10000000000" }, -1108, "limitOffset");
  });

  it("hostile 64: decimals are strings in JSON", () => {
    expect(refusal(() => readPlacement(rawJson('{"quantity":5}'), context))).toMatchObject({ code: -1130 });
    for (const value of [5, true]) {
      expectRefused({ ...limit, quantity: value }, -1130, "quantity");
      expectRefused({ ...limit, price: value }, -1130, "price");
    }
  });

  it("complaint 40: every k hundredths up to 400 are accepted and kept exactly", () => {
    for (let k = 1; k <= 400; k++) {
      const text = `${Math.floor(k / 100)}.${String(k % 100).padStart(2, "0")}`;
      const read = intent({ ...limit, quantity: text, price: text });
      expect(read).toMatchObject({ quantity: k * 10_000, price: k * 1_000_000 });
      expect(formatQuantity(read.quantity)).toBe(String(k / 100));
    }
  });
});

describe("trailing distances and limits", () => {
  const distances = { trailingDelta: 150, price2: "1.5", trailingAmount: "100" };
  const untrailed = { ...trail, trailingDelta: undefined };

  it("each distance keeps its own unit", () => {
    expect(intent(trail).trailing).toEqual({ kind: "bps", bps: 150 });
    expect(intent({ ...untrailed, price2: "1.5" }).trailing).toEqual({
      kind: "percent",
      percent: 150_000_000,
    });
    expect(intent({ ...untrailed, trailingAmount: "100" }).trailing).toEqual({
      kind: "amount",
      amount: 10_000_000_000,
    });
  });

  it("hostile 84: exactly one distance; the answer names the fields", () => {
    const none = refused(untrailed);
    expect(none.code).toBe(-1128);
    expect(none.error.msg).toContain("['trailingDelta','price2','trailingAmount']");
    const two = refused({ ...trail, price2: "1.5" });
    expect(two.code).toBe(-1128);
    expect(two.error.msg).toContain("['trailingDelta','price2']");
    expect(two.error.remedy).toContain("exactly one");
    expectRefused({ ...untrailed, price2: "1", trailingAmount: "1" }, -1128, "price2");
    expectRefused({ ...trailLimit, ...distances }, -1128, "trailingDelta");
    for (const type of ["TRAILING_STOP_MARKET", "TRAILING_STOP_LIMIT"]) {
      const one = type === "TRAILING_STOP_LIMIT" ? trailLimit : trail;
      expect(intent(one)).not.toHaveProperty("stopPrice");
      expect(intent({ ...one, stopPrice: "2" })).toMatchObject({ type, stopPrice: 200_000_000 });
    }
  });

  it.each([0, 10_000, 99_999_999_999])("hostile 84: %d basis points are out of range", (trailingDelta) => {
    expectRefused({ ...trail, trailingDelta }, -1130, "trailingDelta");
  });

  it("trailingDelta accepts 1 and 9999", () => {
    expect(intent({ ...trail, trailingDelta: 1 }).trailing).toEqual({ kind: "bps", bps: 1 });
    expect(intent({ ...trail, trailingDelta: 9_999 }).trailing).toEqual({ kind: "bps", bps: 9_999 });
  });

  it.each(["0", "100", "100.00000000", "150"])("hostile 84: price2 %s is out of range", (price2) => {
    expectRefused({ ...untrailed, price2 }, -1130, "price2");
  });

  it.each(["99.99", "99.99999999", "0.00000001"])("hostile 84: price2 %s is accepted", (price2) => {
    expect(intent({ ...untrailed, price2 }).trailing?.kind).toBe("percent");
  });

  it("exactly one of price and limitOffset", () => {
    const capless = { ...trailLimit, limitOffset: undefined };
    expectRefused(capless, -1128, "price");
    expectRefused({ ...trailLimit, price: "1" }, -1128, "price");
    expect(intent({ ...capless, price: "1" })).toMatchObject({ price: 100_000_000 });
    expect(intent({ ...trailLimit, limitOffset: "0" }).limitOffset).toBe(0);
  });
});

describe("words, flags and whole numbers", () => {
  it.each(["BUY", "SELL"])("contract, Order input fields: side %s is accepted unchanged", (side) => {
    expect(intent({ ...limit, side }).side).toBe(side);
  });

  it.each(["buy", "BUY ", "", "LONG"])("hostile 83: side %j is refused", (side) => {
    expectRefused({ ...limit, side }, -1117, "side");
  });

  it.each(["true", 1, "TRUE", 0, "false", ""])(
    "hostile 65: reduceOnly %j is not a JSON boolean",
    (reduceOnly) => {
      expectRefused({ ...limit, reduceOnly }, -1130, "reduceOnly");
    },
  );

  it("hostile 65: a query or form carries booleans as true and false", () => {
    const read = (value: string) => readPlacement(query({ ...limit, reduceOnly: value }), context).intent;
    expect([read("true").reduceOnly, read("false").reduceOnly]).toEqual([true, false]);
    for (const value of ["1", "TRUE", "yes"])
      expect(refusal(() => read(value))).toMatchObject({ code: -1130 });
    expect(refusal(() => read(""))).toMatchObject({ code: -1105, field: "reduceOnly" });
  });

  it("a query or form carries every kind of field as text", () => {
    const fields = { ...trailLimit, expireTime: 2_000_000_000_000, reduceOnly: true, account: 7 };
    expect(readPlacement(query(fields), context)).toEqual(place(fields));
  });

  it.each(['"150"', "true"])("hostile 66: trailingDelta %s is not a JSON integer", (value) => {
    const body = JSON.stringify({ ...trail, trailingDelta: 0 }).replace(":0", `:${value}`);
    expect(refusal(() => readPlacement(rawJson(body), context))).toMatchObject({
      code: -1130,
      field: "trailingDelta",
    });
  });

  it("hostile 66: JSON has no 01", () => {
    const body = JSON.stringify({ ...trail, trailingDelta: 0 }).replace(":0", ":01");
    expect(refusal(() => readPlacement(rawJson(body), context)).code).toBe(-1135);
  });

  it("convention 1.2 r: leading zeros of an integer have no meaning", () => {
    const plain = readPlacement(query({ ...trail, trailingDelta: "150" }), context);
    expect(readPlacement(query({ ...trail, trailingDelta: "00150" }), context)).toEqual(plain);
    expect(readPlacement(query({ ...trail, trailingDelta: "150".padStart(20, "0") }), context)).toEqual(
      plain,
    );
    const long = query({ ...trail, trailingDelta: "150".padStart(21, "0") });
    expect(refusal(() => readPlacement(long, context))).toMatchObject({ code: -1100 });
  });

  it.each(["1e3", "1.0", "-0", "1e400"])("hostile 66: %s is refused as an integer", (value) => {
    const body = JSON.stringify({ ...trail, trailingDelta: 0 }).replace(":0", `:${value}`);
    expect(refusal(() => readPlacement(rawJson(body), context)).code).toBeLessThan(0);
    expect(refusal(() => readPlacement(query({ ...trail, trailingDelta: value }), context))).toMatchObject({
      code: -1100,
      field: "trailingDelta",
    });
  });

  it.each([
    ["", -1105],
    [" 1", -1100],
    ["-1", -1100],
    ["9".repeat(20), -1108],
    ["9".repeat(21), -1100],
  ])("convention 1.2 r: the whole number %j", (value, code) => {
    const parameters = query({ ...trail, trailingDelta: value });
    expect(refusal(() => readPlacement(parameters, context))).toMatchObject({ code, field: "trailingDelta" });
  });

  it("childTimeInForce is IOC by default; FOK is the other value", () => {
    expect(intent(limit)).toMatchObject({ childTimeInForce: "IOC", reduceOnly: false, timeInForce: "GTC" });
    expect(intent({ ...limit, childTimeInForce: "FOK" }).childTimeInForce).toBe("FOK");
    expectRefused({ ...limit, childTimeInForce: "GTC" }, -1130, "childTimeInForce");
  });

  it("account and userId are positive safe integers", () => {
    expect(place({ ...limit, account: 1, userId: Number.MAX_SAFE_INTEGER })).toMatchObject({
      accountId: 1,
      userId: Number.MAX_SAFE_INTEGER,
    });
    expect(place(limit)).not.toHaveProperty("accountId");
    expectRefused({ ...limit, account: 0 }, -1130, "account");
    const beyond = query({ ...limit, userId: "9007199254740992" });
    expect(refusal(() => readPlacement(beyond, context))).toMatchObject({ code: -1130, field: "userId" });
  });

  it("hostile 36: a repeated parameter never reaches the reader; hostile 57: nor does a nested value", () => {
    expect(refusal(() => rawJson('{"symbol":"BTC/USD","symbol":"BTC/USD"}')).code).toBe(-1101);
    expect(refusal(() => rawJson('{"quantity":["1"]}')).code).toBe(-1130);
  });
});

describe("lifetime", () => {
  const at = 2_000_000_000_000;

  it.each([
    [{}, { timeInForce: "GTC" }],
    [{ timeInForce: "GTC" }, { timeInForce: "GTC" }],
    [
      { timeInForce: "GTD", expireTime: at },
      { timeInForce: "GTD", expireTimeMs: at },
    ],
    [
      { timeInForce: "GTD", goodTillDate: at },
      { timeInForce: "GTD", expireTimeMs: at },
    ],
    [{ expireTime: at }, { timeInForce: "GTD", expireTimeMs: at }],
    [
      { expireTime: at, goodTillDate: at },
      { timeInForce: "GTD", expireTimeMs: at },
    ],
    [{ expireTime: 253_402_300_798_999 }, { timeInForce: "GTD", expireTimeMs: 253_402_300_798_999 }],
    [{ expireTime: 1 }, { timeInForce: "GTD", expireTimeMs: 1 }],
  ])("%j is %j", (fields, lifetime) => {
    const { timeInForce, expireTimeMs } = intent({ ...limit, ...fields });
    expect(expireTimeMs === undefined ? { timeInForce } : { timeInForce, expireTimeMs }).toEqual(lifetime);
  });

  it.each([
    [{ timeInForce: "GTD" }, -1102, "expireTime"],
    [{ timeInForce: "GTC", expireTime: at }, -1128, "timeInForce"],
    [{ timeInForce: "GTC", goodTillDate: at }, -1128, "timeInForce"],
    [{ expireTime: at, goodTillDate: at + 1 }, -1128, "expireTime"],
    [{ expireTime: 253_402_300_799_000 }, -1130, "expireTime"],
    [{ expireTime: 2 ** 53 }, -1130, "expireTime"],
    [{ goodTillDate: 0 }, -1130, "goodTillDate"],
    [{ timeInForce: "IOC" }, -1115, "timeInForce"],
    [{ timeInForce: "gtc" }, -1115, "timeInForce"],
  ])("hostile 85: %j is refused", (fields, code, field) => {
    expectRefused({ ...limit, ...fields }, code, field);
  });
});

describe("symbols", () => {
  it.each(["BTC/USD", "BTCUSD", "BTC-USD"])("hostile 82: %s is BTC/USD", (symbol) => {
    expect(intent({ ...limit, symbol }).symbol).toBe("BTC/USD");
    expect(readPlacement(query({ ...limit, symbol }), context).intent.symbol).toBe("BTC/USD");
  });

  it.each(["BTC/USD/", "btc/usd", "STETH/USD", "XXX/USD", "BTC%2FUSD", " BTC/USD", "BTC／USD"])(
    "hostile 82: symbol %j is refused",
    (symbol) => expectRefused({ ...limit, symbol }, -1121, "symbol"),
  );

  it("an empty symbol is empty", () => expectRefused({ ...limit, symbol: "" }, -1105, "symbol"));
});

describe("client ids", () => {
  it.each(["a", "A-b_c.9", "x".repeat(36), "...", "aqc", "aqcx-1"])("hostile 78: %j is accepted", (id) => {
    const command = place({ ...limit, newClientOrderId: id });
    expect(command).toMatchObject({ generatedClientId: false, intent: { clientOrderId: id } });
  });

  it.each([
    ["", -1118],
    ["x".repeat(37), -1100],
    ["aqc-x", -1130],
    ["AQC-x", -1130],
    ["aQc-", -1130],
    ["a b", -1100],
    ["a/b", -1100],
    ["a\nb", -1100],
    ["🙂", -1100],
    ["\u00e9", -1100],
    ["e\u0301", -1100],
    ["ı", -1100],
    [".", -1130],
    ["..", -1130],
  ])("hostile 78: %j is refused", (id, code) => {
    expectRefused({ ...limit, newClientOrderId: id }, code, "newClientOrderId");
  });

  it("a missing client id is generated for its field", () => {
    expect(place(limit)).toMatchObject({
      generatedClientId: true,
      intent: { clientOrderId: "generated-newClientOrderId" },
    });
  });
});
