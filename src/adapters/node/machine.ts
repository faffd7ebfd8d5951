import { randomFillSync } from "node:crypto";
import type { Clock, Entropy } from "../../ports/index.ts";

/** Longest delay of setTimeout, about 24 days. Longer waits use several timers. */
const LONGEST_WAIT_MS = 2_147_483_647;

/** Interval in milliseconds at which a clock with a listener checks whether the wall clock was set. */
const LOOK_EVERY_MS = 1_000;

/** Smaller differences between two checks are normal drift, not a clock that was set. */
const SMALLEST_STEP_MS = 100;

/**
 * Creates the clock of the machine. `nowMs` is the machine's current time, including changes to it. `monotonicMs`
 * starts at that time and is independent of changes; it stops while the machine sleeps. Steps are checked once per
 * second, and only while there is a listener.
 *
 * @example
 * ```ts
 * import { createSystemClock } from "managed-orders/node";
 * const clock = createSystemClock();
 * const cancel = clock.schedule(clock.monotonicMs() + 60_000, () => undefined);
 * cancel();
 * ```
 */
export function createSystemClock(): Clock {
  const [startMs, startedAtMs] = [Date.now(), performance.now()];
  const nowMs = (): number => Date.now();
  const monotonicMs = (): number => startMs + Math.floor(performance.now() - startedAtMs);
  return {
    nowMs,
    monotonicMs,
    schedule: (atMs, run) => startTimer({ nowMs: monotonicMs, atMs, run }),
    soon: (run) => void setImmediate(run),
    onStep: (listener) => watch(() => nowMs() - monotonicMs(), listener),
  };
}

type TimerOptions = Readonly<{ nowMs: () => number; atMs: number; run: () => void }>;

/** Starts a timer. A timer may fire early and is limited to 24 days, so the clock is checked when it fires. */
function startTimer({ nowMs, atMs, run }: TimerOptions): () => void {
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    handle = setTimeout(check, Math.min(Math.max(atMs - nowMs(), 0), LONGEST_WAIT_MS));
  };
  const check = (): void => (nowMs() >= atMs ? run() : arm());
  arm();
  return () => clearTimeout(handle);
}

/** Compares two clocks regularly and reports sudden changes of their difference. Does not keep the process alive. */
function watch(apartMs: () => number, listener: (stepMs: number) => void): () => void {
  let beforeMs = apartMs();
  const look = (): void => {
    const stepMs = apartMs() - beforeMs;
    beforeMs += stepMs;
    if (Math.abs(stepMs) >= SMALLEST_STEP_MS) listener(stepMs);
  };
  const handle = setInterval(look, LOOK_EVERY_MS);
  handle.unref();
  return () => clearInterval(handle);
}

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
      const letters = Buffer.alloc(length);
      for (let at = 0; at < length; ) {
        const byte = nextByte();
        if (byte < FAIR_BYTES) letters[at++] = BASE62.charCodeAt(byte % BASE62.length);
      }
      return letters.toString("latin1");
    },
  };
}
