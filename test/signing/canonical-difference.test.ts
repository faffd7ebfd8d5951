import { describe, expect, it } from "vitest";
import { compareCanonical, signBody } from "../../src/signing/index.ts";

const QUERY = "symbol=BTC%2FUSD&newClientOrderId=a%20b&timestamp=1760000000000";

describe("where two canonical strings differ", () => {
  it.each([
    ["a question mark", `?${QUERY}`, 0, "symbol", "question mark"],
    [
      "the signature itself",
      `${QUERY}&signature=${"ab".repeat(32)}`,
      QUERY.length,
      "timestamp",
      "signature itself",
    ],
    ["escapes in lower case", QUERY.replace("%2F", "%2f"), 12, "symbol", "letter case"],
    ["a plus for a space", QUERY.replace("%20", "+"), 35, "newClientOrderId", "plus"],
    ["no escapes", QUERY.replace("%2F", "/"), 10, "symbol", "percent-encoded differently"],
    ["another order", QUERY.split("&").reverse().join("&"), 0, "symbol", "another order"],
    ["another value", QUERY.replace("1760", "1761"), 53, "timestamp", "a name or a value"],
    ["an end that is missing", QUERY.slice(0, 20), 20, "newClientOrderId", "too early"],
    ["a line feed at the end", `${QUERY}\n`, QUERY.length, "timestamp", "white space"],
  ])("%s", (_what, actual, at, parameter, cause) => {
    const found = compareCanonical(QUERY, actual);
    expect([found?.at, found?.parameter]).toEqual([at, parameter]);
    expect(found?.cause).toContain(cause);
    expect(QUERY.slice(Math.max(0, at - 10))).toContain(found?.expected ?? "nothing");
  });

  it("the excerpts begin ten characters before the difference and end thirty after it", () => {
    const found = compareCanonical(
      `${"a".repeat(40)}b${"c".repeat(40)}`,
      `${"a".repeat(40)}d${"e".repeat(40)}`,
    );
    const before = "a".repeat(10);
    expect([found?.expected, found?.actual]).toEqual([
      `${before}b${"c".repeat(29)}`,
      `${before}d${"e".repeat(29)}`,
    ]);
  });

  it.each([
    ["a question mark inside a value", "a=1?b", "a=1b", "a name or a value"],
    ["nothing but the signature", "", `signature=${"ab".repeat(32)}`, "signature itself"],
    ["escapes of other characters", "a=%2F", "a=%2B", "a name or a value"],
    ["an escape and a percent sign that is none", "a=%", "a=%25", "percent-encoded differently"],
    ["the digits of a value in another order", "a=12&b=3", "a=21&b=3", "a name or a value"],
    ["parameters that are divided elsewhere", "ab&c", "a&bc", "a name or a value"],
    ["a parameter more", QUERY, `${QUERY}&limit=5`, "goes on after the end"],
  ])("the cause is not guessed: %s", (_what, expected, actual, cause) => {
    expect(compareCanonical(expected, actual)?.cause).toContain(cause);
  });

  it.each([
    ["a separator belongs to the pair that it ends", "a=1&b=2", "a=1b=2", "a"],
    ["a value before a body", 'a=1{"b":2}', 'a=2{"b":2}', "a"],
    ["a text that is no pair has none", "abc", "abd", undefined],
    ["a body has none", '{"a":"b=c"}', '{"a":"b=d"}', undefined],
    ["a body after a text that is no pair has none", 'x{"a":"="}', "xy", undefined],
  ])("the name of the parameter: %s", (_what, expected, actual, parameter) => {
    expect(compareCanonical(expected, actual)?.parameter).toBe(parameter);
  });

  it("query and body: a separator, and white space in the JSON", () => {
    const [query, body] = ["nonce=1", '{"a":"b","c":1}'];
    const expected = `${query}${body}`;
    expect(compareCanonical(expected, `${query}&${body}`)).toMatchObject({ at: 7 });
    expect(compareCanonical(expected, `${query}&${body}`)?.cause).toContain("separator");
    const spaced = compareCanonical(expected, `${query}{"a": "b", "c": 1}`);
    expect(spaced?.cause).toContain("white space");
    expect(spaced).not.toHaveProperty("parameter");
  });

  it("equal strings do not differ", () => {
    expect(compareCanonical(QUERY, QUERY)).toBeUndefined();
    expect(compareCanonical("", "")).toBeUndefined();
  });

  it("a question mark in front of a query is refused by name before it is signed", () => {
    const sign = (): unknown => signBody({ secret: "s", query: "?nonce=1", parameters: {} });
    expect(sign).toThrow("signBody.query must not begin with a question mark");
  });
});
