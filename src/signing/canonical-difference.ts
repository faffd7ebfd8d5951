/** Where two canonical strings first differ. */
export interface CanonicalDifference {
  /** Position of the first character that differs. */
  readonly at: number;
  /** The name of the parameter in which they differ, if it is in a query. */
  readonly parameter?: string;
  /** The expected text from shortly before that position. */
  readonly expected: string;
  /** The actual text from there. */
  readonly actual: string;
  /** The likely cause, as a sentence. */
  readonly cause: string;
}

/** Characters that are shown before and after the position. */
const BEFORE = 10;
const AFTER = 30;

/**
 * Returns where and why the string that one program signs differs from the string that another one signs, or undefined
 * if they are equal. Print the string that you sign (query, then body), and compare it with that of another client, or
 * with the bytes that were sent. Source: contract, Authentication.
 *
 * @example
 * ```ts
 * import { compareCanonical } from "managed-orders/signing";
 * const found = compareCanonical("symbol=BTC%2FUSD&timestamp=1", "symbol=BTC%2fUSD&timestamp=1");
 * console.log(found?.at, found?.parameter); // 12 symbol
 * console.log(found?.cause); // The percent escapes differ in letter case. Use upper case, such as %2F.
 * ```
 */
export function compareCanonical(expected: string, actual: string): CanonicalDifference | undefined {
  if (expected === actual) return undefined;
  let at = 0;
  while (expected.charAt(at) === actual.charAt(at)) at++;
  const parameter = parameterAt(expected, at) ?? parameterAt(actual, at);
  const start = Math.max(0, at - BEFORE);
  return {
    at,
    ...(parameter !== undefined && { parameter }),
    expected: expected.slice(start, at + AFTER),
    actual: actual.slice(start, at + AFTER),
    cause: causeOf(expected, actual),
  };
}

const ESCAPE = /%[0-9a-f]{2}/gi;

/** Ways in which two strings may differ: what both are reduced to, and what it means if they are equal then. */
const CAUSES: readonly (readonly [reduce: (text: string) => string, cause: string])[] = [
  [
    (text) => text.replace(/^\?/, ""),
    "One begins with the question mark of the address. Sign the query without it.",
  ],
  [
    (text) => text.replace(/&?signature=[0-9a-f]*/i, ""),
    "One contains the signature itself. Sign the query without it.",
  ],
  [
    (text) => text.replace(ESCAPE, (encoded) => encoded.toUpperCase()),
    "The percent escapes differ in letter case. Use upper case, such as %2F.",
  ],
  [
    (text) => text.replaceAll("+", "%20"),
    "One has a plus where the other has a space as %20. Sign and send %20.",
  ],
  [decoded, "The same values are percent-encoded differently. Sign the bytes that you send."],
  [
    (text) => text.replace(/[&\n](?=\{)/, ""),
    "One has a separator between query and body. Append the body without one.",
  ],
  [
    (text) => text.replace(/\s/g, ""),
    "They differ in white space only. Sign the bytes that you send, and send minified JSON.",
  ],
  [
    (text) => text.split("&").sort().join("&"),
    "The parameters are in another order. In REST, sign them in the order in which you send them; on WebSocket, sort them by name.",
  ],
];

function causeOf(expected: string, actual: string): string {
  const found = CAUSES.find(([reduce]) => reduce(expected) === reduce(actual));
  if (found !== undefined) return found[1];
  if (expected.startsWith(actual)) return "The actual text ends too early.";
  if (actual.startsWith(expected)) return "The actual text goes on after the end of the expected one.";
  return "The texts differ in a name or a value.";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the name of the parameter at a position, if that is in a query. */
function parameterAt(text: string, at: number): string | undefined {
  const body = text.indexOf("{");
  if (body >= 0 && body <= at) return undefined;
  const pair = text.slice(text.lastIndexOf("&", at - 1) + 1).split("&", 1)[0] ?? "";
  return pair.includes("=") ? pair.slice(0, pair.indexOf("=")) : undefined;
}
