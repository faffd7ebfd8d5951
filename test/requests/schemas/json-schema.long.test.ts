import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { OrderError } from "../../../src/errors/index.ts";
import { ORDER_TYPES } from "../../../src/model/index.ts";
import { findRoute, METHODS, ROUTES, type RouteName, type SessionAct } from "../../../src/requests/index.ts";
import { type JsonSchema, type RequestSchema, requestSchema } from "../../../src/requests/schemas/index.ts";
import type { Parameters } from "../../../src/wire/index.ts";
import { type Fields, json, query } from "../support.ts";
import { SUBJECTS, type Subject, TYPES_WITHOUT_A_BASE, wholeSchema } from "./json-schema-bases.ts";

type Name = RouteName | SessionAct;

const NAMES: readonly Name[] = [
  ...new Set([
    ...ROUTES.map(({ name }) => name),
    ...METHODS.flatMap((method) => ("act" in method ? [method.act] : [])),
  ]),
];

const SCHEMAS = new Map(NAMES.map((name) => [name, requestSchema(name)]));
const schemaOf = (name: Name): RequestSchema => SCHEMAS.get(name) as RequestSchema;

/** Every parameter that any route knows, including the type-specific ones of orders, and an unknown one. */
const EVERY_NAME = [...new Set([...SCHEMAS.values()].flatMap(({ properties }) => Object.keys(properties)))];

const isPublic = (name: Name): boolean => ROUTES.find((route) => route.name === name)?.access === "PUBLIC";

const SUBJECT_LIST = Object.entries(SUBJECTS) as readonly (readonly [Name, Subject])[];

const EXAMPLES = new Map(
  EVERY_NAME.map((name) => [
    name,
    [...SCHEMAS.values()].flatMap(({ properties }) => properties[name]?.examples ?? [])[0],
  ]),
);
const exampleOf = (name: string): unknown => EXAMPLES.get(name);

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: false });
ajv.addFormat("int64", true);

const validators = new Map<Name, ValidateFunction>();
const validatorOf = (name: Name): ValidateFunction => {
  const known = validators.get(name) ?? ajv.compile(wholeSchema(schemaOf(name)));
  validators.set(name, known);
  return known;
};

function accepts({ read }: Subject, parameters: () => Parameters): boolean {
  try {
    read(parameters());
    return true;
  } catch (error) {
    if (error instanceof OrderError) return false;
    throw error;
  }
}

/** Refusals for conflicts of two fields, or from the catalogue; descriptions state them in words. */
const UNREPORTED = new Set([
  "TIMES_REVERSED",
  "BAD_PRICE_RELATION",
  "ICEBERG_EXCEEDS_QUANTITY",
  "DUPLICATE_ORDER",
  "BAD_SYMBOL",
]);
const EXPIRY = /expireTime|goodTillDate/i;
/** Fields whose values must agree. */
const AGREEING = /expireTime|goodTillDate|clientOrderId|clOrdId|intervalCount/i;
/** Decimals and weights that are all zeros, and a single weight: patterns without look-ahead allow them. */
const NOTHING_IN_IT = /^[0.,]+$|^[0-9]{1,15}$/;

/** Whether the reader refuses a request for a reason that these JSON Schemas do not express. */
function refusesUnreported({ read }: Subject, sent: Fields): boolean {
  try {
    read(json(sent));
  } catch (error) {
    if (!(error instanceof OrderError)) throw error;
    const { field = "", reason } = error;
    const value = sent[field];
    if (reason === "BAD_INTERVAL" && typeof value === "number")
      return value % 60_000 !== 0 || value > 15_360_000;
    if (reason === "INVALID_PARAMETER" && typeof value === "string") return NOTHING_IN_IT.test(value);
    if (reason === "INVALID_PARAMETER" && field === "intervalCount") return Number(value) <= 10_000;
    if (reason === "BAD_COMBINATION") return AGREEING.test(String(error.details.fields));
    if (reason === "OCO_TYPE_REJECTED") return value !== "ICEBERG";
    return UNREPORTED.has(reason) || reason.includes("OCO_") || EXPIRY.test(field);
  }
  return false;
}

/**
 * LIMIT takes the fields of all its possible meanings, its reader those of the meaning that the other fields select. A schema does
 * not say what a leg needs that may be left out, its reader does.
 */
const isOpen = (name: Name, { type, ...fields }: Fields): boolean =>
  (name === "order.place" && type === "LIMIT") ||
  (/bracket|oca/.test(name) && Object.keys(fields).some((field) => /^takeProfit|^leg([3-9]|10)/.test(field)));

const TEXTS = [
  "",
  "0",
  "0.0",
  "1",
  "00000001.5",
  "1e3",
  "+1",
  "-1",
  ".5",
  "1.",
  "a b",
  "é",
  "aqc-1",
  "AQC-1",
  ".",
  "..",
  "1,2",
  "x,1",
];
const LONG = [
  "1".repeat(20),
  "1".repeat(21),
  `${"0".repeat(19)}1`,
  "a".repeat(36),
  "a".repeat(37),
  "b".repeat(64),
  "b".repeat(65),
  "9".repeat(10),
  "9".repeat(12),
  "9".repeat(13),
  "0.123456",
  "0.1234567",
  "0.12345678",
  "0.123456789",
  "99.99999999",
  "100",
];
const KINDS: Readonly<Record<string, readonly unknown[]>> = {
  string: [...TEXTS, ...LONG, true, 5],
  integer: [-1, 0, 1, 2, 9_999, 10_000, 10_001, Number.MAX_SAFE_INTEGER, "1", true],
  number: [-1, 0, 1, 5_001, "1", true],
  boolean: [true, false, "true", 1],
};

/** Named values of a property: its example, its few values and, for a type, the values of other types. */
const namedValues = (field: string, { examples, enum: some }: JsonSchema): readonly unknown[] => [
  ...(examples as []),
  ...((some ?? []) as []),
  ...(field.endsWith("Type") ? ORDER_TYPES : []),
];

/** Values to try once: those of another kind, and those at the limits. */
function probesOf({ type, minimum, maximum }: JsonSchema): readonly unknown[] {
  const bounds = [minimum, maximum].filter((bound) => typeof bound === "number");
  const around = bounds.flatMap((bound) => [bound - 1, bound, bound + 1].filter(Number.isSafeInteger));
  return [...(KINDS[String(type)] ?? []), ...around];
}

/** A request without each of its fields, and with each named value. */
function neighboursOf(name: Name, base: Fields): readonly Fields[] {
  const { properties } = schemaOf(name);
  const without = Object.keys(base).map((left): Fields => ({ ...base, [left]: undefined }));
  const withValue = Object.entries(properties).flatMap(([field, schema]) =>
    field === "type" ? [] : namedValues(field, schema).map((value): Fields => ({ ...base, [field]: value })),
  );
  return [base, ...without, ...withValue].map(asSent);
}

/** Each property of a route with all its probes, in the first request that accepts its example. */
function probedOf(name: Name, { read, bases }: Subject): readonly Fields[] {
  return Object.entries(schemaOf(name).properties).flatMap(([field, schema]) => {
    const [example] = schema.examples as readonly unknown[];
    const takes = (base: Fields): boolean =>
      accepts({ read, bases }, () => json(asSent({ ...base, [field]: example })));
    const base = Object.values(bases).find(takes);
    return base === undefined || field === "type"
      ? []
      : probesOf(schema).map((probe) => asSent({ ...base, [field]: probe }));
  });
}

const asSent = (fields: Fields): Fields => JSON.parse(JSON.stringify(fields)) as Fields;

/** Reader and schema agree about a request in JSON; a request accepted in JSON is accepted in a query too. */
function expectSame(name: Name, subject: Subject, sent: Fields): void {
  const taken = accepts(subject, () => json(sent));
  if (taken && !accepts(subject, () => query(sent)))
    expect.fail(`not taken in a query: ${JSON.stringify(sent)}`);
  if (refusesUnreported(subject, sent) || (!taken && isOpen(name, sent))) return;
  if (validatorOf(name)(sent) !== taken) {
    expect.fail(
      `the reader ${taken ? "takes what the schema refuses" : "refuses what the schema takes"}: ${JSON.stringify(sent)}`,
    );
  }
}

describe("request schemas", () => {
  it("there is a reader with a request for every route and act that has parameters", () => {
    const withParameters = NAMES.filter((name) => Object.keys(schemaOf(name).properties).length > 0);
    expect(Object.keys(SUBJECTS).sort()).toEqual([...withParameters].sort());
    expect(TYPES_WITHOUT_A_BASE).toEqual([]);
    expect(findRoute("GET", "/api/ping")).toMatchObject({ name: "ping" });
  });

  it.each(SUBJECT_LIST)("%s: every property has a description and a valid example", (name) => {
    for (const [property, schema] of Object.entries(schemaOf(name).properties)) {
      const takes = ajv.compile(schema);
      const [example] = schema.examples as readonly unknown[];
      expect(schema.description, property).toMatch(/^[A-Z].*\.$/);
      expect(takes(example), `${property} ${String(example)}`).toBe(true);
    }
  });

  it.each(SUBJECT_LIST)("%s: reader and schema accept the same requests", (name, subject) => {
    for (const [title, base] of Object.entries(subject.bases)) {
      expect(
        accepts(subject, () => json(base)),
        title,
      ).toBe(true);
      for (const sent of neighboursOf(name, base)) expectSame(name, subject, sent);
    }
    for (const sent of probedOf(name, subject)) expectSame(name, subject, sent);
  });

  it.each(SUBJECT_LIST)(
    "%s: reader and schema refuse an undocumented name, and accept one that is not read",
    (name, subject) => {
      const { properties, unread } = schemaOf(name);
      const others = [...EVERY_NAME, "stranger"].filter((other) => properties[other] === undefined);
      const strangers = isPublic(name) ? [] : others.filter((other) => !unread.includes(other));
      const validator = validatorOf(name);
      for (const [title, base] of Object.entries(subject.bases)) {
        const answers = (added: string): readonly boolean[] => {
          const sent = asSent({ ...base, [added]: exampleOf(added) ?? "x" });
          return [accepts(subject, () => json(sent)), validator(sent)];
        };
        expect(
          unread.filter((added) => answers(added).includes(false)),
          title,
        ).toEqual([]);
        expect(
          strangers.filter((added) => answers(added).includes(true)),
          title,
        ).toEqual([]);
      }
    },
  );

  it("an iceberg by its name cannot be a leg of a pair, but may be one of an OTO", () => {
    const typesOf = (name: Name, field: string): unknown => schemaOf(name).properties[field]?.enum;
    expect(typesOf("orderList.place.oto", "pendingType")).toContain("ICEBERG");
    for (const [name, field] of [
      ["orderList.place.oco", "aboveType"],
      ["orderList.place.otoco", "pendingBelowType"],
    ] as const) {
      expect(typesOf(name, field)).not.toContain("ICEBERG");
      expect(typesOf(name, field)).toContain("LIMIT");
    }
  });
});
