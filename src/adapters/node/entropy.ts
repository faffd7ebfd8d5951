import { randomBytes } from "node:crypto";
import type { Entropy } from "../../ports/index.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Bytes from here on would make the first letters more likely than the others. */
const FAIR_BYTES = 256 - (256 % BASE62.length);

/**
 * Randomness of the operating system; every letter is equally likely.
 *
 * @example
 * ```ts
 * import { createEntropy } from "managed-orders/node";
 * console.log(createEntropy().token(22).length); // 22
 * ```
 */
export function createEntropy(): Entropy {
  return { token };
}

function token(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < FAIR_BYTES) text += BASE62.charAt(byte % BASE62.length);
    }
  }
  return text;
}
