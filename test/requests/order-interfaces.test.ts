import ts from "typescript";
import { describe, expect, it } from "vitest";
import { OrderError } from "../../src/errors/index.ts";
import { type OrderFields, type Orders, oco, orderIntent, oto } from "../../src/requests/index.ts";
import { ORDER_FIELDS, type OrderFieldName } from "../../src/requests/order-fields.ts";
import { CANONICAL_TYPES } from "../../src/requests/order-type.ts";
import { compileAll, valuesOf } from "./compiled.ts";
import type { Fields } from "./support.ts";
import { moduleOf, RIGHT, WRONG } from "./wrong-orders.ts";

const right = RIGHT.map((call, index) => [`right-${index}`, moduleOf(call)] as const);
const wrong = Object.values(WRONG).map((call, index) => [`wrong-${index}`, moduleOf(call)] as const);

const compiled = compileAll({
  ...Object.fromEntries([...right, ...wrong]),
  types: `
    export type { OrderFields } from "../src/requests/index.ts";
    export type { FreeLeg, ProfitLeg, StopLeg } from "../src/requests/orders.ts";
  `,
});

/** A field as an interface declares it: whether it is optional, and every value worth trying. */
type Declared = Readonly<{ name: string; optional: boolean; values: readonly unknown[] }>;

/** The fields that a member of a union takes. */
function declared(member: ts.Type): readonly Declared[] {
  const { checker } = compiled;
  return checker.getPropertiesOfType(member).flatMap((property) => {
    const name = property.name as OrderFieldName;
    const optional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const { example } = ORDER_FIELDS[name];
    const values = valuesOf(checker, checker.getTypeOfSymbol(property)).map((value) => {
      if (typeof value !== "object") return value;
      expect(value, name).toEqual({ any: typeof example });
      return example;
    });
    return values.length === 0 ? [] : [{ name, optional, values }];
  });
}

const members = (name: string): readonly (readonly [string, readonly Declared[]])[] => {
  const type = compiled.typeOf("types", name);
  const each = type.isUnion() ? type.types : [type];
  return each.map((member) => [compiled.checker.typeToString(member), declared(member)]);
};

/** The types that a union names. */
const typesOf = (name: string): readonly unknown[] => [
  ...new Set(members(name).flatMap(([, fields]) => fields.find((field) => field.name === "type")?.values)),
];

/** An expiry belongs to GTD; every other field is independent of the rest. */
const whole = (fields: Fields): Fields =>
  fields.timeInForce === "GTD" && fields.goodTillDate === undefined
    ? { expireTime: ORDER_FIELDS.expireTime.example, ...fields }
    : fields;

/** Whether a reader accepts fields. */
type Accepts = (fields: Fields) => boolean;

/** A union of interfaces, the fields that may be sent to its reader, and the reader. */
type Union = Readonly<{ name: string; known: readonly string[]; accepts: Accepts }>;

const acceptedBy =
  (read: (fields: Fields) => unknown): Accepts =>
  (fields) => {
    try {
      read(whole(fields));
      return true;
    } catch (error) {
      if (error instanceof OrderError) return false;
      throw error;
    }
  };

/** The required fields of an interface. */
const requiredOf = (own: readonly Declared[]): Fields =>
  Object.fromEntries(own.filter(({ optional }) => !optional).map(({ name, values }) => [name, values[0]]));

const without = (fields: Fields, left: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== left));

/** Whether fields belong to an interface. */
const fits = (fields: Fields, own: readonly Declared[]): boolean =>
  Object.entries(fields).every(([name, value]) =>
    own.some((field) => field.name === name && field.values.includes(value)),
  ) && own.every(({ name, optional }) => optional || fields[name] !== undefined);

/** The differences between an interface and the table of fields. */
function differences(own: readonly Declared[], union: Union): readonly string[] {
  const { known, accepts } = union;
  const required = requiredOf(own);
  const names = new Set(own.map(({ name }) => name));
  const untaken = own.flatMap(({ name, values }) =>
    values
      .filter((value) => !accepts({ ...required, [name]: value }))
      .map((value) => `declared, but refused: ${name} ${value}`),
  );
  const spare = Object.keys(required)
    .filter((name) => accepts(without(required, name)))
    .filter((name) => !members(union.name).some(([, other]) => fits(without(required, name), other)))
    .map((name) => `declared as required, but it is optional: ${name}`);
  const missing = known
    .filter((name) => !names.has(name))
    .filter((name) => accepts({ ...required, [name]: ORDER_FIELDS[name as OrderFieldName].example }))
    .map((name) => `not declared, but taken: ${name}`);
  return [...untaken, ...spare, ...missing];
}

const NAMES = Object.keys(ORDER_FIELDS);

const LIST = { symbol: "BTC/USD", listClientOrderId: "list" };
const SIZED = { side: "BUY", quantity: ORDER_FIELDS.quantity.example };
const pending = { ...SIZED, type: "LIMIT", price: "1" };
const [profit, stop] = [
  { type: "LIMIT", price: "99999" },
  { type: "STOP", stopPrice: "1" },
];

const asOrder = acceptedBy((fields) =>
  orderIntent(fields as unknown as OrderFields, { clientId: () => "made" }),
);
const asLeg = acceptedBy((fields) =>
  oto({ ...LIST, working: { ...SIZED, ...fields }, pending } as unknown as Orders.OtoOrders),
);
const asExit = (fields: Fields): Accepts =>
  acceptedBy((leg) =>
    oco({ ...LIST, ...SIZED, side: "SELL", ...fields, ...leg } as unknown as Orders.OcoOrders),
  );
const asProfit = asExit({ stopLoss: stop });
const asStop = asExit({ takeProfit: profit });

const indented = (text: string): string => text.replace(/^/gm, "    ");

describe("the types of an order agree with the table of fields", () => {
  it.each(["OrderFields", "FreeLeg"])("%s names every type and every alias of one", (union) => {
    const scheduled = union === "FreeLeg" ? ["TWAP", "VWAP", "POV"] : [];
    const types = [...CANONICAL_TYPES.keys(), "LIMIT"].filter((type) => !scheduled.includes(type));
    expect([...typesOf(union)].sort()).toEqual(types.sort());
  });

  const own = NAMES.filter((name) => name !== "side" && name !== "quantity");
  const unions: readonly Union[] = [
    { name: "OrderFields", known: NAMES, accepts: asOrder },
    { name: "FreeLeg", known: own, accepts: asLeg },
  ];
  const each = unions.flatMap((union) =>
    members(union.name).map(([name, fields]) => ({ name, fields, union })),
  );

  it.each(each)("$name: required, optional and refused fields, and their values", ({ fields, union }) => {
    expect(differences(fields, union)).toEqual([]);
  });

  it("each leg is a take-profit or a stop of a pair according to its type", () => {
    const inUnion = (union: string): unknown[] => members(union).map(([name]) => name);
    const taken = (part: string, accepts: Accepts): unknown[] =>
      members("FreeLeg")
        .filter(([, own]) => accepts({ [part]: requiredOf(own) }))
        .map(([name]) => name);
    expect(taken("takeProfit", asProfit).sort()).toEqual(inUnion("ProfitLeg").sort());
    expect(taken("stopLoss", asStop).sort()).toEqual(inUnion("StopLeg").sort());
  });
});

describe("a wrong order does not compile, and the message names the mistake", () => {
  it("right orders compile", () => {
    expect(right.flatMap(([name]) => compiled.messagesOf(name))).toEqual([]);
  });

  it("wrong orders have one message each", async () => {
    const answer = Object.entries(WRONG).map(([mistake, call], index) => {
      const messages = compiled.messagesOf(`wrong-${index}`);
      expect(messages, mistake).toHaveLength(1);
      return `${mistake}\n  ${call}\n${indented(messages[0] ?? "")}`;
    });
    await expect(`${answer.join("\n\n")}\n`).toMatchFileSnapshot("wrong-orders.txt");
  });
});
