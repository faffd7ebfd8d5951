/** Raw path and raw query of a request target; `query` is without the question mark, empty when there is none. */
export type RequestTarget = Readonly<{ path: string; query: string }>;

/**
 * Splits a target at its first question mark and changes nothing. `undefined` for what is not an origin-form target:
 * absolute form, authority form, `*`, or a fragment. The bytes of the query are judged by {@link isStrictQuery}
 * afterwards, so that the route of a bad query is known (and its weight counted). Source: hostile inputs 42-44.
 */
export function splitTarget(target: string): RequestTarget | undefined {
  if (!target.startsWith("/") || target.includes("#")) return undefined;
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: "" };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

const OUTSIDE_QUERY = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]|%(?![0-9A-Fa-f]{2})/;

/**
 * Whether a raw query holds only what RFC 3986 allows in one: its characters, and `%` with two hex digits.
 * Closes the boundary shift between query and JSON body, which needs a raw `{` or `"`. Source: decision 41.
 */
export function isStrictQuery(query: string): boolean {
  return !OUTSIDE_QUERY.test(query);
}
