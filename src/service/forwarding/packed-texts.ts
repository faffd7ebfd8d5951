/** Texts and bytes as one message holds them. */
type Packed = Readonly<{ texts: readonly string[]; body: Uint8Array }>;

/** Bytes before the texts, their number, and bytes before each text, its length. */
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;

/** Most bytes of UTF-8 for one UTF-16 code unit. */
const WIDEST = 3;

const encoder = new TextEncoder();
// A mark of byte order belongs to the text, and bytes that are no text are refused.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Writes texts, each behind its length, and then the body, so that no text can be taken for two others. At most 65,535
 * texts.
 */
export function packTexts({ texts, body }: Packed): Uint8Array {
  const most = texts.reduce((sum, text) => sum + LENGTH_BYTES + WIDEST * text.length, COUNT_BYTES);
  const bytes = new Uint8Array(most + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, texts.length);
  let at = COUNT_BYTES;
  for (const text of texts) {
    const { written } = encoder.encodeInto(text, bytes.subarray(at + LENGTH_BYTES));
    view.setUint32(at, written);
    at += LENGTH_BYTES + written;
  }
  bytes.set(body, at);
  return bytes.subarray(0, at + body.length);
}

/** Reads what {@link packTexts} wrote. Returns undefined for bytes that it never writes. */
export function unpackTexts(bytes: Uint8Array): Packed | undefined {
  if (bytes.length < COUNT_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint16(0);
  const texts: string[] = [];
  let at = COUNT_BYTES;
  for (let index = 0; index < count; index++) {
    if (bytes.length - at < LENGTH_BYTES) return undefined;
    const length = view.getUint32(at);
    at += LENGTH_BYTES;
    if (bytes.length - at < length) return undefined;
    const text = textOf(bytes.subarray(at, at + length));
    if (text === undefined) return undefined;
    texts.push(text);
    at += length;
  }
  return { texts, body: bytes.subarray(at) };
}

/** Returns bytes as text; undefined if they are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
