import { parseScaled, type Scaled, subtract } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { Scalar } from "../wire/index.ts";

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
 * Checks `timestamp` (whole epoch ms) and `recvWindow` (ms, default 5000) against the server's time. A timestamp that
 * was sent is always enforced; `required` says whether it may be left out. Accepts timestamp < now + 1000 and now -
 * timestamp ≤ recvWindow, both exact. recvWindow is above 0, at most 60000, with at most three decimals.
 * Throws OrderError: -1102 missing, -1105 empty, -1100 not a number of that form, -1111 more decimals, -1131 recvWindow
 * out of range, -1021 too old or too far ahead (which includes timestamps in seconds or microseconds).
 * Source: contract, Version 2 GET queries 3; decision 9; complaint 43; hostile inputs 29-32.
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
 * Throws OrderError: -1102 if both are missing, -1105 for an empty nonce, -1100 for other characters.
 * Source: contract, Version 3 REST 4; decision 40.
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
