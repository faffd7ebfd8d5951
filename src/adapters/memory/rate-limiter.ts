import { type OptionCheck, optionsOf } from "../../common/index.ts";
import type { RateLimiter } from "../../ports/index.ts";
import { LimitCounters, limiterOptions, type RateLimiterOptions } from "../shared/index.ts";

const limiterOption: OptionCheck = optionsOf<RateLimiterOptions>(limiterOptions);

/**
 * Creates a rate limiter in memory, for one process: a restart forgets everything it has counted. `openRateLimiter` of the
 * stores in SQLite and Postgres opens one that keeps the orders of the day and bans. Windows are aligned to the wall clock at the time the clock was
 * created; setting the clock neither stretches nor shrinks windows or bans. Memory is bounded by `maxTracked`. Throws a
 * TypeError or RangeError that names an option that is missing, unknown, of the wrong type or below 1. Source: decision 42; convention 5.3.
 *
 * @example
 * ```ts
 * import { createManualClock, createMemoryRateLimiter } from "managed-orders/memory";
 * const clock = createManualClock({ startMs: 30_000 });
 * const limiter = createMemoryRateLimiter({ clock, weightPerMinute: 10 });
 * const request = { address: "192.0.2.1", weight: 6 };
 * console.log(await limiter.weigh(request)); // { used: 6 }
 * const { refused } = await limiter.weigh(request);
 * console.log(refused?.untilMs); // 60000
 * ```
 */
export function createMemoryRateLimiter(options: RateLimiterOptions): RateLimiter {
  limiterOption(options, "createMemoryRateLimiter");
  return new LimitCounters(options);
}
