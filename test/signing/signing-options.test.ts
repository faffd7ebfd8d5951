import { describe, expect, it } from "vitest";
import {
  derivedClientId,
  sign,
  signBody,
  signQuery,
  signSocketParameters,
  verifySignature,
} from "../../src/signing/index.ts";

const SECRET = "the API secret, a string that is not empty";
const PAYLOAD = "the text to sign, as a string or Uint8Array";
const PARAMETERS = 'an object of parameters by name, such as { symbol: "BTC/USD" }';
const QUERY = 'the query without its question mark, such as "timestamp=1760000000000"';

const parameters = { limit: 5 };
const functions: readonly (readonly [string, (options: never) => unknown, Record<string, unknown>])[] = [
  ["sign", sign, { secret: "s", payload: "text" }],
  ["signQuery", signQuery, { secret: "s", parameters }],
  ["signBody", signBody, { secret: "s", query: "", parameters }],
  ["signSocketParameters", signSocketParameters, { secret: "s", parameters }],
  ["derivedClientId", derivedClientId, { apiKey: "k", signature: "s", field: "f" }],
];
const wanted: Readonly<Record<string, string>> = {
  secret: SECRET,
  payload: PAYLOAD,
  parameters: PARAMETERS,
  query: QUERY,
};

describe.each(functions)("%s names the option that is wrong", (name, call, options) => {
  const given = (changes: Readonly<Record<string, unknown>>) => () =>
    call({ ...options, ...changes } as never);
  const needed = Object.keys(options);

  it.each([undefined, null, "s"])("%j in place of the options", (other) => {
    expect(() => call(other as never)).toThrow(
      new TypeError(`${name} must be an object with ${needed.join(", ")}`),
    );
  });

  it.each(needed)("%s is missing", (option) => {
    const expected = wanted[option] ?? "a string";
    expect(given({ [option]: undefined })).toThrow(
      new TypeError(`${name}.${option} is missing: pass ${expected}`),
    );
  });

  it.each(needed)("%s is missing, and another name stands in its place", (option) => {
    expect(given({ [option]: undefined, other: "s" })).toThrow(
      new TypeError(`unknown option \`other\` of ${name}; did you mean \`${option}\`?`),
    );
  });

  it.each(needed)("%s is of another kind", (option) => {
    expect(given({ [option]: 5 })).toThrow(
      new TypeError(`${name}.${option} must be ${wanted[option] ?? "a string"}`),
    );
  });
});

it("an empty secret is refused before it signs", () => {
  expect(() => sign({ secret: "", payload: "text" })).toThrow(
    new RangeError(`sign.secret must be ${SECRET}`),
  );
});

it.each([undefined, null, {}, 5])("verifySignature refuses the payload %j", (payload) => {
  const signature = "ab".repeat(32);
  const wrong = new TypeError(`verifySignature.payload must be ${PAYLOAD}`);
  expect(() => verifySignature({ secret: "s", payload: payload as never, signature })).toThrow(wrong);
});
