import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/common/random.ts";
import { formatPrice, price, quantity } from "../../../src/decimal/index.ts";
import type { ChildRequest } from "../../../src/model/index.ts";
import type { NativePlacement, SubmitOptions } from "../../../src/ports/index.ts";
import { type FaultRates, Faults } from "../../world/faults.ts";
import { Instance } from "../../world/instance.ts";
import { Market } from "../../world/market.ts";
import { type MarketPlan, NEAR_JUMP } from "../../world/plan.ts";
import { Situations } from "../../world/situations.ts";
import { TrueTape } from "../../world/true-tape.ts";
import { exactOf } from "../../world/venue-row.ts";
import { WorldNative } from "../../world/world-native.ts";
import { WorldTime } from "../../world/world-time.ts";
import { WorldVenue } from "../../world/world-venue.ts";
import { WorldVolumes } from "../../world/world-volumes.ts";
import { GIVEN } from "./campaign.ts";
import { RECORDED_ROWS } from "./recorded-rows.ts";

const START_MS = 1_760_000_000_000;
const MINUTE_MS = 60_000;
const turn = (): Promise<void> => GIVEN.turn();

/** The shared parts of a world, with faults that always strike at a rate of 1000. */
function shared(rates: FaultRates = {}) {
  return {
    random: createRandom(1),
    faults: new Faults(rates),
    situations: new Situations(),
    time: new WorldTime({ startMs: START_MS, turn }),
  };
}

const limits: SubmitOptions = { deadlineMs: START_MS + 2_000, signal: new AbortController().signal };

const child: ChildRequest = {
  childId: "aqc-1",
  parentOrderId: -1,
  accountId: 1,
  symbol: "BTC/USD",
  side: "BUY",
  quantity: quantity("1"),
  timeInForce: "IOC",
  reduceOnly: false,
};

describe("the hosts of a seeded world", () => {
  it("a venue repeats, to a new listener, fills that were withheld when a child was reported closed", async () => {
    const parts = shared({ "venue withholds fills": 1_000 });
    const venue = new WorldVenue({
      ...parts,
      capabilities: { honoursDeadline: true, canVoid: false },
      quietMs: 2_000,
      forgetsAfterMs: Number.POSITIVE_INFINITY,
      tellsTime: true,
      priceOf: () => price("100"),
      submitting: () => undefined,
      executed: () => undefined,
      isOpening: () => false,
    });
    const port = venue.open(new Instance(1, START_MS));
    const closed = [];
    for (let attempt = 1; attempt <= 20; attempt++)
      closed.push(await port.submit({ ...child, childId: `aqc-${attempt}` }, limits));
    expect(closed.every(({ fills }) => fills.length === 0)).toBe(true);
    venue.reportWithheld();
    const received: string[] = [];
    venue.open(new Instance(2, START_MS)).subscribe(({ report }) => {
      received.push(...report.fills.map(({ executionId }) => executionId));
    });
    await turn();
    const executed = [...venue.rows.values()].flatMap(({ fills }) =>
      fills.map(({ executionId }) => executionId),
    );
    expect(executed.length).toBeGreaterThan(5);
    expect(received).toEqual(executed);
  });

  it("a venue that forgets fails look-ups of a settled child, and never answers that it does not exist", async () => {
    const parts = shared({});
    const venue = new WorldVenue({
      ...parts,
      capabilities: { honoursDeadline: false, canVoid: true },
      quietMs: 2_000,
      forgetsAfterMs: 6_500,
      tellsTime: true,
      priceOf: () => price("100"),
      submitting: () => undefined,
      executed: () => undefined,
      isOpening: () => false,
    });
    const port = venue.open(new Instance(1, START_MS));
    await port.submit(child, limits);
    venue.settle();
    const reply: string[] = [];
    const ask = (): void => {
      for (const answer of [port.lookup(child), port.voidChild?.(child)])
        void answer?.then(
          (report) => reply.push(JSON.stringify(report)),
          () => reply.push("fails"),
        );
    };
    for (const afterMs of [6_000, 6_000, 7_000, 100]) {
      await parts.time.pass(afterMs);
      ask();
      await turn();
    }
    expect(reply.slice(0, 4).every((text) => text.includes('"state":"closed"'))).toBe(true);
    expect(reply.slice(4).every((text) => text === "fails")).toBe(true);
    expect(venue.executedOf(child.parentOrderId)).toBe(exactOf(child));
    expect(parts.situations.counts).toMatchObject({ "child forgotten by the venue": 1 });
  });

  it("a native order whose answer is lost is kept, and its request finds it again", async () => {
    const parts = shared({ "native orders lose an answer": 1_000 });
    const native = new WorldNative({ ...parts, priceOf: () => price("100"), traded: () => undefined });
    const port = native.open(new Instance(1, START_MS));
    const placement: NativePlacement = {
      accountId: 1,
      requestKey: "a",
      symbol: "BTC/USD",
      side: "BUY",
      type: "MARKET",
      clientOrderId: "mine",
      quantity: quantity("1"),
    };
    const answers: string[] = [];
    for (let left = 12; left > 0; left--)
      void port.place({ ...placement, requestKey: `${left}` }).then(
        () => answers.push("answered"),
        () => answers.push("lost"),
      );
    await turn();
    expect(new Set(answers)).toEqual(new Set(["lost"]));
    expect(native.book.named(1, "mine")).toHaveLength(12);
    expect(native.book.place({ ...placement, requestKey: "12" })).toMatchObject({
      created: false,
      fills: [{}],
    });
  });

  it("volumes are the same at every request, and invalid ones never occur", async () => {
    const range = { symbol: "BTC/USD", fromMs: START_MS - (START_MS % MINUTE_MS) - 512 * MINUTE_MS };
    const whole = { ...range, toMs: range.fromMs + 512 * MINUTE_MS };
    const right = new WorldVolumes({ ...shared(), requireThat: () => undefined });
    expect(right.minutes(whole)).toEqual(right.minutes(whole));
    expect(right.minutes(whole).length).toBeGreaterThan(300);
    const wrong = new WorldVolumes({
      ...shared({ "volumes are nonsense": 1_000 }),
      requireThat: () => undefined,
    });
    const answer = wrong.open(new Instance(1, START_MS)).minutes(whole);
    expect(await answer).not.toEqual(right.minutes(whole));
    expect(right.requested("BTC/USD")).toEqual([]);
    expect(wrong.requested("BTC/USD")).toEqual([whole]);
  });

  it("a print that arrives before its fill is counted as external", () => {
    const tape = new TrueTape(shared());
    tape.owe("BTC/USD", { name: "aqc-1 x1", id: "x1", size: { quantity: quantity("1") } });
    let reported = "";
    for (let left = 50; reported !== "x1" && left > 0; left--)
      reported = tape.next("BTC/USD", START_MS).id ?? "";
    const others = tape.tradesSince("BTC/USD", { ms: START_MS }, (id) => id === "x1");
    const countedAtMs = START_MS + 5;
    const isOwn = (id: string, reportedAtMs: number): boolean => id === "x1" && countedAtMs < reportedAtMs;
    expect(tape.tradesSince("BTC/USD", { ms: START_MS }, isOwn)).toBe(others + 1);
  });

  it("a recorded market plays rows of the day, in their order", () => {
    const market = marketOf({ style: "recorded" });
    const reported = Array.from({ length: 50 }, (_, at) => market.next(START_MS + at).quote.bid);
    const places = reported.map((bid) => RECORDED_ROWS.findIndex((row) => row.bid === bid));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(formatPrice(market.price)).toBe(String(reported.at(-1)).replace(/\.?0+$/, ""));
  });

  it("a repeated jump stays where the end of a world can trade", () => {
    const market = marketOf({ style: "walk" }, { "quotes are bad": 1_000 });
    const reported = Array.from({ length: 400 }, (_, at) => market.next(START_MS + at)).filter(
      ({ bad }) => bad === "jump",
    );
    const again = reported.filter((one, at) => one === reported[at - 1]);
    expect(again.length).toBeGreaterThan(0);
    expect(new Set(reported.map(({ quote }) => quote.bid))).toEqual(new Set(["300", "30"]));
  });
});

function marketOf(plan: Partial<MarketPlan>, rates: FaultRates = {}): Market {
  return new Market({
    plan: { symbol: "BTC/USD", style: "walk", sized: false, stamped: false, tick: 1, ...plan },
    random: createRandom(3),
    faults: new Faults(rates),
    rows: RECORDED_ROWS,
    jumpFactor: NEAR_JUMP,
  });
}
