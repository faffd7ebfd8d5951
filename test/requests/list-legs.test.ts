import { describe, expect, it } from "vitest";
import type { ListForm } from "../../src/requests/index.ts";
import { prefixed } from "./arbitraries.ts";
import { type Fields, listEverywhere, listRefused } from "./support.ts";

const at = 2_000_000_000_000;
const list = { symbol: "BTC/USD", listClientOrderId: "list-1" };

/** Shared size of the legs of a pair, under the names of its form. */
const SIZE: Readonly<Record<string, Fields>> = {
  oco: { side: "SELL", quantity: "0.5" },
  otoco: { pendingSide: "SELL", pendingQuantity: "0.5" },
  oto: {},
};

/** A leg that is valid in its place. */
const LEGS: Readonly<Record<string, Fields>> = {
  above: { type: "TAKE_PROFIT_LIMIT", stopPrice: "8000", price: "7990" },
  below: { type: "STOP_LOSS_LIMIT", stopPrice: "7000", price: "6990" },
  pendingAbove: { type: "TAKE_PROFIT_LIMIT", stopPrice: "8000", price: "7990" },
  pendingBelow: { type: "STOP_LOSS_LIMIT", stopPrice: "7000", price: "6990" },
  working: { type: "STOP_LOSS_LIMIT", side: "BUY", quantity: "0.5", stopPrice: "7600", price: "7700" },
  pending: { type: "TAKE_PROFIT_LIMIT", side: "SELL", quantity: "0.25", stopPrice: "8000", price: "7990" },
};

const FORMS: Readonly<Record<"oco" | "oto" | "otoco", readonly string[]>> = {
  oco: ["above", "below"],
  oto: ["working", "pending"],
  otoco: ["working", "pendingAbove", "pendingBelow"],
};

/** A list of a form; the fields win in the leg of this prefix. */
function listOf(form: ListForm, changed: string, fields: Fields): Fields {
  const legs = FORMS[form as keyof typeof FORMS].map((prefix) =>
    prefixed(prefix, { ...LEGS[prefix], ...(prefix === changed ? fields : {}) }),
  );
  return Object.assign({}, list, SIZE[form], ...legs);
}

const PLACES = Object.entries(FORMS).flatMap(([form, prefixes]) =>
  prefixes.map((prefix): readonly [ListForm, string] => [form as ListForm, prefix]),
);

describe.each(PLACES)("contract, List creation rules 2-4: %s, the leg %s", (form, prefix) => {
  const usual = LEGS[prefix] as Readonly<Record<string, string>>;
  const micros = (text: string): number => Number(text) * 1e6;
  const scaled = (text: string): number => Number(text) * 1e8;

  it("every field of it reaches it, and no other leg", () => {
    const own = {
      clientOrderId: "mine",
      trailingDelta: 150,
      icebergQty: "0.1",
      timeInForce: "GTD",
      expireTime: at,
      reduceOnly: true,
      childTimeInForce: "FOK",
    };
    const { legs } = listEverywhere(form, listOf(form, prefix, own));
    const [leg, ...more] = legs.filter(({ generatedClientId }) => !generatedClientId);
    expect(more).toEqual([]);
    expect(leg?.intent).toEqual({
      symbol: "BTC/USD",
      side: usual.side ?? "SELL",
      type: usual.type,
      quantity: micros(usual.quantity ?? "0.5"),
      price: scaled(usual.price ?? ""),
      stopPrice: scaled(usual.stopPrice ?? ""),
      trailing: { kind: "bps", bps: 150 },
      icebergQuantity: 100_000,
      timeInForce: "GTD",
      expireTimeMs: at,
      reduceOnly: true,
      childTimeInForce: "FOK",
      clientOrderId: "mine",
    });
    for (const other of legs.filter((each) => each !== leg)) {
      expect(other.intent).toMatchObject({ timeInForce: "GTC", childTimeInForce: "IOC" });
      expect(other.intent).toMatchObject({ reduceOnly: false });
      for (const name of ["trailing", "icebergQuantity", "expireTimeMs"])
        expect(other.intent).not.toHaveProperty(name);
    }
  });

  it.each([
    ["TWAP", 180, { interval: 60_000, intervalCount: 2 }],
    ["VWAP", 1_000_002, { volumeProfile: "1,2", interval: 60_000 }],
    ["POV", 1_000_004, { participationBips: 100 }],
  ])("rule 8: %s is refused by name and as a capped LIMIT", (type, targetStrategy, fields) => {
    const none = { stopPrice: undefined, price: undefined };
    // In a pair, it is first of all neither a stop nor a limit nor a take-profit.
    const byName = /above|below/i.test(prefix) ? -1158 : -1014;
    listRefused(form, listOf(form, prefix, { ...none, type, ...fields }), [byName, `${prefix}Type`]);
    const capped = { ...none, type: "LIMIT", price: "7500", targetStrategy, ...fields };
    listRefused(form, listOf(form, prefix, capped), [-1014, `${prefix}TargetStrategy`]);
  });
});

it.each(["targetStrategy", "limitTargetStrategy", "stopTargetStrategy", "interval", "participationBips"])(
  "contract rule 8: a legacy OCO does not know %s",
  (field) => {
    const pair = { ...list, side: "SELL", quantity: "0.5", price: "8000", stopPrice: "7000" };
    expect(listEverywhere("legacyOco", pair).legs).toHaveLength(2);
    listRefused("legacyOco", { ...pair, [field]: 180 }, [-1104, field]);
  },
);
