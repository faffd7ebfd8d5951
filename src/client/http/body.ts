import { ProtocolError } from "../errors/protocol-error.ts";
import type { ByteReader, FetchResponse } from "./platform.ts";

/** How many bytes to read, and the wait that the reply demands. */
type Reading = Readonly<{ maxBytes: number; retryAfterMs: number | undefined }>;

/**
 * Reads the body of a response as text, at most `maxBytes` of it; cancels the rest. Throws a ProtocolError "too large",
 * or "not text" for bytes that are not UTF-8. A platform without streams or TextDecoder reads the text as a whole, if
 * its declared length allows.
 */
export async function readBody(
  response: FetchResponse,
  { maxBytes, retryAfterMs }: Reading,
): Promise<string> {
  const { status, headers, body } = response;
  const reader = body?.getReader?.();
  const refuse = (): ProtocolError => {
    // The connection is given up; that it fails is no news.
    reader?.cancel().catch(() => undefined);
    return new ProtocolError({ problem: "too large", status, retryAfterMs });
  };
  if (Number.parseInt(headers.get("Content-Length") ?? "0", 10) > maxBytes) throw refuse();
  if (reader === undefined || typeof TextDecoder === "undefined") {
    const text = await response.text();
    if (text.length > maxBytes) throw refuse();
    return text;
  }
  const bytes = await readBytes(reader, maxBytes);
  if (bytes === undefined) throw refuse();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ProtocolError({ problem: "not text", status, retryAfterMs });
  }
}

/** Resolves to all bytes, or to undefined as soon as there are more than `maxBytes`. */
async function readBytes(reader: ByteReader, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value === undefined) continue;
    length += value.length;
    if (length > maxBytes) return undefined;
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
