import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { createRandom } from "../../src/common/random.ts";
import { type DueChild, VenuePace, VenueQueue } from "../../src/engine/children/venue-queue.ts";
import { type Core, coreOf } from "../../src/engine/core/core.ts";
import { Fifo } from "../../src/engine/core/fifo.ts";
import { Bursts } from "../../src/engine/time/bursts.ts";
import { shardOfId } from "../../src/model/index.ts";
import { turns } from "../support/faulty-world.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { seedOr } from "../support/seed.ts";
import { createWorld, START_MS } from "../support/world.ts";

/** Bursts whose clock starts the next turn only on request. */
function burstsOf(isBehind: () => boolean = () => false) {
  const clock = createManualClock({ startMs: 0 });
  const requested: (() => void)[] = [];
  const reported: string[] = [];
  const options = {
    store: createMemoryStore(),
    clock: { ...clock, soon: (run: () => void) => void requested.push(run) },
    telemetry: { event: (_level: string, name: string) => void reported.push(name) },
  };
  const bursts = new Bursts(coreOf(options as unknown as Parameters<typeof coreOf>[0]), {
    get isBehind() {
      return isBehind();
    },
  });
  const next = (): boolean => {
    const run = requested.shift();
    run?.();
    return run !== undefined;
  };
  return { bursts, next, reported };
}

/** Steps of one unit each that record the order of execution. */
function* noting(into: string[], name: string, steps: number): Generator<number, void> {
  for (let step = 0; step < steps; step++) {
    into.push(name);
    yield 1;
  }
}

const countOf = (done: readonly string[], name: string): number => done.filter((one) => one === name).length;

describe("long work shares the turns of the event loop", () => {
  it("a small piece of work runs at once, and requests one turn", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "a", 3));
    bursts.do("time", 1, () => void done.push("b"));
    expect(done).toEqual(["a", "a", "a", "b"]);
    expect([next(), next()]).toEqual([true, false]);
  });

  it("no turn uses more than 128 units, however many lanes have work", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    for (let key = 0; key < 10; key++) bursts.add("attempts", key, noting(done, `${key}`, 100));
    const perTurn = [done.length];
    for (let before = done.length; next(); before = done.length) perTurn.push(done.length - before);
    expect(done).toHaveLength(1_000);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(128);
  });

  it("a shard that waits for the work of a key does not make the key look busy after that work", async () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    let passed = 0;
    const quote = (name: string, steps: number): void => {
      if (!bursts.has("quotes", "BTC/USD")) bursts.add("quotes", "BTC/USD", noting(done, name, steps));
    };
    quote("first", 2 * 128 - 4);
    for (let shard = 0; shard < 16; shard++) void bursts.past("quotes").then(() => passed++);
    next();
    quote("second", 1);
    while (next());
    expect(countOf(done, "second")).toBe(1);
    await turns(8);
    expect(passed).toBe(16);
  });

  it("keys of a lane take turns, and the work of one key runs in order of arrival", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "busy", noting(done, "first", 500));
    bursts.add("attempts", "busy", noting(done, "second", 1));
    bursts.add("attempts", "other", noting(done, "other", 1));
    next();
    expect(done).toContain("other");
    while (next());
    expect(done.indexOf("second")).toBe(done.lastIndexOf("first") + 1);
  });

  it("cancels go before the decisions of quotes, and leave them a part of each turn", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "attempt", 1_000));
    bursts.add("cancels", 1, noting(done, "cancel", 1_000));
    done.length = 0;
    next();
    expect(countOf(done, "cancel")).toBeGreaterThan(countOf(done, "attempt"));
    expect(countOf(done, "attempt")).toBe(16);
    while (next());
    expect(done.filter((one) => one === "cancel")).toHaveLength(1_000);
  });

  it("no work starts while the store is behind; it continues when woken", () => {
    let behind = true;
    const { bursts, next } = burstsOf(() => behind);
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "attempt", 1));
    bursts.add("quotes", "BTC/USD", noting(done, "quote", 1));
    while (next());
    expect(done).toEqual([]);
    behind = false;
    expect(next()).toBe(false);
    bursts.wake();
    while (next());
    expect(done).toEqual(["quote", "attempt"]);
  });

  it("work that fails is reported, and stops no other work", () => {
    const { bursts, reported } = burstsOf();
    const done: string[] = [];
    bursts.do("time", 1, () => {
      throw new Error("broken");
    });
    bursts.do("time", 1, () => void done.push("next"));
    expect(done).toEqual(["next"]);
    expect(reported).toEqual(["work.failed"]);
  });

  it("units that other work has used in a turn are not available again: the rest continues in the next", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.spend(100);
    bursts.add("attempts", "BTC/USD", noting(done, "a", 60));
    expect(done).toHaveLength(28);
    expect([next(), next(), next()]).toEqual([true, true, false]);
    expect(done).toHaveLength(60);
  });

  it("no work runs after the stop", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "a", 200));
    bursts.stop();
    const before = done.length;
    while (next());
    bursts.add("attempts", "BTC/USD", noting(done, "b", 1));
    expect(done).toHaveLength(before);
  });
});

const [SLOW, OTHER] = [-1, -2];

const due = (parentOrderId: number, childId: string, reduceOnly = false): DueChild =>
  ({ child: { accountId: -parentOrderId, parentOrderId, childId, reduceOnly }, notAfterMs: 0 }) as DueChild;

/** Queues the children, and returns the queue and what removes all of them in their order. */
function queued(...children: readonly DueChild[]) {
  const queue = new VenueQueue({} as unknown as Core, {} as never, {} as never, {} as never);
  for (const child of children) queue.add(child);
  const rest = (): string => {
    const ids: string[] = [];
    for (let { first } = queue; first !== undefined; { first } = queue) {
      ids.push(first.child.childId);
      queue.shift();
    }
    return ids.join();
  };
  return { queue, rest };
}

it("children that were aside go before those that came later, and not before those that came earlier", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(OTHER, "b"), due(SLOW, "c"), due(OTHER, "d"));
  queue.setAside(shardOfId(SLOW));
  queue.add(due(SLOW, "e"));
  queue.add(due(OTHER, "f"));
  queue.setAside(shardOfId(SLOW));
  queue.withdraw(shardOfId(SLOW));
  expect(rest()).toBe("a,b,c,d,e,f");
});

it("those that reduce a position go first also after they were aside", () => {
  const { queue, rest } = queued(
    due(OTHER, "a"),
    due(SLOW, "b"),
    due(OTHER, "c", true),
    due(SLOW, "d", true),
  );
  queue.setAside(shardOfId(SLOW));
  queue.add(due(OTHER, "e", true));
  queue.withdraw(shardOfId(SLOW));
  expect(rest()).toBe("c,d,e,a,b");
});

it("children that were put last go behind those that were aside", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(OTHER, "b"), due(SLOW, "c"));
  queue.setAside(shardOfId(SLOW));
  queue.putLast(shardOfId(OTHER));
  queue.withdraw(shardOfId(SLOW));
  expect(rest()).toBe("a,c,b");
  expect(queue.size).toBe(0);
});

it("children that were removed while they were aside do not come back: they would be sent twice", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(OTHER, "b"));
  queue.setAside(shardOfId(SLOW));
  expect(queue.takeOf(new Set([shardOfId(SLOW)]))).toMatchObject([{ child: { childId: "a" } }]);
  queue.withdraw(shardOfId(SLOW));
  expect([queue.size, rest()]).toEqual([1, "b"]);
});

it("accounts take turns, and the children of one keep their order", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(SLOW, "b"), due(SLOW, "c"), due(SLOW, "d"));
  queue.shift();
  queue.add(due(OTHER, "e"));
  queue.add(due(OTHER, "f"));
  queue.add(due(SLOW, "g"));
  expect(rest()).toBe("b,e,c,f,d,g");
});

it("the children of an account that were removed do not keep its later ones back", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(SLOW, "b"), due(OTHER, "c"), due(OTHER, "d"));
  expect(queue.takeOf(new Set([shardOfId(SLOW)]))).toMatchObject([
    { child: { childId: "a" } },
    { child: { childId: "b" } },
  ]);
  queue.add(due(SLOW, "e"));
  expect(rest()).toBe("c,e,d");
});

it("those that were put last take turns with each other", () => {
  const { queue, rest } = queued(due(SLOW, "a"), due(SLOW, "b"), due(OTHER, "c"), due(OTHER, "d"));
  queue.putLast(shardOfId(SLOW));
  queue.putLast(shardOfId(OTHER));
  expect(rest()).toBe("a,b,c,d");
});

/** The highest count within any second, wherever it begins; times are in order. */
function mostInASecond(times: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [index, ms] of times.entries()) {
    while ((times[first] ?? ms) <= ms - 1_000) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** Hand-over times of children that always wait, with wake-ups only at the times of `ticks`. */
function sendTimes(rate: number, ticks: Iterable<number>): readonly number[] {
  const pace = new VenuePace();
  pace.declare(rate);
  const times: number[] = [];
  for (const nowMs of ticks)
    for (; pace.waitMs(nowMs) === 0; times.push(nowMs)) pace.sent(nowMs, times.length > 0);
  return times;
}

function* everyMs(untilMs: number): Iterable<number> {
  for (let ms = 0; ms < untilMs; ms++) yield START_MS + ms;
}

const RATES = [0.25, 1, 7, 19.5, 20, 500, 900, 1_500, 12_345];

describe("the rate that a venue declares", () => {
  it.each(RATES)("%d per second: is reached, and no second has more", (rate) => {
    const times = sendTimes(rate, everyMs(20_000));
    expect(mostInASecond(times)).toBeLessThanOrEqual(Math.ceil(rate));
    expect(times.length).toBe(Math.ceil(20 * rate));
  });

  it.each(RATES)("%d per second: the same if timers come late, within one percent", (rate) => {
    const seed = seedOr(20_261_122);
    const random = createRandom(seed);
    function* late(): Iterable<number> {
      for (let ms = START_MS; ms < START_MS + 60_000; ms += 1 + random.below(4)) yield ms;
    }
    const times = sendTimes(rate, late());
    expect(mostInASecond(times), `SEED=${seed}`).toBeLessThanOrEqual(Math.ceil(rate));
    expect(times.length, `SEED=${seed}`).toBeGreaterThanOrEqual(Math.floor(60 * rate * 0.99));
  });

  it("after a pause the quantity of 50 ms goes out at once, at least one", () => {
    for (const [rate, burst] of [
      [10, 1],
      [100, 6],
      [900, 46],
    ] as const) {
      const times = sendTimes(rate, [START_MS, START_MS + 10_000]);
      expect(times.filter((ms) => ms === START_MS)).toHaveLength(burst);
    }
  });

  it("a lowered rate applies from then on, and a withdrawn rate no longer", () => {
    const pace = new VenuePace();
    pace.declare(100);
    for (; pace.waitMs(0) === 0; ) pace.sent(0, false);
    pace.declare(1);
    expect(pace.waitMs(10)).toBe(990);
    expect(pace.waitMs(1_000)).toBe(0);
    pace.sent(1_000, true);
    expect(pace.waitMs(1_001)).toBeGreaterThan(0);
    pace.declare(undefined);
    expect(pace.waitMs(1_001)).toBe(0);
  });

  it("states how long a child waits behind others, and it never waits longer", () => {
    for (const rate of [1, 7, 300, 900]) {
      const pace = new VenuePace();
      pace.declare(rate);
      const reported = Array.from({ length: 2_000 }, (_, others) => pace.behindMs(START_MS, others));
      const times = sendTimes(rate, everyMs((reported.at(-1) ?? 0) + 1)).slice(0, 2_000);
      const late = times.filter((ms, index) => ms - START_MS > (reported[index] ?? 0));
      expect([late, times.length]).toEqual([[], 2_000]);
    }
  });
});

describe("children of one quote at 300 a second", () => {
  it("go out at that rate in order, the first at once, and none is withdrawn for its time", async () => {
    const venue = createScriptedVenue({ ratePerSecond: 300 });
    const world = await createWorld({ venue, settings: { submitDeadlineMs: 200 } });
    const sentAt: number[] = [];
    const { onSubmit } = venue;
    venue.onSubmit = (child) => {
      sentAt.push(world.clock.monotonicMs() - START_MS);
      return onSubmit(child);
    };
    const orders: number[] = [];
    for (let n = 0; n < 700; n++)
      orders.push((await world.place({ type: "STOP_MARKET", stopPrice: "100" })).orderId);
    await world.quote("99", "100");
    expect(sentAt).toHaveLength(16);
    await world.pass(999);
    expect(sentAt).toHaveLength(300);
    await world.pass(1_000);
    expect(sentAt).toHaveLength(600);
    await world.pass(1_000);
    expect(mostInASecond(sentAt)).toBe(300);
    expect(venue.submitted.map((child) => child.parentOrderId)).toEqual(orders);
  });
});

it("a queue is left in the order in which it was joined", () => {
  const line = new Fifo<number>();
  const out: (number | undefined)[] = [];
  for (let n = 0; n < 5_000; n++) {
    line.push(n);
    if (n % 3 > 0) out.push(line.shift());
  }
  expect([line.first, line.last, line.size]).toEqual([out.length, 4_999, 5_000 - out.length]);
  while (line.size > 0) out.push(line.shift());
  expect(out).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
  expect([line.shift(), line.first, line.last, line.size]).toEqual([undefined, undefined, undefined, 0]);
  for (const item of [1, 2, 3, 4]) line.push(item);
  expect(line.takeWhile((item, taken) => item < 4 && taken < 2)).toEqual([1, 2]);
  expect([line.some((item) => item === 2), line.some((item) => item === 3), line.size]).toEqual([
    false,
    true,
    2,
  ]);
  line.clear();
  expect([line.first, line.size]).toEqual([undefined, 0]);
});
