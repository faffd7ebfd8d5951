import { numberOption, type OptionCheck, optionalOption, optionsOf, wholeOption } from "../common/index.ts";
import { type FirstUse, ReplayShares, type SignatureSender } from "./replay-shares.ts";
import { isSignature } from "./signature.ts";

/** Capacity of a replay guard, and how long it remembers at least. */
export interface ReplayGuardOptions {
  /** Half of the total number of signatures remembered; default 500,000. */
  readonly maxPerGeneration?: number;
  /** Age in milliseconds at which a generation is closed; default 24 hours. */
  readonly generationMs?: number;
}

/** Checks the options of a replay guard. */
export const replayGuardOption: OptionCheck = /* @__PURE__ */ optionsOf<ReplayGuardOptions>({
  maxPerGeneration: /* @__PURE__ */ optionalOption(wholeOption({ from: 1 })),
  generationMs: /* @__PURE__ */ optionalOption(numberOption({ from: 1 }, " of milliseconds")),
});

/**
 * Verdict on a signature. `first`: not seen before. `same`: the same use as the first time, a retry for the idempotent
 * handler, or a use that may follow it. `other`: another use, which the caller refuses with -1022.
 */
export type ReplayVerdict = "first" | "same" | "other";

/** A use of a signature, for the verdict of a replay guard. */
export interface SignatureUse {
  readonly apiKey: string;
  readonly signature: string;
  /** What the request does; requests with the same `use` may share a signature. */
  readonly use: string;
  /** One other use that this use may follow, but not precede. */
  readonly after?: string;
  /**
   * One other use that this use may follow once: if `sender` is also that of the first use, on the same connection or,
   * within a second, from the same address.
   */
  readonly onceAfter?: string;
  readonly sender?: SignatureSender;
  /** Time of a monotonic clock: only elapsed time matters. */
  readonly nowMs: number;
}

/** Remembers the first use of each signature. */
export interface ReplayGuard {
  /**
   * Returns the verdict on a use of a signature. The signature counts in either letter case.
   */
  decide(seen: SignatureUse): ReplayVerdict;
}

const DEFAULT_MAX = 500_000;
const DEFAULT_GENERATION_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a guard against the replay of signed bytes for another use, because a signature does not cover method and
 * path. It keeps two generations, so memory is bounded: at most twice `maxPerGeneration` entries of about 100 bytes. A
 * generation closes when it is old; a signature that is used again moves to the newer one. When there is no room, the
 * key with the most entries drops its oldest, so that one key cannot displace the entries of another. Throws a
 * TypeError or RangeError that names an option that is unknown, of the wrong type or below 1.
 * Source: decisions 41, GA and MA, hostile inputs 20-22.
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
  replayGuardOption(options, "createReplayGuard");
  const { maxPerGeneration = DEFAULT_MAX, generationMs = DEFAULT_GENERATION_MS } = options;
  const shares = new ReplayShares(2 * maxPerGeneration);
  let openedAtMs: number | undefined;
  return {
    decide: ({ apiKey, signature, use, after, onceAfter, sender, nowMs }) => {
      openedAtMs ??= nowMs;
      if (nowMs - openedAtMs >= generationMs) {
        shares.close();
        openedAtMs = nowMs;
      }
      const digest = digestOf(signature);
      const known = shares.useOf(apiKey, digest);
      shares.retain(apiKey, digest, known ?? use);
      if (known === undefined) {
        if (sender !== undefined && onceAfter === undefined)
          shares.retainFirst(apiKey, digest, { sender, atMs: nowMs });
        return "first";
      }
      if (known === use || known === after) return "same";
      return known === onceAfter && isFollower(shares.firstOf(apiKey, digest), { use, sender, nowMs })
        ? "same"
        : "other";
    },
  };
}

/** How long a request from the same address counts as one of the same client. */
const SAME_ADDRESS_MS = 1000;

/** Whether a use is, or now becomes, the one that may follow the first use of its signature. */
function isFollower(
  first: FirstUse | undefined,
  { use, sender, nowMs }: Readonly<{ use: string; sender: SignatureSender | undefined; nowMs: number }>,
): boolean {
  if (first === undefined || sender === undefined) return false;
  const { address, connection } = first.sender;
  const isSame =
    (connection !== undefined && connection === sender.connection) ||
    (address === sender.address && nowMs - first.atMs <= SAME_ADDRESS_MS);
  if (isSame) first.follower ??= use;
  return first.follower === use;
}

/**
 * Returns half of a signature, 128 bits, in eight characters; the whole text would need ten times as much memory. A
 * signature is already a hash, and uses are kept by key, so that only the owner of a secret could search for two
 * signatures with the same digest.
 */
function digestOf(signature: string): string {
  // Not 64 hex digits, so not verified by this library. Keep the whole text, in lower case.
  if (!isSignature(signature)) return signature.toLowerCase();
  let digest = "";
  for (let at = signature.length - 32; at < signature.length; at += 4)
    digest += String.fromCharCode(Number.parseInt(signature.slice(at, at + 4), 16));
  return digest;
}
