/** A run of digits that a double may round. */
const LONG_RUN = /[0-9]{16}/;

/** A string, which stays as it is, or a whole number of at least 16 digits. */
const STRING_OR_LONG = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]{16,}(?![0-9.eE])/g;

/**
 * Parses the JSON of a reply on the client's side. A whole number that a double cannot hold exactly becomes the string
 * of its digits, so that 64-bit ids are never rounded. Throws a SyntaxError for text that is not JSON. Unlike
 * {@link readJson}, it needs no table of errors, which would double the size of a client.
 */
export function readReplyJson(text: string): unknown {
  // Parsed before the search: in text that is not JSON, an open string could make the search quadratic.
  const value: unknown = JSON.parse(text);
  if (!LONG_RUN.test(text)) return value;
  return JSON.parse(text.replace(STRING_OR_LONG, quotedIfInexact));
}

function quotedIfInexact(token: string): string {
  if (token.startsWith('"') || Number.isSafeInteger(JSON.parse(token))) return token;
  return `"${token}"`;
}
