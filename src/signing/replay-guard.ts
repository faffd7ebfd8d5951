import { ReplayShares } from "./replay-shares.ts";
import { isSignature } from "./signature.ts";

/** How much a replay guard remembers, and for how long at least. */
export type ReplayGuardOptions = Readonly<{
  /** Half of the signatures that are remembered in all; default 500,000. */
  maxPerGeneration?: number;
  /** Age at which a generation is closed; default 24 hours. */
  generationMs?: number;
}>;

/**
 * What the guard knows of a signature: `first` time seen, `same` use as the first time (a retry, for the idempotent
 * handler), or an`other` use (refused by the caller, -1022).
 */
export type ReplayVerdict = "first" | "same" | "other";

/** Remembers what each signature was first used for. */
export type ReplayGuard = {
  /**
   * `use` is method and path, or the WebSocket method; the signature counts in either letter case. `nowMs` is of a clock
   * that nobody sets: only how much of it has passed counts.
   */
  decide(seen: Readonly<{ apiKey: string; signature: string; use: string; nowMs: number }>): ReplayVerdict;
};

const DEFAULT_MAX = 500_000;
const DEFAULT_GENERATION_MS = 24 * 60 * 60 * 1000;

/**
 * A guard against signed bytes being replayed for another use, because no signature covers method and path. Keeps two
 * generations, so memory is bounded: at most twice `maxPerGeneration` entries of about 100 bytes. A generation closes
 * when it is old; what is used again moves to the newer one. When there is no room, the key with the most entries forgets
 * its oldest: no key flushes what another has used. Throws a RangeError for a limit below 1.
 * Source: decisions 41 and GA, hostile inputs 20-22.
 *
 * @example
 * ```ts
 * import { createReplayGuard } from "managed-orders/signing";
 * const guard = createReplayGuard();
 * const seen = { apiKey: "key", signature: "ab".repeat(32), nowMs: 0 };
 * console.log(guard.decide({ ...seen, use: "GET /api/v3/openOrders" })); // first
 * console.log(guard.decide({ ...seen, use: "DELETE /api/v3/openOrders" })); // other
 * ```
 */
export function createReplayGuard(options: ReplayGuardOptions = {}): ReplayGuard {
  const { maxPerGeneration = DEFAULT_MAX, generationMs = DEFAULT_GENERATION_MS } = options;
  if (!(maxPerGeneration >= 1 && generationMs >= 1))
    throw new RangeError("a replay guard needs limits of 1 or more");
  const shares = new ReplayShares(2 * maxPerGeneration);
  let openedAtMs: number | undefined;
  return {
    decide: ({ apiKey, signature, use, nowMs }) => {
      openedAtMs ??= nowMs;
      if (nowMs - openedAtMs >= generationMs) {
        shares.close();
        openedAtMs = nowMs;
      }
      const digest = digestOf(signature);
      const known = shares.useOf(apiKey, digest);
      shares.keep(apiKey, digest, known ?? use);
      if (known === undefined) return "first";
      return known === use ? "same" : "other";
    },
  };
}

/**
 * Half of a signature, 128 bits, in eight characters: the whole text would weigh ten times as much. A signature is a hash
 * already, and each key has uses of its own, so that nobody but the owner of a secret could look for two that agree.
 */
function digestOf(signature: string): string {
  // Not from the host's own verification: it stands for itself.
  if (!isSignature(signature)) return signature.toLowerCase();
  let digest = "";
  for (let at = signature.length - 32; at < signature.length; at += 4)
    digest += String.fromCharCode(Number.parseInt(signature.slice(at, at + 4), 16));
  return digest;
}
