import type {
  ConnectionVerdict,
  OrderCounts,
  OrderVerdict,
  RateLimiter,
  RateLimits,
  WeightVerdict,
} from "../ports/index.ts";
import { harmless } from "./guards.ts";
import type { Questions } from "./questions.ts";
import { membersOf, wholeOf, wordOf } from "./reading.ts";

/**
 * Wraps the rate limiter of a host with checks of every answer. `gained` and `lost` return at once and never fail, because a
 * move of shards waits for no counts; the operator is told of a failure.
 */
export function checkedRateLimiter(limiter: RateLimiter, questions: Questions): RateLimiter {
  return {
    get limits() {
      return questions.now("rateLimiter.limits", () => limiter.limits, readLimits);
    },
    weigh: (request) => questions.ask("rateLimiter.weigh", () => limiter.weigh(request), readWeight),
    connect: (request) =>
      questions.ask("rateLimiter.connect", () => limiter.connect?.(request) ?? {}, readConnection),
    takeOrders: (placement) =>
      questions.ask("rateLimiter.takeOrders", () => limiter.takeOrders(placement), readOrders),
    returnOrders: (placement) =>
      questions.ask("rateLimiter.returnOrders", () => limiter.returnOrders(placement), readCounts),
    gained: (isHere) =>
      harmless(
        () => limiter.gained?.(isHere),
        (error) => questions.tell("rateLimiter.gained", error),
      ),
    lost: () =>
      harmless(
        () => limiter.lost?.(),
        (error) => questions.tell("rateLimiter.lost", error),
      ),
  };
}

function readLimits(said: unknown): RateLimits | undefined {
  if (said === undefined) return undefined;
  const limits = membersOf(said, "the limits");
  const { connectionsPer5Min: connections } = limits;
  return {
    weightPerMinute: wholeOf(limits.weightPerMinute, "weightPerMinute"),
    ordersPer10s: wholeOf(limits.ordersPer10s, "ordersPer10s"),
    ordersPerDay: wholeOf(limits.ordersPerDay, "ordersPerDay"),
    ...(connections !== undefined && {
      connectionsPer5Min: wholeOf(connections, "connectionsPer5Min"),
    }),
  };
}

function readWeight(said: unknown): WeightVerdict {
  const { used, refused } = membersOf(said, "the verdict");
  const verdict = { used: wholeOf(used, "used") };
  if (refused === undefined) return verdict;
  const { kind, untilMs } = membersOf(refused, "the refusal");
  return {
    ...verdict,
    refused: {
      kind: wordOf(kind, "the kind of the refusal", ["limit", "ban"]),
      untilMs: wholeOf(untilMs, "the untilMs of the refusal"),
    },
  };
}

function readConnection(said: unknown): ConnectionVerdict {
  const { refusedUntilMs } = membersOf(said, "the verdict");
  return refusedUntilMs === undefined ? {} : { refusedUntilMs: wholeOf(refusedUntilMs, "refusedUntilMs") };
}

function readOrders(said: unknown): OrderVerdict {
  const { counts, takenAtMs, refused } = membersOf(said, "the verdict");
  const verdict = { counts: readCounts(counts), takenAtMs: wholeOf(takenAtMs, "takenAtMs") };
  if (refused === undefined) return verdict;
  const { window, untilMs } = membersOf(refused, "the refusal");
  return {
    ...verdict,
    refused: {
      window: wordOf(window, "the window of the refusal", ["per10s", "perDay"]),
      untilMs: wholeOf(untilMs, "the untilMs of the refusal"),
    },
  };
}

function readCounts(said: unknown): OrderCounts {
  const { per10s, perDay } = membersOf(said, "the counts");
  return { per10s: wholeOf(per10s, "per10s"), perDay: wholeOf(perDay, "perDay") };
}
