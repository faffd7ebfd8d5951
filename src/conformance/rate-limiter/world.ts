import { flagOption, type OptionCheck } from "../../common/index.ts";
import type { Awaitable, RateLimiter, RateLimits } from "../../ports/index.ts";
import { rateLimiterOption } from "../../ports/internal.ts";
import { type AtEnd, type Rules, subjectOption } from "../suite.ts";

/** The limits and the time with which a limiter begins. */
export interface RateLimiterTerms {
  /** The limits to enforce. They are small, so that a test reaches them. */
  readonly limits: Required<RateLimits>;
  /** The time that its clock shows first, in epoch milliseconds: the begin of a UTC day. */
  readonly startMs: number;
}

/** A limiter that has counted nothing, and its clock. */
export interface RateLimiterPlace {
  readonly limiter: RateLimiter;
  /** Moves the clock of the limiter forward by some milliseconds. */
  advanceBy(ms: number): Awaitable<void>;
  /**
   * Opens the limiter anew, as a restart of its process does, when everything that it writes is written. Its clock goes
   * on, and the one before is not used again.
   */
  reopen(): Awaitable<RateLimiter>;
  /**
   * Opens one more limiter with the same clock on what this one keeps, as another node of a cluster does while this one goes
   * on. Needed if `nodes` is declared.
   */
  openBeside?(): Awaitable<RateLimiter>;
  /** Removes what the limiter keeps. */
  remove(): Awaitable<void>;
}

/** The optional parts of a rate limiter, each declared as present or absent. */
export interface RateLimiterSupport {
  /** Whether it refuses what goes over its limits. If not, it counts only, and its `limits` are undefined. */
  readonly limits: boolean;
  /** Whether it has `connect`. If not, all connections are allowed. */
  readonly connect: boolean;
  /** Whether it bans an address that goes on in spite of refusals. */
  readonly bans: boolean;
  /** Whether orders of the day and bans are still there after a restart. If not, it begins with nothing. */
  readonly durable: boolean;
  /** Whether several nodes can use it at once, so that `gained` and `lost` move the orders of the day of an account. */
  readonly nodes: boolean;
}

/** An adapter of the rate limiter port as its author describes it to the suite. */
export interface RateLimiterSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: RateLimiterSupport;
  /** Creates a limiter with these limits and a clock that begins at `startMs`. The suite calls it once per test. */
  createPlace(terms: RateLimiterTerms): Awaitable<RateLimiterPlace>;
}

/** Checks an adapter that is handed to the suite. */
export const rateLimiterSubject: OptionCheck = /* @__PURE__ */ subjectOption<RateLimiterSupport>(
  {
    ...{ limits: flagOption, connect: flagOption, bans: flagOption, durable: flagOption },
    nodes: flagOption,
  },
  "creates a rate limiter",
);

/** The begin of a UTC day, and so of every window. */
export const START_MS = 1_767_312_000_000;

/** The limits of every test. */
export const LIMITS: Required<RateLimits> = {
  weightPerMinute: 10,
  ordersPer10s: 4,
  ordersPerDay: 6,
  connectionsPer5Min: 3,
};

/** The surroundings of one rule. */
type LimiterWorld = Omit<RateLimiterPlace, "openBeside" | "remove"> &
  Readonly<{ supports: RateLimiterSupport; openBeside: () => Promise<RateLimiter> }>;

/** Creates a limiter. Throws a TypeError if it is no rate limiter, or if a function of its place is missing. */
export async function createLimiterWorld(subject: RateLimiterSubject, atEnd: AtEnd): Promise<LimiterWorld> {
  const place = await subject.createPlace({ limits: LIMITS, startMs: START_MS });
  atEnd(() => place.remove());
  rateLimiterOption(place.limiter, `limiter of createPlace of ${subject.name}`);
  const { limiter } = place;
  return {
    async openBeside() {
      if (place.openBeside === undefined)
        throw new TypeError(
          `createPlace of ${subject.name} needs openBeside, because it declares nodes: true`,
        );
      const opened = await place.openBeside();
      rateLimiterOption(opened, `limiter of openBeside of ${subject.name}`);
      return opened;
    },
    limiter,
    supports: subject.supports,
    advanceBy: (ms) => place.advanceBy(ms),
    async reopen() {
      const opened = await place.reopen();
      rateLimiterOption(opened, `limiter of reopen of ${subject.name}`);
      return opened;
    },
  };
}

/** Rules of the rate limiter port about one subject. */
export type LimiterRules = Rules<LimiterWorld, RateLimiterSupport>;
