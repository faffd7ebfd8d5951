import { createHmac, hash } from "node:crypto";

/** Block size and digest size of SHA-256 in bytes. */
const BLOCK = 64;
const DIGEST = 32;
const PAYLOAD_LIMIT = 65_536;
/** Maximum number of UTF-8 bytes per UTF-16 code unit of text. */
const WIDEST = 3;

const INNER_PAD = 0x36363636;
const OUTER_PAD = 0x5c5c5c5c;

/** Inputs of the two hashes of an HMAC: the padded key and the payload; the padded key and the first digest. */
const inner: Buffer = Buffer.alloc(BLOCK + PAYLOAD_LIMIT);
const outer: Buffer = Buffer.alloc(BLOCK + DIGEST);
const innerKey: Uint32Array = new Uint32Array(inner.buffer, inner.byteOffset, BLOCK / 4);
const outerKey: Uint32Array = new Uint32Array(outer.buffer, outer.byteOffset, BLOCK / 4);

/**
 * Returns the HMAC-SHA256 of a payload (text as UTF-8) keyed with the UTF-8 bytes of the secret, as 64 lower-case hex
 * digits. It runs two one-shot hashes over buffers that every call reuses, as RFC 2104 defines it: creating an Hmac
 * object of Node costs more than the hashing. The amount of work depends only on the lengths of secret and payload.
 * Inputs that do not fit the buffers use the platform's Hmac.
 */
export function hmacSha256Hex(secret: string, payload: Uint8Array | string): string {
  const most = typeof payload === "string" ? payload.length * WIDEST : payload.length;
  if (most > PAYLOAD_LIMIT) return createHmac("sha256", secret).update(payload).digest("hex");
  writeKey(secret);
  const length = writePayload(payload);
  outer.write(hash("sha256", inner.subarray(0, BLOCK + length), "binary"), BLOCK, "binary");
  return hash("sha256", outer, "hex");
}

/** Returns the SHA-256 of a text in UTF-8, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}

/** Writes the padded keys. A key longer than a block is replaced by its digest; zeros fill the block. */
function writeKey(secret: string): void {
  const written = inner.write(secret);
  const length = written > BLOCK ? inner.write(hash("sha256", secret, "binary"), "binary") : written;
  if (length < BLOCK) inner.fill(0, length, BLOCK);
  for (let at = 0; at < innerKey.length; at++) {
    const word = innerKey[at] ?? 0;
    innerKey[at] = word ^ INNER_PAD;
    outerKey[at] = word ^ OUTER_PAD;
  }
}

function writePayload(payload: Uint8Array | string): number {
  if (typeof payload === "string") return inner.write(payload, BLOCK);
  inner.set(payload, BLOCK);
  return payload.length;
}
