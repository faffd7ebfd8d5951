import type {
  ConnectionVerdict,
  OrderCounts,
  OrderVerdict,
  RateLimiter,
  RateLimits,
  WeightVerdict,
} from "../ports/index.ts";
import { harmless, type Questions } from "./questions.ts";
import { membersOf, presentOf, wholeOf, wordOf } from "./reading.ts";

/**
 * Wraps the rate limiter of a host with checks of every answer. `gained` and `lost` return at once and never fail, because a
 * move of shards waits for no counts; the operator is told of a failure.
 */
export function checkedRateLimiter(limiter: RateLimiter, questions: Questions): RateLimiter {
  return {
    get limits() {
      return questions.now("rateLimiter.limits", () => limiter.limits, readLimits);
    },
    weigh: (request) => questions.query("rateLimiter.weigh", () => limiter.weigh(request), readWeight),
    connect: (request) =>
      questions.query("rateLimiter.connect", () => limiter.connect?.(request) ?? {}, readConnection),
    takeOrders: (placement) =>
      questions.query("rateLimiter.takeOrders", () => limiter.takeOrders(placement), readOrders),
    returnOrders: (placement) =>
      questions.query("rateLimiter.returnOrders", () => limiter.returnOrders(placement), readCounts),
    gained: (isHere) =>
      harmless(
        () => limiter.gained?.(isHere),
        (error) => questions.report("rateLimiter.gained", error),
      ),
    lost: () =>
      harmless(
        () => limiter.lost?.(),
        (error) => questions.report("rateLimiter.lost", error),
      ),
  };
}

function readLimits(answer: unknown): RateLimits | undefined {
  if (answer === undefined) return undefined;
  const limits = membersOf(answer, "the limits");
  return {
    weightPerMinute: wholeOf(limits.weightPerMinute, "weightPerMinute"),
    ordersPer10s: wholeOf(limits.ordersPer10s, "ordersPer10s"),
    ordersPerDay: wholeOf(limits.ordersPerDay, "ordersPerDay"),
    ...presentOf(limits, { connectionsPer5Min: wholeOf }),
  };
}

function readWeight(answer: unknown): WeightVerdict {
  const { used, refused } = membersOf(answer, "the verdict");
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

function readConnection(answer: unknown): ConnectionVerdict {
  const { refusedUntilMs } = membersOf(answer, "the verdict");
  return refusedUntilMs === undefined ? {} : { refusedUntilMs: wholeOf(refusedUntilMs, "refusedUntilMs") };
}

function readOrders(answer: unknown): OrderVerdict {
  const { counts, takenAtMs, refused } = membersOf(answer, "the verdict");
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

function readCounts(answer: unknown): OrderCounts {
  const { per10s, perDay } = membersOf(answer, "the counts");
  return { per10s: wholeOf(per10s, "per10s"), perDay: wholeOf(perDay, "perDay") };
}
