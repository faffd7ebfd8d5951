import { describe, expect, it } from "vitest";
import { localChecks } from "../../../src/client/index.ts";
import type { ListForm, OrderFields } from "../../../src/requests/index.ts";
import { fieldOf, newId, requestOf } from "../../../src/sandbox/console/requests.ts";
import {
  type BestQuote,
  defaultsOf,
  FIELDS,
  fieldsOf,
  KINDS,
  type KindName,
  kindOf,
  moved,
  type Values,
} from "../../../src/sandbox/console/ticket.ts";

const NOW = 1_760_000_000_000;
const QUOTES: Readonly<Record<string, BestQuote>> = {
  "BTC/USD": { bid: "60000.12", ask: "60001.5" },
  "SOL/USD": { bid: "150", ask: "150.01" },
  "a cheap market": { bid: "0.52", ask: "0.5201" },
};
const kinds = Object.keys(KINDS) as KindName[];

/** The values that the form of a kind has before a person changes it. */
function filled(kind: KindName, side: "BUY" | "SELL", quote: BestQuote): Values {
  const defaults = defaultsOf(kind, side, quote);
  return Object.fromEntries(fieldsOf(kind).needs.map((name) => [name, defaults[name] ?? ""]));
}

const made = (kind: KindName, values: Values): ReturnType<typeof requestOf> =>
  requestOf(kind, "BTC/USD", { values, nowMs: NOW, id: "an-id" });

const orderOf = (kind: KindName, values: Values): OrderFields => {
  const request = made(kind, values);
  if (request.form !== "order") throw new Error(`${kind} is a list`);
  return request.order;
};

describe("the form of an order", () => {
  it("the default distance of a trailing stop is about the same in each unit", () => {
    const trails = ["bps", "percent", "amount"].map(
      (unit) => defaultsOf("TRAILING_STOP_MARKET", "SELL", { bid: "60000", ask: "60001" }, unit).trail,
    );
    expect(trails).toEqual(["6", "0.06", "36"]);
  });

  const cases = kinds.flatMap((kind) =>
    Object.keys(QUOTES).flatMap((market) =>
      (["SELL", "BUY"] as const).map((side) => [kind, side, market] as const),
    ),
  );

  it.each(cases)("%s %s: the defaults of %s pass the rules of the service", (kind, side, market) => {
    const request = made(kind, filled(kind, side, QUOTES[market] ?? { bid: "1", ask: "1" }));
    const refusal =
      request.form === "order"
        ? localChecks.order({ ...request.order }, NOW)
        : localChecks.list(request.form as ListForm, { ...request.list });
    expect(refusal?.message).toBeUndefined();
  });

  it("every kind has each of its fields once, and every field belongs to a kind", () => {
    for (const kind of kinds) {
      const names = Object.values(fieldsOf(kind)).flat();
      expect([kind, new Set(names).size]).toEqual([kind, names.length]);
    }
    const used = new Set(kinds.flatMap((kind) => Object.values(fieldsOf(kind)).flat()));
    expect(Object.keys(FIELDS).filter((name) => !used.has(name as keyof typeof FIELDS))).toEqual([]);
  });

  it("a text that is wrong goes to the rules as it is, so that they name the field", () => {
    const values = filled("STOP_MARKET", "SELL", { bid: "60000", ask: "60001" });
    const refusal = localChecks.order({ ...orderOf("STOP_MARKET", { ...values, stopPrice: "1,5" }) }, NOW);
    expect(refusal?.details["field"] ?? refusal?.message).toMatch(/stopPrice/);
    const trailing = orderOf("TRAILING_STOP_MARKET", {
      side: "SELL",
      quantity: "1",
      trail: "six",
      trailBy: "bps",
    });
    expect(localChecks.order({ ...trailing }, NOW)?.message).toMatch(/trailingDelta/);
  });

  it("a field of a request that is refused leads back to the field of the form", () => {
    for (const kind of kinds) {
      const names = Object.values(fieldsOf(kind))
        .flat()
        .filter((name) => FIELDS[name].kind !== "choice");
      const texts = Object.fromEntries(names.map((name) => [name, `text of ${name}`]));
      const request = made(kind, { ...texts, side: "SELL", trailBy: "amount" });
      const members = Object.entries(request.form === "order" ? request.order : request.list);
      const found = members.flatMap(([member, text]) => {
        const [, source] = /^text of (\w+)/.exec(String(text)) ?? [];
        return source === undefined ? [] : [[source, fieldOf(kind, member)]];
      });
      expect(found.filter(([source, field]) => source !== field)).toEqual([]);
      expect(new Set(found.map(([source]) => source))).toEqual(
        new Set(names.filter((name) => name !== "reduceOnly")),
      );
    }
    expect([fieldOf("STOP_MARKET", "price"), fieldOf("POV", "constructor")]).toEqual([undefined, undefined]);
  });

  it("empty fields are left out, and settings become their members", () => {
    expect(
      orderOf("STOP_MARKET", { side: "SELL", quantity: "1", stopPrice: "5", minutes: "", reduceOnly: "" }),
    ).toEqual({
      ...{ symbol: "BTC/USD", type: "STOP_MARKET", newClientOrderId: "an-id" },
      ...{ side: "SELL", quantity: "1", stopPrice: "5" },
    });
    const values = { minutes: "2", reduceOnly: "true", childTimeInForce: "FOK", clientId: "mine" };
    expect(orderOf("STOP_MARKET", { side: "SELL", quantity: "1", stopPrice: "5", ...values })).toMatchObject({
      ...{ expireTime: NOW + 120_000, reduceOnly: true, childTimeInForce: "FOK", newClientOrderId: "mine" },
    });
  });

  it("a trailing stop has its distance under the name of its unit, and its gate as stop price", () => {
    const at = (trailBy: string): OrderFields =>
      orderOf("TRAILING_STOP_MARKET", { side: "SELL", quantity: "1", trail: "7", trailBy, gate: "9" });
    expect(at("bps")).toMatchObject({ trailingDelta: 7, stopPrice: "9" });
    expect(at("percent")).toMatchObject({ price2: "7" });
    expect(at("amount")).toMatchObject({ trailingAmount: "7" });
  });

  it("a schedule with a worst price is a LIMIT with its strategy", () => {
    const values = { side: "BUY", quantity: "1", slots: "2", seconds: "3", delaySeconds: "4", cap: "5" };
    expect(orderOf("TWAP", values)).toMatchObject({
      ...{ type: "LIMIT", targetStrategy: 180, price: "5" },
      ...{ interval: 3_000, intervalCount: 2, intervalDelay: 4_000 },
    });
  });

  it("of a bracket that buys, the profit is above the stop; of one that sells, below", () => {
    const values = { quantity: "1", entryPrice: "10", profitPrice: "12", stopPrice: "9" };
    expect(made("OTOCO", { ...values, side: "BUY" })).toMatchObject({
      list: { workingSide: "BUY", pendingSide: "SELL", pendingAbovePrice: "12", pendingBelowStopPrice: "9" },
    });
    expect(made("OTOCO", { ...values, side: "SELL" })).toMatchObject({
      list: { workingSide: "SELL", pendingSide: "BUY", pendingBelowPrice: "12", pendingAboveStopPrice: "9" },
    });
  });

  it("ids of the page are client ids, and say what an order is", () => {
    for (const kind of kinds) expect(newId(kind, NOW)).toMatch(/^[a-z-]{3,30}-[0-9a-z]{5}$/);
    expect([newId("OTOCO", NOW), newId("OCO", NOW)].map((id) => id.replace(/-[^-]*$/, ""))).toEqual([
      "bracket",
      "oco",
    ]);
  });

  it("a kind that the page does not know is the first one", () => {
    expect([kindOf("POV"), kindOf("constructor"), kindOf("")]).toEqual([
      "POV",
      "TRAILING_STOP_MARKET",
      "TRAILING_STOP_MARKET",
    ]);
  });
});

describe("default prices", () => {
  it("are exact, and rounded as a person would write them", () => {
    expect([moved("60000.12", -8), moved("60000.12", 8), moved("0.52", 8), moved("0.52", 0)]).toEqual([
      "59952.11",
      "60048.12",
      "0.520416",
      "0.52",
    ]);
  });

  it("lie on the side of the market where the order waits", () => {
    const quote = { bid: "60000", ask: "60001" };
    const at = (kind: KindName, side: "BUY" | "SELL"): Values => filled(kind, side, quote);
    const below = (text: string | undefined): boolean => Number(text) < 60_000;
    expect([
      below(at("STOP_MARKET", "SELL")["stopPrice"]),
      below(at("STOP_MARKET", "BUY")["stopPrice"]),
    ]).toEqual([true, false]);
    expect([
      below(at("TAKE_PROFIT_MARKET", "SELL")["stopPrice"]),
      below(at("TAKE_PROFIT_MARKET", "BUY")["stopPrice"]),
    ]).toEqual([false, true]);
    expect([below(at("LIMIT_MAKER", "SELL")["price"]), below(at("LIMIT_MAKER", "BUY")["price"])]).toEqual([
      false,
      true,
    ]);
  });

  it("are absent before the first quote", () => {
    expect(defaultsOf("STOP_MARKET", "SELL", undefined)).not.toHaveProperty("stopPrice");
  });
});
