import { type ErrorName, OrderError } from "../errors/index.ts";

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Headers of authentication, which are refused with errors of their own. */
const OWN_ERRORS: ReadonlyMap<string, ErrorName> = new Map<string, ErrorName>([
  ["x-mbx-apikey", "BAD_API_KEY_FORMAT"],
  ["signature", "BAD_SIGNATURE"],
]);

/**
 * Returns the value of a header that may appear once, as sent; `undefined` when it is absent. `name` may be in any
 * letter case. Throws OrderError when the header appears twice (a joined `a, b` would hide that) or contains anything
 * but printable ASCII: -2014 for X-MBX-APIKEY, -1022 for signature, else -1101 or -1100 (hostile inputs 10, 26, 27,
 * 48).
 */
export function singleHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const wanted = name.toLowerCase();
  let found: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? "";
    if (sent.length !== wanted.length || sent.toLowerCase() !== wanted) continue;
    if (found !== undefined)
      throw new OrderError(OWN_ERRORS.get(wanted) ?? "DUPLICATE_PARAMETER", { field: name });
    found = rawHeaders[index + 1];
  }
  if (found !== undefined && !PRINTABLE.test(found)) {
    throw new OrderError(OWN_ERRORS.get(wanted) ?? "ILLEGAL_CHARS", {
      field: name,
      range: "printable ASCII",
    });
  }
  return found;
}
