import { describe, expect, it } from "vitest";
import type { OrderError } from "../../src/errors/index.ts";
import {
  mergeParameters,
  readBody,
  readFlatText,
  readForm,
  readQuery,
  singleHeader,
} from "../../src/wire/index.ts";
import { bytes } from "./refusal.ts";

function refused(read: () => unknown): readonly unknown[] {
  try {
    read();
  } catch (error) {
    return [(error as OrderError).reason, (error as OrderError).details];
  }
  throw new Error("was not refused");
}

const ILLEGAL = "ILLEGAL_CHARS";
const hundred = Array.from({ length: 101 }, (_, number) => `a${number}=1`).join("&");
const PAIRS = "name=value joined by &";
const RANGE = "a decimal in quotes, or a whole number";
const QUOTED = " A JSON number is not read as a decimal: put it in quotes, such as";

describe("a refused text names the field and the legal form", () => {
  it.each([
    ["a=1&&b=2", ILLEGAL, { field: "query", range: PAIRS }],
    ["a", ILLEGAL, { field: "a", range: "name=value with one =" }],
    ["a=1=2", ILLEGAL, { field: "a", range: "name=value with one =" }],
    ["a=%FF", ILLEGAL, { field: "a", range: "percent-encoded UTF-8" }],
    ["a=%0", ILLEGAL, { field: "a", range: "percent-encoded UTF-8" }],
    ["a=%00", ILLEGAL, { field: "a", range: "no control characters" }],
    ["a-b=1", ILLEGAL, { field: "a-b", range: "A-Za-z0-9_" }],
    ["=1", ILLEGAL, { field: "name", range: "A-Za-z0-9_" }],
    [`${"ü".repeat(60)}=1`, ILLEGAL, { field: "?".repeat(40), range: "percent-encoded UTF-8" }],
    ["a=1&a=2", "DUPLICATE_PARAMETER", { field: "a" }],
    [hundred, "TOO_MANY_PARAMETERS", { limit: 100, received: 101 }],
  ])("the query %s", (query, reason, details) => {
    expect(refused(() => readQuery(query))).toEqual([reason, details]);
  });

  it("a form is named as the body", () => {
    expect(refused(() => readForm("a=1&&b=2"))).toEqual([ILLEGAL, { field: "body", range: PAIRS }]);
  });

  it.each([
    ['{"a":1.5}', ILLEGAL, { field: "a", range: RANGE, advice: `${QUOTED} "1.5".` }],
    [
      `{"a":0.${"1".repeat(38)}}`,
      ILLEGAL,
      { field: "a", range: RANGE, advice: `${QUOTED} "0.${"1".repeat(38)}".` },
    ],
    [`{"a":0.${"1".repeat(39)}}`, ILLEGAL, { field: "a", range: RANGE, advice: `${QUOTED} "30000.5".` }],
    ['{"a":{}}', "NESTED_JSON", { field: "a" }],
    ['{"a":[]}', "NESTED_JSON", { field: "a" }],
    ['{"a":null}', "NESTED_JSON", { field: "a" }],
    ['{"a":"\\u0000"}', ILLEGAL, { field: "a", range: "no control characters" }],
    ['x"a":1}', "INVALID_JSON", {}],
    ['"a":1}', "INVALID_JSON", {}],
  ])("the JSON %s", (json, reason, details) => {
    expect(refused(() => readFlatText(json))).toEqual([reason, details]);
  });

  it("an object with more than 100 members", () => {
    const json = `{${Array.from({ length: 101 }, (_, number) => `"a${number}":1`).join(",")}}`;
    expect(refused(() => readFlatText(json))).toEqual(["TOO_MANY_PARAMETERS", { limit: 100, received: 101 }]);
  });

  it("a header", () => {
    const details = { field: "Content-Type", range: "printable ASCII" };
    expect(refused(() => singleHeader(["Content-Type", "é"], "Content-Type"))).toEqual([ILLEGAL, details]);
  });

  it.each([
    ["{}", "text/plain", "application/json"],
    ["a=1", "text/plain", "application/x-www-form-urlencoded"],
  ])("the body %s with the type %s", (body, type, due) => {
    const advice = `Send this body in UTF-8 with the Content-Type ${due}.`;
    expect(refused(() => readBody(bytes(body), type))).toEqual([
      "INVALID_PARAMETER",
      { field: "Content-Type", advice },
    ]);
  });

  it("a parameter in query and body", () => {
    expect(refused(() => mergeParameters(readQuery("a=1"), readForm("a=1")))).toEqual([
      "DUPLICATE_PARAMETER",
      { field: "a" },
    ]);
  });
});

describe("decimals in JSON, where they are asked for", () => {
  it("are kept as text, as sent", () => {
    const read = readFlatText('{"a":1.50,"b":-0.1,"c":7,"d":30000.5,"e":-12.25}', { decimals: true });
    expect([...read]).toEqual([
      ["a", { text: "1.50", kind: "text" }],
      ["b", { text: "-0.1", kind: "text" }],
      ["c", { text: "7", kind: "integer" }],
      ["d", { text: "30000.5", kind: "text" }],
      ["e", { text: "-12.25", kind: "text" }],
    ]);
  });

  it("have no exponent", () => {
    expect(refused(() => readFlatText('{"a":1.5e3}', { decimals: true }))).toEqual([
      ILLEGAL,
      { field: "a", range: RANGE, advice: "" },
    ]);
  });
});
