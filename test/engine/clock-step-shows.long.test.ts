import { describe, expect, it } from "vitest";
import type { ManualClock } from "../../src/adapters/memory/index.ts";
import { formatQuantity } from "../../src/decimal/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type { ChildReport, ExecutionVenue, NotFound, VenueCapabilities } from "../../src/ports/index.ts";
import { filled } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const HOUR = 3_600_000;

/** The fate of the first child on its way to the venue. */
const STAGES = ["queued", "submitted", "lost before landing", "landing late", "lost after landing"] as const;
type Stage = (typeof STAGES)[number];

/** The clock by which the venue judges deadlines, and whether its "not found" states the time. */
const VENUES = [
  "its own clock",
  "the wall clock",
  "the wall clock, told without a time",
  "a clock 10 s ahead, told when asked",
  "a clock 10 s behind, told when asked",
  "a clock 10 s behind, told when asked and not found",
] as const;
type Kind = (typeof VENUES)[number];

/** How far a venue's own clock is ahead of true time. */
const aheadOf = (kind: Kind): number =>
  kind.includes("10 s ahead") ? 10_000 : kind.includes("10 s behind") ? -10_000 : 0;

const WAYS = [
  ["back an hour, then forth", [-HOUR, HOUR]],
  ["forth an hour, then back", [HOUR, -HOUR]],
] as const;

/** The shortest delay of a late message: longer than the wait for a lost child. */
const UNDER_WAY_MS = 10_000;

/** A venue that honors deadlines by a clock of its kind. Late messages may arrive an hour later. */
class Outside implements ExecutionVenue {
  readonly capabilities: VenueCapabilities = { honoursDeadline: true, canVoid: false, ratePerSecond: 1 };
  readonly executed: ChildRequest[] = [];
  /** Messages that are still in flight. */
  readonly underWay: (() => void)[] = [];
  readonly venueTimeMs?: () => Promise<number>;
  readonly #known: Map<string, ChildReport> = new Map();
  readonly #clock: ManualClock;
  readonly #kind: Kind;
  #stage: Stage | undefined;

  constructor(clock: ManualClock, kind: Kind, stage: Stage) {
    this.#clock = clock;
    this.#kind = kind;
    this.#stage = stage;
    if (kind.includes("when asked")) this.venueTimeMs = () => Promise.resolve(this.#nowMs());
  }

  async submit(child: ChildRequest, { deadlineMs }: Readonly<{ deadlineMs: number }>): Promise<ChildReport> {
    const stage = this.#stage;
    if (child.symbol === "BTC/USD") this.#stage = undefined;
    if (stage === "lost before landing" || stage === "landing late") {
      const fromMs = this.#clock.monotonicMs() + UNDER_WAY_MS;
      const arrive = (): void => {
        if (this.#clock.monotonicMs() >= fromMs) this.#land(child, deadlineMs);
      };
      if (stage === "landing late") this.underWay.push(arrive);
      return await new Promise<never>(() => undefined);
    }
    if (stage === "submitted") {
      return await new Promise((resolve) => {
        this.#clock.schedule(this.#clock.monotonicMs() + 1_500, () => resolve(this.#land(child, deadlineMs)));
      });
    }
    const report = this.#land(child, deadlineMs);
    return stage === "lost after landing" ? await new Promise<never>(() => undefined) : report;
  }

  async lookup({ childId }: ChildRequest): Promise<ChildReport | NotFound> {
    const known = this.#known.get(childId);
    if (known !== undefined) return known;
    const tellsNone = this.#kind.endsWith("without a time") || this.#kind.endsWith("when asked");
    return tellsNone ? "not-found" : { notFoundAtMs: this.#nowMs() };
  }

  subscribe(): () => void {
    return () => undefined;
  }

  /** A message arrives once; one refused for its deadline may have arrived a little earlier, so it tries again. */
  #land(child: ChildRequest, deadlineMs: number): ChildReport {
    const known = this.#known.get(child.childId);
    if (known !== undefined) return known;
    if (this.#nowMs() > deadlineMs) return { childId: child.childId, state: "rejected", fills: [] };
    const report = filled(child);
    this.#known.set(child.childId, report);
    this.executed.push(child);
    return report;
  }

  #nowMs(): number {
    if (this.#kind.startsWith("the wall clock")) return this.#clock.nowMs();
    return this.#clock.monotonicMs() + aheadOf(this.#kind);
  }
}

/** Seconds of the market; every message in flight tries to arrive in each of them. */
async function seconds(world: World, outside: Outside, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await world.quote("99", "100");
    await world.pass(1_000);
    for (const land of outside.underWay) land();
  }
}

const executedOf = (outside: Outside, orderId: number): string =>
  outside.executed
    .filter(({ parentOrderId }) => parentOrderId === orderId)
    .map(({ quantity }) => formatQuantity(quantity))
    .join(" ");

type Case = Readonly<{ stage: Stage; kind: Kind; steps: readonly number[]; restart: boolean }>;

/** One child in flight while the clock is set twice, with a schedule and an expiry beside it. */
async function run({ stage, kind, steps, restart }: Case): Promise<void> {
  const venues: Outside[] = [];
  const world = await createWorld({
    settings: { escalateAfterMs: 10 * HOUR },
    executes: (clock) => {
      const venue = new Outside(clock, kind, stage);
      venues.push(venue);
      return venue;
    },
  });
  const [outside] = venues;
  if (outside === undefined) throw new Error("no venue was made");
  const expireTime = START_MS + 2 * HOUR + 60_000;
  const order = await world.place({ price: "100", quantity: "1" });
  const gtd = await world.place({ price: "50", expireTime });
  if (stage === "queued") await world.place({ price: "100", quantity: "2" });
  await world.quote("99", "100");
  await world.pass(500);
  for (const stepMs of steps) {
    world.clock.stepWall(stepMs);
    if (restart) await world.crash();
    await seconds(world, outside, 20);
  }
  // The wall clock is right again. After the wrong hour, nothing waits for a deadline set in it.
  await world.pass(HOUR);
  await seconds(world, outside, 20);
  expect(executedOf(outside, order.orderId)).toBe("1");
  expect(await world.status(order)).toBe("FILLED FILLED");
  // Set back or forward, it expires by the requested time; a restart may lose seconds that were not recorded.
  const leftMs = expireTime - world.clock.monotonicMs();
  if (steps[0] === -HOUR) {
    await world.pass(leftMs - 1);
    expect(await world.status(gtd)).toBe("NEW WAITING");
  }
  await world.pass(expireTime - world.clock.monotonicMs() + (restart ? 45_000 : 0));
  expect(await world.status(gtd)).toBe("EXPIRED EXPIRED");
}

describe.each(WAYS)("decisions DA, DB, DD: one child in flight while the clock is set %s", (_way, steps) => {
  describe.each(VENUES)("at a venue that judges by %s", (kind) => {
    it.each(STAGES)("%s: one execution", (stage) => run({ stage, kind, steps, restart: false }));
    it.each(STAGES)("%s, over restarts: one execution", (stage) =>
      run({ stage, kind, steps, restart: true }),
    );
  });

  it("a schedule placed before has a child in every slot that the clock does not jump over", async () => {
    const world = await createWorld();
    await world.quote("99", "100");
    const count = 30;
    const terms = { type: "TWAP", quantity: "30", interval: 1_000, intervalCount: count } as const;
    const order = await world.place(terms);
    const sent = (): number => world.venue.submitted.length;
    for (const stepMs of [0, ...steps]) {
      world.clock.stepWall(stepMs);
      for (let n = 0; n < 10; n++) {
        await world.quote("99", "100");
        await world.pass(1_000);
      }
    }
    const jumps = steps[0] === HOUR;
    expect(sent()).toBe(jumps ? 11 : count);
    expect(await world.status(order)).toBe(jumps ? "EXPIRED EXPIRED" : "FILLED FILLED");
    // A schedule that is placed now, with the clock right again, is not affected.
    const later = await world.place(terms);
    for (let n = 0; n < count; n++) {
      await world.quote("99", "100");
      await world.pass(1_000);
    }
    expect(await world.status(later)).toBe("FILLED FILLED");
  });
});
