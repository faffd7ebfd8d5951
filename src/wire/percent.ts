/** What stands for itself: looked for first, because most names and values need no encoding. */
const UNRESERVED = /^[A-Za-z0-9\-._~]*$/;
const LEFT_BY_HOST = /[!'()*]/g;

/**
 * Percent-encoding of RFC 3986: every byte but letters, digits and `-._~` as `%XX` in upper case; a space is `%20`.
 * Throws a URIError on a lone surrogate.
 */
export function percentEncode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text).replace(
    LEFT_BY_HOST,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Strict opposite: `undefined` for a broken `%` and for bytes that are not well-formed UTF-8 (overlong forms and
 * surrogates too). A `+` stays a plus. The text is a copy, so that a kept value does not keep the request it came in.
 */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
