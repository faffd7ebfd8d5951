/** Raw path and raw query of a request target. `query` is without the question mark, and empty when there is none. */
export type RequestTarget = Readonly<{ path: string; query: string }>;

/**
 * Splits a target at its first question mark and changes nothing. Returns `undefined` for anything but an origin-form
 * target: absolute form, authority form, `*`, or a fragment. {@link isStrictQuery} checks the bytes of the query
 * afterwards, so that the route of a bad query is known and its weight counted (hostile inputs 42-44).
 */
export function splitTarget(target: string): RequestTarget | undefined {
  if (!target.startsWith("/") || target.includes("#")) return undefined;
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: "" };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

const OUTSIDE_QUERY = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]|%(?![0-9A-Fa-f]{2})/;

/**
 * Returns whether a raw query contains only what RFC 3986 allows in one: its characters, and `%` with two hex digits.
 * This closes the boundary shift between query and JSON body, which needs a raw `{` or `"` (decision 41).
 */
export function isStrictQuery(query: string): boolean {
  return !OUTSIDE_QUERY.test(query);
}
