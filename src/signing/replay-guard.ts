import { numberOption, type OptionCheck, optionalOption, optionsOf, wholeOption } from "../common/index.ts";
import { parseScaled, type Scaled, subtract } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Scalar } from "../wire/index.ts";
import { isSignature } from "./signature.ts";

/** Freshness is compared in microseconds, because a receive window may have three decimals of a millisecond. */
const MICROS_SCALE = 3;
const MICROS_PER_MS = 1000;
const AHEAD_LIMIT_MS = 1000;
const DEFAULT_WINDOW_MICROS = 5_000_000;
const WIDEST_WINDOW_MICROS = 60_000_000;

const INTEGER = /^[0-9]{1,20}$/;
const DECIMAL = /^-?[0-9]{1,20}(?:\.[0-9]{1,20})?$/;
const NONCE = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Checks `timestamp` (whole epoch ms) and `recvWindow` (ms, default 5000) against the server's time. A timestamp that was
 * sent is always enforced; `required` says whether it may be left out. Accepts timestamp < now + 1000 and now - timestamp ≤
 * recvWindow, both exact. recvWindow is above 0, at most 60000, with at most three decimals. Throws OrderError: -1102
 * missing, -1105 empty, -1100 not a number of that form, -1111 more decimals, -1131 recvWindow out of range, -1021 too old
 * or too far ahead (which includes timestamps in seconds or microseconds). Source: contract, Version 2 GET queries 3;
 * complaint 43; hostile inputs 29-32.
 */
export function checkFreshness(
  options: Readonly<{
    timestamp: Scalar | undefined;
    recvWindow: Scalar | undefined;
    nowMs: number;
    required: boolean;
  }>,
): void {
  const windowMicros = readWindow(options.recvWindow);
  if (options.timestamp === undefined) {
    if (options.required) throw new OrderError("PARAMETER_MISSING", { field: "timestamp" });
    return;
  }
  const sentMicros = readTimestamp(options.timestamp.text);
  const nowMicros: Scaled = options.nowMs * MICROS_PER_MS;
  if (sentMicros >= nowMicros + AHEAD_LIMIT_MS * MICROS_PER_MS) throw new OrderError("TIMESTAMP_AHEAD");
  if (subtract(nowMicros, sentMicros) > windowMicros) throw new OrderError("TIMESTAMP_OUTSIDE");
}

/**
 * Checks the nonce of a version 3 request: 1-64 characters of A-Za-z0-9._-, with any value. A timestamp may replace it.
 * Throws OrderError: -1102 if both are missing, -1105 for an empty nonce, -1100 for other characters. Source: contract,
 * Version 3 REST 4.
 */
export function checkNonce(
  options: Readonly<{ nonce: Scalar | undefined; timestamp: Scalar | undefined }>,
): void {
  const { nonce, timestamp } = options;
  if (nonce === undefined) {
    if (timestamp !== undefined) return;
    throw new OrderError("PARAMETER_MISSING_BOTH", { field: "nonce", other: "timestamp" });
  }
  if (nonce.text === "") throw new OrderError("PARAMETER_EMPTY", { field: "nonce" });
  if (!NONCE.test(nonce.text)) throw new OrderError("ILLEGAL_CHARS", { field: "nonce", range: NONCE.source });
}

function readTimestamp(text: string): Scaled {
  if (text === "") throw new OrderError("PARAMETER_EMPTY", { field: "timestamp" });
  const micros = INTEGER.test(text) ? parseScaled(text, MICROS_SCALE) : undefined;
  if (micros === undefined)
    throw new OrderError("ILLEGAL_CHARS", { field: "timestamp", range: INTEGER.source });
  return micros;
}

function readWindow(recvWindow: Scalar | undefined): Scaled {
  if (recvWindow === undefined) return DEFAULT_WINDOW_MICROS;
  const { text } = recvWindow;
  if (text === "") throw new OrderError("PARAMETER_EMPTY", { field: "recvWindow" });
  if (!DECIMAL.test(text))
    throw new OrderError("ILLEGAL_CHARS", { field: "recvWindow", range: "0-9 and one point" });
  if (text.startsWith("-")) throw new OrderError("BAD_RECV_WINDOW", { rule: "greater than 0" });
  const micros = parseScaled(text, MICROS_SCALE);
  if (micros === undefined)
    throw new OrderError("PRECISION", { field: "recvWindow", decimals: MICROS_SCALE });
  if (micros <= 0) throw new OrderError("BAD_RECV_WINDOW", { rule: "greater than 0" });
  if (micros > WIDEST_WINDOW_MICROS) throw new OrderError("BAD_RECV_WINDOW", { rule: "less than 60000" });
  return micros;
}

/** Who sent a request: its address, and its connection if later requests on it can be told. */
export interface SignatureSender {
  readonly address: string;
  readonly connection?: string | undefined;
}

/** Who made the first use of a signature and when, and the use that has followed it once. */
type FirstUse = { sender: SignatureSender; atMs: number; follower?: string };

/** Uses of one key: the open generation and the previous one, least recently used first, and its newest first uses. */
type Share = { newer: Map<string, string>; older: Map<string, string>; firsts: Map<string, FirstUse> };

/** First uses kept per key: those of a second at the rate of one connection. */
const MOST_FIRSTS = 1000;

const sizeOf = ({ newer, older }: Share): number => newer.size + older.size;

/**
 * First uses of signatures by key, `most` in total. When there is no room, the key that holds the most drops its least
 * recently used entry. A key that holds no more than `most` divided by the number of keys never loses an entry to others.
 */
class ReplayShares {
  readonly #most: number;
  readonly #shares: Map<string, Share> = new Map();
  /** The keys by number of entries, since the first time that there was no room. */
  #bySize: Map<number, Set<string>> | undefined;
  #largest = 0;
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the first use of a signature, or undefined if it is unknown. */
  useOf(apiKey: string, digest: string): string | undefined {
    const share = this.#shares.get(apiKey);
    return share?.newer.get(digest) ?? share?.older.get(digest);
  }

  /** Records a use, or marks it as used again. */
  retain(apiKey: string, digest: string, use: string): void {
    const share = this.#shares.get(apiKey) ?? { newer: new Map(), older: new Map(), firsts: new Map() };
    this.#shares.set(apiKey, share);
    const before = sizeOf(share);
    share.older.delete(digest);
    share.newer.delete(digest);
    share.newer.set(digest, use);
    this.#moved(apiKey, before, sizeOf(share));
    while (this.#total > this.#most) this.#evictOne();
  }

  /** Returns who made the first use of a signature, as long as it is kept. */
  firstOf(apiKey: string, digest: string): FirstUse | undefined {
    return this.#shares.get(apiKey)?.firsts.get(digest);
  }

  /** Records who made the first use of a signature. A key with many loses its oldest. */
  retainFirst(apiKey: string, digest: string, first: FirstUse): void {
    const firsts = this.#shares.get(apiKey)?.firsts;
    firsts?.delete(digest);
    firsts?.set(digest, first);
    if (firsts === undefined || firsts.size <= MOST_FIRSTS) return;
    for (const oldest of firsts.keys()) return void firsts.delete(oldest);
  }

  /** Closes the open generation of every key and drops the previous one. */
  close(): void {
    this.#bySize = undefined;
    this.#total = 0;
    for (const [apiKey, share] of this.#shares) {
      [share.older, share.newer] = [share.newer, new Map()];
      if (share.older.size === 0) this.#shares.delete(apiKey);
      else this.#moved(apiKey, 0, share.older.size);
    }
  }

  #evictOne(): void {
    if (this.#bySize === undefined) this.#sort();
    const [apiKey = ""] = this.#bySize?.get(this.#largest) ?? [];
    const share = this.#shares.get(apiKey);
    if (share === undefined) return;
    const before = sizeOf(share);
    const generation = share.older.size > 0 ? share.older : share.newer;
    const [oldest = ""] = generation.keys();
    generation.delete(oldest);
    if (before === 1) this.#shares.delete(apiKey);
    this.#moved(apiKey, before, before - 1);
  }

  #moved(apiKey: string, before: number, after: number): void {
    this.#total += after - before;
    const bySize = this.#bySize;
    if (bySize === undefined) return;
    bySize.get(before)?.delete(apiKey);
    if (bySize.get(before)?.size === 0) bySize.delete(before);
    if (after > 0) bySize.set(after, (bySize.get(after) ?? new Set()).add(apiKey));
    this.#largest = Math.max(this.#largest, after);
    while (this.#largest > 0 && !bySize.has(this.#largest)) this.#largest--;
  }

  #sort(): void {
    this.#bySize = new Map();
    this.#largest = 0;
    for (const [apiKey, share] of this.#shares) this.#moved(apiKey, sizeOf(share), sizeOf(share));
  }
}

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
 * Creates a guard against the replay of signed bytes for another use, because a signature does not cover method and path.
 * It keeps two generations, so memory is bounded: at most twice `maxPerGeneration` entries of about 100 bytes. A generation
 * closes when it is old; a signature that is used again moves to the newer one. When there is no room, the key with the
 * most entries drops its oldest, so that one key cannot displace the entries of another. Throws a TypeError or RangeError
 * that names an option that is unknown, of the wrong type or below 1. Source: hostile inputs 20-22.
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
  const unit = (at: number): number => Number.parseInt(signature.slice(at, at + 4), 16);
  return String.fromCharCode(unit(32), unit(36), unit(40), unit(44), unit(48), unit(52), unit(56), unit(60));
}
