import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/**
 * Returns the HMAC-SHA256 of a payload (text as UTF-8) keyed with the UTF-8 bytes of the secret, as 64 lower-case hex
 * digits.
 */
export function hmacSha256Hex(secret: string, payload: Uint8Array | string): string {
  const message = typeof payload === "string" ? utf8ToBytes(payload) : payload;
  return bytesToHex(hmac(sha256, utf8ToBytes(secret), message));
}

/** Returns the SHA-256 of a text in UTF-8, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}
