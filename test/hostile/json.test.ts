import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  BASE_ORDER,
  type HostileWorld,
  openHostileWorld,
  order,
  orderWith,
  refusal,
} from "../support/hostile-world.ts";

let world: HostileWorld;

beforeAll(async () => {
  world = await openHostileWorld();
});

afterAll(() => world.close());

const DUPLICATE = refusal(-1101);
const ILLEGAL = refusal(-1100);
const INVALID = refusal(-1130);
const NO_JSON = refusal(-1135);
const UNKNOWN_NAME = refusal(-1104);

/** {@link BASE_ORDER} with JSON text inserted before its last brace. */
const extended = (text: string): string => `${BASE_ORDER.slice(0, -1)},${text}}`;

it("valid requests are accepted", async () => {
  await world.accepts(order(BASE_ORDER));
  await world.accepts(order(extended('"reduceOnly":false')));
  await world.accepts(order(` ${BASE_ORDER}`.slice(1).replaceAll(",", " ,\n\t")));
});

describe("JSON", () => {
  it.each(['"price":"7000"', '"pr\\u0069ce":"7000"', '"price":"7001"', '"pr\\u0069ce":"1"'])(
    "hostile 34, 35, 55: refuses a repeated key, %s",
    (member) => world.bothRefuse(order(extended(member)), DUPLICATE),
  );

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "hostile 56: refuses the key %s",
    async (name) => {
      await world.bothRefuse(order(extended(`"${name}":"x"`)), UNKNOWN_NAME);
      await world.bothRefuse(order(extended(`"${name}":{"price":"1"}`)), INVALID);
      expect(({} as Record<string, unknown>).price).toBeUndefined();
    },
  );

  it.each(['{"a":1}', "{}", "[]", '["7000"]', "null"])("hostile 57: refuses the value %s", (value) =>
    world.bothRefuse(orderWith({ price: value }), INVALID),
  );

  it.each(["[]", '["a"]', '"text"', "5", "null", "true"])("hostile 58: refuses the document %s", (text) =>
    world.bothRefuse(order(text), NO_JSON),
  );

  it("hostile 58: refuses an empty body and an empty object", async () => {
    await world.bothRefuse(order(""), refusal(-1102));
    await world.bothRefuse(order("{}"), refusal(-1102));
  });

  it.each([
    ["two documents", `${BASE_ORDER}${BASE_ORDER}`],
    ["two documents and white space", `${BASE_ORDER}\n{}`],
    ["a trailing comma", BASE_ORDER.replace("}", ",}")],
    ["a leading comma", BASE_ORDER.replace("{", "{,")],
    ["a comment", BASE_ORDER.replace("{", "{/* x */")],
    ["NaN", extended('"reduceOnly":NaN')],
    ["single quotes", BASE_ORDER.replaceAll('"', "'")],
    ["a key without quotes", BASE_ORDER.replace('"side"', "side")],
    ["no end", BASE_ORDER.slice(0, -1)],
    ["white space of another kind", BASE_ORDER.replace("{", "{\u00a0")],
  ])("hostile 59: refuses %s", (_what, text) => world.bothRefuse(order(text), NO_JSON));

  it("hostile 60: refuses a byte order mark", () => world.bothRefuse(order(`\ufeff${BASE_ORDER}`), NO_JSON));

  it.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a cut sequence", [0xe2, 0x82]],
  ])("hostile 61: refuses invalid UTF-8, %s", (_what, bytes) => {
    const [before, after] = BASE_ORDER.split("hostile-base");
    const body = Buffer.concat([Buffer.from(before ?? ""), Buffer.from(bytes), Buffer.from(after ?? "")]);
    return world.refuses(order(body), NO_JSON);
  });

  it.each(["\\ud800", "\\udc00x", "\\u0000", "\\u2028", "\u2028", "\\u001f", "\\n"])(
    "hostile 62: refuses the character %j in a string",
    (character) => world.bothRefuse(orderWith({ newClientOrderId: `"a${character}"` }), ILLEGAL),
  );

  it("hostile 62: refuses a raw control character in a string", () =>
    world.bothRefuse(orderWith({ newClientOrderId: '"a\u0000"' }), NO_JSON));

  it("hostile 63: refuses 16,000 levels", async () => {
    const deep = `{"price":${"[".repeat(16_000)}${"]".repeat(16_000)}}`;
    await world.bothRefuse(order(deep), INVALID, NO_JSON);
    await world.bothRefuse(order('{"a":'.repeat(5_000) + "1".padEnd(5_001, "}")), INVALID, NO_JSON);
  });

  it.each([
    ["1", INVALID],
    ["0.01", ILLEGAL],
  ])("hostile 64: refuses the quantity as the number %s", (value, expected) =>
    world.bothRefuse(orderWith({ quantity: value }), expected),
  );

  it.each(['"true"', "1", "0", '"TRUE"', '""'])("hostile 65: refuses the boolean as %s", (value) =>
    world.bothRefuse(orderWith({ reduceOnly: value }), INVALID),
  );

  it.each([
    ["1e400", ILLEGAL],
    ["-0", ILLEGAL],
    ["1.0", ILLEGAL],
    ["1e3", ILLEGAL],
    ["01", NO_JSON],
    ["+1", NO_JSON],
    ["-1", ILLEGAL],
    ["99999999999999999999", refusal(-1108)],
  ])("hostile 66: refuses an integer as %s", (value, expected) =>
    world.bothRefuse(orderWith({ timeInForce: '"GTD"', expireTime: value }), expected),
  );

  it.each(["price3", "x", "limit", "origClientOrderId"])("hostile 67: refuses the unknown field %s", (name) =>
    world.bothRefuse(order(extended(`"${name}":"1"`)), UNKNOWN_NAME),
  );

  it.each(["orderId", "status", "executedQty", "accountId", "held", "apiState", "instrumentIds"])(
    "hostile 68: refuses the server's field %s",
    (name) => world.bothRefuse(order(extended(`"${name}":1`)), UNKNOWN_NAME),
  );

  it.each(["Symbol", "PRICE", "newclientorderid", "ReduceOnly"])("hostile 69: refuses the key %s", (name) =>
    world.bothRefuse(order(extended(`"${name}":"1"`)), UNKNOWN_NAME),
  );
});
