/** A run of digits that a double may round. */
const LONG_RUN = /[0-9]{16}/;

/**
 * A string or a number. Each is taken as a whole, so that digits inside a string or behind a decimal point are never
 * taken for a whole number.
 */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;

/** A whole number that a double may round. */
const LONG = /^-?[0-9]{16,}$/;

/**
 * Parses the JSON of a reply on the client's side. A whole number that a double cannot hold exactly becomes the string
 * of its digits, so that 64-bit ids are never rounded. Throws a SyntaxError for text that is not JSON. Unlike
 * {@link readJson}, it needs no table of errors, which would double the size of a client.
 */
export function readReplyJson(text: string): unknown {
  // Parsed before the search: in text that is not JSON, an open string could make the search quadratic.
  const value: unknown = JSON.parse(text);
  if (!LONG_RUN.test(text)) return value;
  return JSON.parse(text.replace(STRING_OR_NUMBER, quotedIfInexact));
}

function quotedIfInexact(token: string): string {
  if (!LONG.test(token) || Number.isSafeInteger(JSON.parse(token))) return token;
  return `"${token}"`;
}
