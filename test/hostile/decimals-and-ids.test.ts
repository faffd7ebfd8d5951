import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quantity } from "../../src/decimal/index.ts";
import {
  attack,
  BASE_ID,
  BASE_ORDER,
  type HostileWorld,
  openHostileWorld,
  order,
  orderWith,
  refusal,
} from "../support/hostile-world.ts";
import { KEYS, place, START_MS } from "../support/service-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const ILLEGAL = refusal(-1100);
/** The refusal of a message that contains anything but ASCII, before its signature is checked. */
const NO_ASCII = refusal(-1100);
const INVALID = refusal(-1130);
const PRECISION = refusal(-1111);
const OVERFLOW = refusal(-1108);
const NO_SUCH_ORDER = refusal(-2013);

const text = JSON.stringify;

describe("decimals", () => {
  it.each([
    "1e3",
    "1E-7",
    "0x10",
    "0b1",
    "1_000",
    "Infinity",
    "NaN",
    "+1",
    "-1",
    "-0",
    " 1",
    ".5",
    "5.",
    "1,5",
  ])("hostile 70: refuses %j as quantity and as price", async (value) => {
    await world.bothRefuse(orderWith({ quantity: text(value) }), ILLEGAL);
    await world.bothRefuse(orderWith({ price: text(value) }), ILLEGAL);
  });

  it.each(["0", "0.0", "00"])("hostile 70: refuses %j where a positive value is required", async (value) => {
    await world.bothRefuse(orderWith({ quantity: text(value) }), INVALID);
    await world.bothRefuse(orderWith({ price: text(value) }), INVALID);
  });

  it("hostile 70: refuses an empty text", async () => {
    await world.bothRefuse(orderWith({ quantity: text("") }), ILLEGAL);
    await world.bothRefuse(orderWith({ price: text("") }), ILLEGAL);
  });

  it.each(["\u0661\u0662", "\uff11\uff12", "1\u0660", "\u00bd", "1\u200b"])(
    "hostile 71: refuses the digits %j",
    (value) => world.bothRefuse(orderWith({ quantity: text(value) }), ILLEGAL, NO_ASCII),
  );

  it("hostile 72: refuses seven quantity decimals and nine price decimals, also zeros", async () => {
    await world.bothRefuse(orderWith({ quantity: text("0.0100001") }), PRECISION);
    await world.bothRefuse(orderWith({ quantity: text("0.0100000") }), PRECISION);
    await world.bothRefuse(orderWith({ price: text("7000.000000001") }), PRECISION);
    await world.bothRefuse(orderWith({ price: text("7000.000000000") }), PRECISION);
    const stop = { type: text("STOP"), price: undefined };
    await world.bothRefuse(orderWith({ ...stop, stopPrice: text("8000.000000001") }), PRECISION);
    expect(await world.accepts(orderWith({ ...stop, stopPrice: text("8000.00000001") }))).toMatchObject({
      stopPrice: "8000.00000001",
    });
  });

  it("contract rule 2: precision and minimum are separate checks, precision first", async () => {
    await world.bothRefuse(orderWith({ quantity: text("0.0000001"), price: text("1") }), PRECISION);
    await world.bothRefuse(orderWith({ quantity: text("0.000001"), price: text("1") }), refusal(-1013));
    await world.bothRefuse(orderWith({ quantity: text("1000.0000001"), price: text("7000") }), PRECISION);
  });

  it("hostile 73: refuses 400 digits", async () => {
    await world.bothRefuse(orderWith({ quantity: text("9".repeat(400)) }), ILLEGAL);
    await world.bothRefuse(orderWith({ price: text(`0.${"0".repeat(400)}1`) }), ILLEGAL);
    await world.bothRefuse(orderWith({ quantity: text("9".repeat(20)) }), OVERFLOW);
    await world.bothRefuse(orderWith({ price: text("10000000000") }), OVERFLOW);
  });

  it("hostile 74: a value of 14.99999999 is refused, 15 is accepted", async () => {
    await world.bothRefuse(orderWith({ quantity: text("1"), price: text("14.99999999") }), refusal(-1013));
    await world.accepts(orderWith({ quantity: text("1"), price: text("15") }));
    await world.bothRefuse(
      orderWith({ quantity: text("0.000001"), price: text("14999999.99999999") }),
      refusal(-1013),
    );
    await world.accepts(orderWith({ quantity: text("0.000001"), price: text("15000000") }));
  });

  it("hostile 74: a reduce-only order worth 1 is accepted if there is a position to reduce", async () => {
    const reducing = orderWith({
      quantity: text("0.001"),
      price: text("1000"),
      side: text("SELL"),
      reduceOnly: "true",
    });
    await world.bothRefuse(reducing, refusal(-2022));
    world.exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: quantity("0.5") });
    expect(await world.accepts(reducing)).toMatchObject({ reduceOnly: true, origQty: "0.001" });
  });

  it("hostile 75: icebergQty above the quantity is refused, equal to it is accepted", async () => {
    await world.bothRefuse(orderWith({ icebergQty: text("0.010001") }), refusal(-1013));
    await world.bothRefuse(
      orderWith({ type: text("ICEBERG"), icebergQty: text("999999999999.999999") }),
      refusal(-1013),
    );
    expect(await world.accepts(orderWith({ icebergQty: text("0.010") }))).toMatchObject({
      type: "SYNTHETIC_LIMIT",
      icebergQty: "0.01",
    });
  });

  it("hostile 75: a display quantity worth 14.999 is refused, one worth 15.001 is accepted", async () => {
    await world.bothRefuse(orderWith({ icebergQty: text("0.002142") }), refusal(-1013));
    await world.bothRefuse(
      orderWith({ type: text("ICEBERG"), icebergQty: text("0.002142") }),
      refusal(-1013),
    );
    const iceberg = orderWith({ type: text("ICEBERG"), icebergQty: text("0.002143") });
    expect(await world.accepts(iceberg)).toMatchObject({ type: "ICEBERG", icebergQty: "0.002143" });
  });

  it.each([
    ["0", INVALID],
    ["0.0100000", PRECISION],
    ["-0.01", ILLEGAL],
    ["1e-2", ILLEGAL],
    ["", ILLEGAL],
  ])("hostile 75: refuses icebergQty as %j", (value, expected) =>
    world.bothRefuse(orderWith({ icebergQty: text(value) }), expected),
  );

  it("decision 31: refuses icebergQty on a type that does not take it", () =>
    world.bothRefuse(
      orderWith({
        type: text("STOP_MARKET"),
        price: undefined,
        stopPrice: text("7000"),
        icebergQty: text("0.01"),
      }),
      refusal(-1106),
    ));
});

describe("numeric ids", () => {
  const look = (orderId: string) =>
    attack("GET", "/api/v2/order", { query: `symbol=BTC/USD&orderId=${orderId}&timestamp=${START_MS}` });
  const cancel = (orderId: string) =>
    attack("DELETE", "/api/v2/order", { query: `symbol=BTC/USD&orderId=${orderId}&nonce=1` });

  it.each(["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"])(
    "hostile 76: %s is not a managed order",
    async (orderId) => {
      await world.bothRefuse(look(orderId), NO_SUCH_ORDER);
      await world.bothRefuse(cancel(orderId), refusal(-2011));
    },
  );

  it.each([
    ["9223372036854775808", OVERFLOW],
    ["-9223372036854775809", OVERFLOW],
    ["-0", ILLEGAL, refusal(-1100)],
    ["1.0", ILLEGAL, refusal(-1100)],
    ["-256.0", ILLEGAL, refusal(-1100)],
    ["0x100", ILLEGAL, INVALID],
    ["-00", ILLEGAL, refusal(-1135)],
    ["", refusal(-1105), INVALID],
  ])("hostile 76: refuses the order id %s", async (orderId, expected, ofTheMessage = expected) => {
    await world.bothRefuse(look(orderId), expected, ofTheMessage);
    await world.bothRefuse(cancel(orderId), expected, ofTheMessage);
  });

  it("hostile 77: refuses the order id and client id of different orders", async () => {
    const other = await place(world, { newClientOrderId: "hostile-77" });
    const both = `symbol=BTC/USD&orderId=${other.body.orderId}&origClientOrderId=${BASE_ID}`;
    await world.bothRefuse(
      attack("GET", "/api/v2/order", { query: `${both}&timestamp=${START_MS}` }),
      refusal(-2039),
    );
    await world.bothRefuse(attack("DELETE", "/api/v2/order", { query: `${both}&nonce=77` }), refusal(-2039));
  });
});

describe("client ids", () => {
  it.each([
    ["", -1118],
    ["a".repeat(37), -1100],
    ["aqc-x", -1130],
    ["AQC-x", -1130],
    ["aQc-1-2-3", -1130],
    ["a b", -1100],
    ["a/b", -1100],
    ["a\\b", -1100],
    ["\ud83d\ude00", -1100],
    ["\u00e9", -1100],
    ["e\u0301", -1100],
    ["\u0131", -1100],
    ["..", -1130],
    [".", -1130],
  ])("hostile 78: refuses the new client id %j", (id, code) =>
    world.bothRefuse(orderWith({ newClientOrderId: text(id) }), refusal(code), refusal(code)),
  );

  it("hostile 78: refuses a line feed in a client id", () =>
    world.bothRefuse(orderWith({ newClientOrderId: '"a\\nb"' }), ILLEGAL));

  it.each(["a".repeat(36), "...", "A-z_0.9", "aqc", "aqcx-1"])("hostile 78: %s is accepted", async (id) => {
    expect(await world.accepts(orderWith({ newClientOrderId: text(id) }))).toMatchObject({
      clientOrderId: id,
    });
  });

  const lookUp = (ids: string) =>
    attack("GET", "/api/v2/order", { query: `symbol=BTC/USD&${ids}&timestamp=${START_MS}` });

  it("hostile 79: a client id of 64 characters can be looked up, one of 65 is refused", async () => {
    await world.bothRefuse(lookUp(`origClientOrderId=${"a".repeat(64)}`), NO_SUCH_ORDER);
    await world.bothRefuse(lookUp(`origClientOrderId=${"a".repeat(65)}`), ILLEGAL);
    await world.bothRefuse(lookUp("origClientOrderId="), refusal(-1119));
    await world.bothRefuse(lookUp("origClientOrderId=%C3%A9"), ILLEGAL, NO_ASCII);
    await world.bothRefuse(lookUp("origClientOrderId=aqc-1-2-3"), NO_SUCH_ORDER);
  });

  it("hostile 80: client-id aliases that differ are refused, equal ones accepted", async () => {
    const aliases = ["clientOrderId", "clOrdId", "clordid"];
    for (const alias of aliases) {
      await world.bothRefuse(lookUp(`origClientOrderId=${BASE_ID}&${alias}=other`), refusal(-1128));
      await world.bothRefuse(
        lookUp(`origClientOrderId=${BASE_ID}&${alias}=${BASE_ID.toUpperCase()}`),
        refusal(-1128),
      );
    }
    const all = ["origClientOrderId", ...aliases].map((alias) => `${alias}=${BASE_ID}`).join("&");
    expect(await world.accepts(lookUp(all))).toMatchObject({ orderId: world.orderId });
  });

  it("hostile 81: refuses the same id with a changed price, size, side or type", async () => {
    const changed = (from: string, to: string): string => BASE_ORDER.replace(from, to);
    await world.bothRefuse(order(changed('"7000"', '"7000.00000001"')), refusal(-2010));
    await world.bothRefuse(order(changed('"0.01"', '"0.010001"')), refusal(-2010));
    await world.bothRefuse(order(changed("BUY", "SELL")), refusal(-2010));
    await world.accepts(order(changed('"0.01"', '"0.010"')));
  });

  it("hostile 81: the same id 100 times at once is one order", async () => {
    const { records } = world.engine.metrics();
    const copies = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        world.accepts(
          order(BASE_ORDER.replace(BASE_ID, "hostile-81"), { key: KEYS.owner, query: `nonce=copy-${index}` }),
        ),
      ),
    );
    expect(new Set(copies.map(({ orderId }) => orderId)).size).toBe(1);
    expect(world.engine.metrics().records).toBe(records + 1);
  });
});
