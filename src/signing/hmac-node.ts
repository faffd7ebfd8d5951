import { createHmac, hash } from "node:crypto";

/** HMAC-SHA256 of a payload (text as UTF-8) keyed with the UTF-8 bytes of the secret, in 64 lower-case hex digits. */
export function hmacSha256Hex(secret: string, payload: Uint8Array | string): string {
  return createHmac("sha256", secret).update(payload).digest("hex");
}

/** SHA-256 of a text in UTF-8, in 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return hash("sha256", text, "hex");
}
