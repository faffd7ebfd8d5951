import { randomFillSync } from "node:crypto";
import type { Entropy } from "../../ports/index.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Number of random bytes requested at once. A call for each token would cost more than the rest of a small request. */
const POOL_BYTES = 4_096;

/** Bytes from this value on are skipped: they would make the first letters more likely than the others. */
const FAIR_BYTES = 256 - (256 % BASE62.length);

/**
 * Creates an entropy port on the operating system's randomness. Every letter is equally likely.
 *
 * @example
 * ```ts
 * import { createEntropy } from "managed-orders/node";
 * console.log(createEntropy().token(22).length); // 22
 * ```
 */
export function createEntropy(): Entropy {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  const nextByte = (): number => {
    if (used === POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used] ?? 0;
    // Erase bytes that were handed out.
    pool[used++] = 0;
    return byte;
  };
  return {
    token(length) {
      let text = "";
      while (text.length < length) {
        const byte = nextByte();
        if (byte < FAIR_BYTES) text += BASE62.charAt(byte % BASE62.length);
      }
      return text;
    },
  };
}
