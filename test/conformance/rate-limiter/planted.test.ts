import {
  createManualClock,
  createMemoryRateLimiter,
  type ManualClock,
} from "../../../src/adapters/memory/index.ts";
import {
  type RateLimiterSubject,
  type RateLimiterSupport,
  type RateLimiterTerms,
  testRateLimiter,
} from "../../../src/conformance/index.ts";
import { rateLimiterRules } from "../../../src/conformance/rate-limiter/rate-limiter.ts";
import type { OrderVerdict, RateLimiter, WeightVerdict } from "../../../src/ports/index.ts";
import { LimitDatabase } from "../../support/limit-database.ts";
import { type PlantedFault, testPlantedFaults } from "../../support/planted-faults.ts";

/** A sound limiter and what a fault may use of it. */
type Sound = Readonly<{
  limiter: RateLimiter;
  clock: ManualClock;
  terms: RateLimiterTerms;
  weigh: (request: Readonly<{ address: string; weight: number }>) => WeightVerdict;
  take: (placement: Readonly<{ accountId: number; count: number }>) => OrderVerdict;
}>;

const WHOLE: RateLimiterSupport = { limits: true, connect: true, bans: true, durable: false, nodes: false };

/** The functions and limits of a limiter, bound to it. */
const partsOf = (limiter: RateLimiter): RateLimiter => ({
  limits: limiter.limits,
  weigh: (request) => limiter.weigh(request),
  connect: (request) => limiter.connect?.(request) ?? {},
  takeOrders: (placement) => limiter.takeOrders(placement),
  returnOrders: (placement) => limiter.returnOrders(placement),
});

/** Describes memory limiters with a fault, or without one. A durable one is the same after a restart. */
function memorySubject(
  name: string,
  plant: (sound: Sound) => Partial<RateLimiter> = () => ({}),
  supports: Partial<RateLimiterSupport> = {},
  enforce = true,
): RateLimiterSubject {
  return {
    name,
    supports: { ...WHOLE, ...supports },
    createPlace(terms) {
      const clock = createManualClock({ startMs: terms.startMs });
      const limiter = partsOf(createMemoryRateLimiter({ clock, enforce, ...terms.limits }));
      const sound: Sound = {
        ...{ limiter, clock, terms },
        weigh: (request) => limiter.weigh(request) as WeightVerdict,
        take: (placement) => limiter.takeOrders(placement) as OrderVerdict,
      };
      const whole = { ...limiter, ...plant(sound) };
      return {
        limiter: whole,
        reopen: () =>
          supports.durable ? whole : createMemoryRateLimiter({ clock, enforce, ...terms.limits }),
        advanceBy: (ms) => clock.advanceBy(ms),
        remove: () => {},
      };
    },
  };
}

const planted = (
  fault: string,
  breaks: readonly string[],
  plant: (sound: Sound) => Partial<RateLimiter>,
  supports: Partial<RateLimiterSupport> = {},
): PlantedFault<RateLimiterSubject> => ({ fault, breaks, subject: memorySubject(fault, plant, supports) });

const shift = ({ limiter, clock, terms }: Sound, ms: number): RateLimiter => {
  const later = createManualClock({ startMs: terms.startMs + ms });
  const shifted = createMemoryRateLimiter({
    clock: { ...later, nowMs: clock.nowMs, monotonicMs: () => clock.monotonicMs() + ms },
    ...terms.limits,
  });
  return { ...limiter, ...partsOf(shifted) };
};

const weightFaults = [
  planted("a window begins with the first request", ["weight counts by the minute of the clock"], (sound) =>
    shift(sound, 30_000),
  ),
  planted(
    "the end of a refusal is a duration",
    ["weight above the limit is refused until the end of the minute"],
    ({ weigh, clock }) => ({
      weigh(request) {
        const { used, refused } = weigh(request);
        return refused === undefined
          ? { used }
          : { used, refused: { ...refused, untilMs: refused.untilMs - clock.nowMs() } };
      },
    }),
  ),
  planted(
    "the limit itself is refused",
    ["weight above the limit is refused until the end of the minute"],
    ({ weigh, terms }) => ({
      weigh(request) {
        const { used, refused } = weigh(request);
        const untilMs = terms.startMs + 60_000;
        return used === 10
          ? { used, refused: { kind: "limit", untilMs } }
          : { used, ...(refused && { refused }) };
      },
    }),
  ),
  planted("a query counts", ["weight 0 is a query"], ({ weigh }) => ({
    weigh: ({ address, weight }) => weigh({ address, weight: Math.max(1, weight) }),
  })),
  planted("IPv6 addresses are cut at the third group", ["addresses have separate limits"], ({ weigh }) => ({
    weigh: ({ address, weight }) => weigh({ weight, address: address.split(":").slice(0, 3).join(":") }),
  })),
  planted(
    "a ban ends one second early",
    ["an address that goes on in spite of refusals"],
    ({ weigh, clock }) => ({
      weigh(request) {
        const { used, refused } = weigh(request);
        const isOver = refused?.kind === "ban" && clock.nowMs() >= refused.untilMs - 1_000;
        return isOver || refused === undefined ? { used } : { used, refused };
      },
    }),
  ),
  planted(
    "there are no bans and they are declared",
    ["an address that goes on in spite of refusals"],
    ({ weigh }) => ({
      weigh(request) {
        const { used, refused } = weigh(request);
        return refused === undefined ? { used } : { used, refused: { ...refused, kind: "limit" } };
      },
    }),
  ),
  planted(
    "there are bans and they are declared as absent",
    ["a limiter without bans never bans"],
    () => ({}),
    {
      bans: false,
    },
  ),
];

/** Takes orders although they are refused. */
const takesAnyway = ({ limiter, terms }: Sound): Partial<RateLimiter> => {
  const counting = createMemoryRateLimiter({
    ...{ clock: createManualClock({ startMs: terms.startMs }), enforce: false },
  });
  return {
    async takeOrders(placement) {
      const { refused } = await limiter.takeOrders(placement);
      return { ...(await counting.takeOrders(placement)), ...(refused && { refused }) };
    },
  };
};

const orderFaults = [
  planted("order windows begin at another second", ["orders count in both windows"], (sound) =>
    shift(sound, 5_000),
  ),
  planted(
    "refused orders count",
    ["a full window of ten seconds refuses, counts nothing", "a list counts each of its legs"],
    takesAnyway,
  ),
  planted(
    "the end of the window of ten seconds is in seconds",
    ["a full window of ten seconds refuses, counts nothing"],
    ({ take }) => ({
      takeOrders(placement) {
        const { refused, ...verdict } = take(placement);
        return refused === undefined
          ? verdict
          : { ...verdict, refused: { ...refused, untilMs: Math.floor(refused.untilMs / 1_000) } };
      },
    }),
  ),
  planted("a full day is named as full ten seconds", ["a full day refuses, counts nothing"], ({ take }) => ({
    takeOrders(placement) {
      const { refused, ...verdict } = take(placement);
      return refused === undefined ? verdict : { ...verdict, refused: { ...refused, window: "per10s" } };
    },
  })),
  planted("accounts have 32 bits", ["accounts have separate counts"], ({ take }) => ({
    takeOrders: ({ accountId, count }) => take({ accountId: accountId | 0, count }),
  })),
  planted("a list counts once", ["a list counts each of its legs"], ({ take }) => ({
    takeOrders: ({ accountId }) => take({ accountId, count: 1 }),
  })),
  planted(
    "counts are read and written in two steps",
    ["placements at the same time do not exceed"],
    ({ take }) => {
      let taken = 0;
      return {
        async takeOrders(placement) {
          const before = taken;
          await Promise.resolve();
          taken = before + placement.count;
          const verdict =
            taken > 4 ? take(placement) : { counts: { per10s: taken, perDay: taken }, takenAtMs: 0 };
          return verdict;
        },
      };
    },
  ),
  planted(
    "one order of a list is returned",
    ["returned orders no longer count, all legs"],
    ({ limiter }) => ({
      returnOrders: (placement) => limiter.returnOrders({ ...placement, count: 1 }),
    }),
  ),
  planted(
    "orders are returned to the windows of now",
    ["orders are returned to the windows in which they were counted"],
    ({ limiter, clock }) => ({
      returnOrders: (placement) => limiter.returnOrders({ ...placement, takenAtMs: clock.monotonicMs() }),
    }),
  ),
  planted("counts fall below zero", ["no count falls below zero"], ({ limiter }) => ({
    async returnOrders({ count, ...placement }) {
      const { per10s, perDay } = await limiter.returnOrders({ ...placement, count: 1 });
      return { per10s: per10s - (count - 1), perDay: perDay - (count - 1) };
    },
  })),
  planted("takenAtMs is missing", ["a placement gets a finite number"], ({ take }) => ({
    takeOrders(placement) {
      const { takenAtMs: _takenAtMs, ...verdict } = take(placement);
      return verdict as OrderVerdict;
    },
  })),
];

const otherFaults = [
  planted("limits are hidden", ["shows the limits that it enforces"], () => ({ limits: undefined })),
  planted(
    "there are limits and they are declared as absent",
    ["a limiter without limits shows none"],
    () => ({}),
    { limits: false },
  ),
  planted("every connection is allowed", ["connections above the limit are refused"], () => ({
    connect: () => ({}),
  })),
  planted("connect is missing and declared", ["a limiter that counts connections has `connect`"], () => ({
    connect: undefined as never,
  })),
  planted(
    "connect is there and declared as absent",
    ["a limiter that does not count connections"],
    () => ({}),
    { connect: false },
  ),
];

/** A limiter that says that it is durable, and what it is after a restart. */
const restarted = (
  fault: string,
  breaks: readonly string[],
  after: (sound: Readonly<{ limiter: RateLimiter; clock: ManualClock }>) => RateLimiter,
  supports: Partial<RateLimiterSupport> = { durable: true },
): PlantedFault<RateLimiterSubject> => ({
  fault,
  breaks,
  subject: {
    name: fault,
    supports: { ...WHOLE, ...supports },
    createPlace({ limits, startMs }) {
      const clock = createManualClock({ startMs });
      const limiter = createMemoryRateLimiter({ clock, ...limits });
      return {
        ...{ limiter, reopen: () => after({ limiter, clock }), remove: () => {} },
        advanceBy: (ms) => clock.advanceBy(ms),
      };
    },
  },
});

const restartFaults = [
  restarted(
    "a restart forgets",
    ["the orders of the day are counted on", "a day that is full is full", "a ban lasts over a restart"],
    ({ clock }) => createMemoryRateLimiter({ clock, weightPerMinute: 10, ordersPer10s: 4, ordersPerDay: 6 }),
  ),
  restarted("orders are kept without their day", ["orders of an earlier day"], ({ limiter }) => ({
    ...partsOf(limiter),
    async takeOrders(placement) {
      const verdict = await limiter.takeOrders(placement);
      return { ...verdict, counts: { ...verdict.counts, perDay: verdict.counts.perDay + 2 } };
    },
  })),
  restarted(
    "a durable limiter is declared as one that is not",
    ["a limiter that is not durable begins with nothing"],
    ({ limiter }) => limiter,
    { durable: false },
  ),
];

/** A limiter for several nodes on one database, with a fault of its nodes or of the database. */
const ofNodes = (
  fault: string,
  breaks: readonly string[] = [],
  plant: (limiter: RateLimiter) => Partial<RateLimiter> = () => ({}),
  damage: (database: LimitDatabase) => void = () => undefined,
): PlantedFault<RateLimiterSubject> => ({
  ...{ fault, breaks },
  subject: {
    name: fault,
    supports: { ...WHOLE, durable: true, nodes: true },
    async createPlace({ limits, startMs }) {
      const database = new LimitDatabase({ startMs });
      damage(database);
      let last: RateLimiter | undefined;
      const open = async (): Promise<RateLimiter> => {
        const limiter = await database.open(limits);
        const { gained, lost } = limiter;
        const whole: RateLimiter = {
          ...partsOf(limiter),
          ...{ gained: gained?.bind(limiter) as never, lost: lost?.bind(limiter) as never },
        };
        last = { ...whole, ...plant(whole) };
        return last;
      };
      return {
        ...{ limiter: await open(), openBeside: open, advanceBy: (ms) => database.clock.advanceBy(ms) },
        async reopen() {
          await last?.lost?.();
          return await open();
        },
        remove: () => database.close(),
      };
    },
  },
});

const nodeFaults = [
  ofNodes("what is lost is not written", ["the orders of the day of an account move with it"], () => ({
    lost: () => undefined,
  })),
  ofNodes(
    "what is gained is not read",
    ["the orders of the day of an account move with it", "the limit of the day is one for all nodes"],
    () => ({ gained: () => undefined }),
  ),
  ofNodes(
    "orders of others count with each read",
    ["the orders of the day of an account move with it"],
    (limiter) => {
      let reads = 0;
      return {
        async gained(isHere) {
          reads++;
          await limiter.gained?.(isHere);
        },
        async takeOrders(placement) {
          const { counts, ...verdict } = await limiter.takeOrders(placement);
          const again = Math.max(0, reads - 1);
          return { ...verdict, counts: { ...counts, perDay: counts.perDay + again } };
        },
      };
    },
  ),
  ofNodes("returned orders stay written", ["orders that were returned do not move"], () => ({
    returnOrders: () => ({ per10s: 1, perDay: 1 }),
  })),
  ofNodes(
    "the rows of all days are read",
    ["orders of yesterday do not move"],
    () => ({}),
    (database) => {
      database.isOf = () => true;
    },
  ),
  ofNodes("gained is missing and declared", ["a limiter for several nodes has `gained`"], () => ({
    gained: undefined as never,
  })),
  planted("gained is there and declared as absent", ["a limiter for one node has neither"], () => ({
    gained: () => undefined,
  })),
];

const { connectionsPer5Min: _none, ...withoutConnections } = {
  ...{ weightPerMinute: 10, ordersPer10s: 4, ordersPerDay: 6, connectionsPer5Min: 0 },
};

testPlantedFaults("rate limiter", {
  declare: testRateLimiter,
  groups: rateLimiterRules,
  sound: [
    memorySubject("a limiter with all parts"),
    memorySubject("a limiter that is durable", () => ({}), { durable: true }),
    ofNodes("a limiter for several nodes").subject,
    memorySubject("a limiter that only counts", () => ({}), { limits: false, bans: false }, false),
    memorySubject(
      "a limiter without connections and bans",
      ({ weigh }) => ({
        limits: withoutConnections,
        connect: undefined as never,
        weigh(request) {
          const { used, refused } = weigh(request);
          return refused === undefined ? { used } : { used, refused: { ...refused, kind: "limit" } };
        },
      }),
      { connect: false, bans: false },
    ),
  ],
  faults: [...weightFaults, ...orderFaults, ...otherFaults, ...restartFaults, ...nodeFaults],
});
