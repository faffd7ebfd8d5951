import type { Clock, Entropy, Telemetry } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { requireThat, textOf } from "./reading.ts";

/** The last time that a wall clock may show, which is that of the last `Date`. */
const LAST_MS = 8_640_000_000_000_000;

/**
 * Wraps a host's clock with checks of every time: whole milliseconds, and a monotonic clock that never falls. A clock
 * without a readable time stands still until it has one, and the operator is told once. Throws a RangeError if a clock has
 * no readable time at the beginning.
 */
export function checkedClock(clock: Clock, telemetry: Telemetry): Clock {
  const nowMs = readable("clock.nowMs", () => clock.nowMs(), telemetry);
  const readMonotonicMs = readable("clock.monotonicMs", () => clock.monotonicMs(), telemetry);
  let highestMs = readMonotonicMs();
  return {
    nowMs,
    monotonicMs() {
      highestMs = Math.max(highestMs, readMonotonicMs());
      return highestMs;
    },
    schedule: (atMs, run) => clock.schedule(atMs, run),
    soon: (run) => clock.soon(run),
    ...(clock.onStep && { onStep: (listener) => clock.onStep?.(listener) ?? (() => undefined) }),
  };
}

function readable(port: string, show: () => unknown, telemetry: Telemetry): () => number {
  const first = timeOf(show);
  if (first === undefined)
    throw new RangeError(`${port} must return a number of milliseconds from 0 to ${LAST_MS}`);
  let lastMs = first;
  let isFailing = false;
  return () => {
    const shownMs = timeOf(show);
    if (shownMs === undefined && !isFailing)
      telemetry.event("error", "host.failed", { port, problem: "no valid time" });
    isFailing = shownMs === undefined;
    lastMs = shownMs ?? lastMs;
    return lastMs;
  };
}

function timeOf(show: () => unknown): number | undefined {
  try {
    const shown = show();
    // A promise is not a time, and its rejection would otherwise be unhandled.
    if (typeof shown === "object") Promise.resolve(shown).catch(() => undefined);
    const isTime = typeof shown === "number" && shown >= 0 && shown <= LAST_MS;
    return isTime ? Math.floor(shown) : undefined;
  } catch {
    return undefined;
  }
}

/** Wraps the entropy of a host with checks of every answer. */
export function checkedEntropy(entropy: Entropy, questions: Questions): Entropy {
  return {
    token: (length) => questions.now("entropy.token", () => entropy.token(length), readToken, length),
  };
}

function readToken(answer: unknown, length: number): string {
  const token = textOf(answer, "the token", { from: length, most: length });
  requireThat(/^[0-9A-Za-z]*$/.test(token), "the token has characters other than letters and digits");
  return token;
}
