import { afterAll, beforeAll, describe, it } from "vitest";
import {
  type Attack,
  BASE_ORDER,
  type HostileWorld,
  openHostileWorld,
  order,
  orderWith,
  type Refusal,
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
  // One row for each kind; test/wire/ and test/requests/ have the values of each.
  it.each<[what: string, request: Attack, expected: Refusal, ofTheMessage?: Refusal]>([
    ["34: a repeated key", order(extended('"price":"7000"')), DUPLICATE],
    ["35: a repeated key with another value", order(extended('"price":"7001"')), DUPLICATE],
    ["55: a repeated key with an escape", order(extended('"pr\\u0069ce":"1"')), DUPLICATE],
    ["56: the key __proto__", order(extended('"__proto__":"x"')), UNKNOWN_NAME],
    ["56: an object under the key __proto__", order(extended('"__proto__":{"price":"1"}')), INVALID],
    ["57: an object", orderWith({ price: '{"a":1}' }), INVALID],
    ["57: a list", orderWith({ price: '["7000"]' }), INVALID],
    ["58: a document that is a list", order('["a"]'), NO_JSON],
    ["58: an empty body", order(""), refusal(-1102)],
    ["59: two documents", order(`${BASE_ORDER}\n{}`), NO_JSON],
    ["59: a trailing comma", order(BASE_ORDER.replace("}", ",}")), NO_JSON],
    ["59: a comment", order(BASE_ORDER.replace("{", "{/* x */")), NO_JSON],
    ["59: NaN", order(extended('"reduceOnly":NaN')), NO_JSON],
    ["60: a byte order mark", order(`\ufeff${BASE_ORDER}`), NO_JSON],
    ["62: a lone surrogate", orderWith({ newClientOrderId: '"a\\ud800"' }), ILLEGAL],
    ["62: an escaped control character", orderWith({ newClientOrderId: '"a\\u001f"' }), ILLEGAL],
    ["62: a raw control character", orderWith({ newClientOrderId: '"a\u0000"' }), NO_JSON],
    ["63: 16,000 levels", order(`{"price":${"[".repeat(16_000)}${"]".repeat(16_000)}}`), INVALID, NO_JSON],
    ["64: a quantity as a number", orderWith({ quantity: "0.01" }), ILLEGAL],
    ["65: a boolean in quotes", orderWith({ reduceOnly: '"true"' }), INVALID],
    ["66: an integer with an exponent", orderWith({ timeInForce: '"GTD"', expireTime: "1e3" }), ILLEGAL],
    ["66: an integer with a zero before it", orderWith({ expireTime: "01" }), NO_JSON],
    ["67: an unknown field", order(extended('"price3":"1"')), UNKNOWN_NAME],
    ["68: a field of the server", order(extended('"executedQty":1')), UNKNOWN_NAME],
    ["69: a key in capitals", order(extended('"PRICE":"1"')), UNKNOWN_NAME],
  ])("hostile %s", (_what, request, expected, ofTheMessage) =>
    ofTheMessage === undefined
      ? world.bothRefuse(request, expected)
      : world.bothRefuse(request, expected, ofTheMessage),
  );

  it("hostile 61: refuses invalid UTF-8", () => {
    const [before, after] = BASE_ORDER.split("hostile-base");
    const bytes = Buffer.from([0xed, 0xa0, 0x80]);
    return world.refuses(
      order(Buffer.concat([Buffer.from(before ?? ""), bytes, Buffer.from(after ?? "")])),
      NO_JSON,
    );
  });
});
