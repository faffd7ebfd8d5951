/** Text that needs no encoding. Checked first, because most names and values need none. */
const UNRESERVED = /^[A-Za-z0-9\-._~]*$/;
const LEFT_BY_HOST = /[!'()*]/g;

/**
 * Percent-encodes text by RFC 3986: every byte but letters, digits and `-._~` becomes `%XX` in upper case; a space is
 * `%20`. Throws a URIError for a lone surrogate.
 */
export function percentEncode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text).replace(
    LEFT_BY_HOST,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Percent-decodes text strictly. Returns `undefined` for a broken `%` and for bytes that are not well-formed UTF-8
 * (overlong forms and surrogates included). A `+` stays a plus. The text is a copy, so that a kept value does not
 * keep its request alive.
 */
export function percentDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
