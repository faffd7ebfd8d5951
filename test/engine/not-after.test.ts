import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { VenueBuffer } from "../../src/cluster/heard.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { childIdOf } from "../../src/lifecycle/index.ts";
import { ExecutionIds, type ParentOrder } from "../../src/model/index.ts";
import type { NotFound, VenueEvent } from "../../src/ports/index.ts";
import { createFaultyWorld } from "../support/faulty-world.ts";
import { createScriptedVenue, fillOf, reported } from "../support/scripted-venue.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

const STOP = { type: "STOP_MARKET", stopPrice: "100" } as const;
const HOUR = 3_600_000;

/** The latest hand-over time of each child, as its intent says, from the start of the world. */
const lastTimes = (world: World): readonly (number | undefined)[] =>
  world.updates.flatMap(({ record }) =>
    record.changes.flatMap(({ facts }) =>
      facts.flatMap((fact) => (fact.kind === "CHILD_INTENDED" ? [fact.child.notAfterMs - START_MS] : [])),
    ),
  );

const withdrawals = (world: World): readonly string[] =>
  world.updates.flatMap(({ record }) =>
    record.changes.flatMap(({ facts }) =>
      facts.flatMap((fact) =>
        fact.kind === "CHILD_CLOSED" && fact.outcome === "WITHDRAWN" ? [fact.detail ?? ""] : [],
      ),
    ),
  );

describe("an intent states the latest hand-over time of its child, in the venue's time", () => {
  it("the wall clock plus the time of a submit; the venue gets no later deadline", async () => {
    const world = await createWorld();
    await world.place(STOP);
    await world.quote("99", "100");
    expect(lastTimes(world)).toEqual([2_000]);
    expect(world.venue.deadlines).toEqual([START_MS + 2_000]);
  });

  it("complaint 49: 25 stops on one quote go out in order at ten per second, none withdrawn for its time", async () => {
    const venue = createScriptedVenue({ ratePerSecond: 10 });
    const world = await createWorld({ venue });
    const orders: number[] = [];
    for (let n = 0; n < 25; n++) orders.push((await world.place(STOP, 1 + (n % 2))).orderId);
    await world.quote("99", "100");
    for (let n = 0; n < 30; n++) await world.pass(100);
    expect(venue.submitted.map((child) => child.parentOrderId)).toEqual(orders);
    expect(withdrawals(world)).toEqual([]);
    expect(lastTimes(world)).toEqual(orders.map((_, n) => 2_000 + 100 * n));
    const sentAt = venue.submitted.map((_, n) => START_MS + 100 * n);
    expect(venue.deadlines).toEqual(sentAt.map((ms) => ms + 2_000));
  });

  it("children whose record was lost take no time from later ones", async () => {
    const venue = createScriptedVenue({ ratePerSecond: 10 });
    const { world, store } = await createFaultyWorld({ venue });
    await world.place({ price: "100" });
    store().inject("fail", 1);
    await world.quote("99", "100");
    expect(venue.submitted).toEqual([]);
    await world.quote("99", "100");
    expect([venue.submitted.length, lastTimes(world)]).toEqual([1, [2_000]]);
  });

  it("I20, I26: a child whose time has passed once it is durable is withdrawn, and the parent tries again", async () => {
    let whileKeeping: () => void = () => undefined;
    const world = await createWorld({
      probe: (point) => {
        if (point === "after-append") whileKeeping();
      },
    });
    await world.place(STOP);
    whileKeeping = () => {
      whileKeeping = () => undefined;
      world.clock.stepWall(HOUR);
    };
    await world.quote("99", "100");
    expect(world.venue.submitted).toEqual([]);
    expect(withdrawals(world)).toEqual(["the time for it has passed"]);
    await world.pass(100);
    await world.quote("99", "100");
    // Nothing confirms the later time, so that it sets no deadline.
    expect(world.venue.deadlines).toEqual([START_MS + 100 + 2_000]);
  });

  it("a wall clock that is set back meanwhile gives the venue no more time than a submit has", async () => {
    let whileKeeping: () => void = () => undefined;
    const world = await createWorld({
      probe: (point) => {
        if (point === "after-append") whileKeeping();
      },
    });
    await world.place(STOP);
    whileKeeping = () => {
      whileKeeping = () => undefined;
      world.clock.stepWall(-HOUR);
    };
    await world.quote("99", "100");
    expect(world.venue.deadlines).toEqual([START_MS - HOUR + 2_000]);
  });
});

/** A child that the venue never received, whose answer was lost, and the later answers to look-ups. */
async function lostChild(answer: (world: World) => NotFound): Promise<World> {
  const venue = createScriptedVenue();
  venue.onSubmit = () => "silence";
  const world = await createWorld({ venue, settings: { escalateAfterMs: 2 * HOUR } });
  venue.onLookup = () => answer(world);
  await world.place({ price: "100" });
  await world.quote("99", "100");
  return world;
}

const isVoided = (world: World): boolean =>
  world.updates.some(({ record }) =>
    record.changes.some(({ facts }) =>
      facts.some((fact) => fact.kind === "CHILD_CLOSED" && fact.outcome === "VOIDED"),
    ),
  );

describe("I22: a child is void only when the venue's clock has passed its deadline", () => {
  it.each([
    ["its own time, still before the deadline", -HOUR, false],
    ["its own time, at the deadline", -2_100, false],
    ["its own time, after it", 0, true],
    ["an hour ahead of the local time", HOUR, true],
  ])("an answer with %s", async (_what, aheadMs, expected) => {
    const venueTime = (world: World): NotFound => ({ notFoundAtMs: world.clock.monotonicMs() + aheadMs });
    const world = await lostChild((of) =>
      aheadMs === -2_100 ? { notFoundAtMs: START_MS + 2_000 } : venueTime(of),
    );
    await world.pass(4_000);
    await world.pass(600);
    expect(isVoided(world)).toBe(expected);
  });

  it("and never before the time of a submit and the quiet time, whatever the venue's clock says", async () => {
    const world = await lostChild((of) => ({ notFoundAtMs: of.clock.monotonicMs() + HOUR }));
    await world.pass(3_999);
    expect(isVoided(world)).toBe(false);
    await world.pass(200);
    expect(isVoided(world)).toBe(true);
  });

  it("without the venue's time, a wall clock that was set forward proves nothing sooner", async () => {
    const world = await lostChild(() => "not-found");
    world.clock.stepWall(HOUR);
    await world.pass(3_999);
    expect(isVoided(world)).toBe(false);
    await world.pass(200);
    expect(isVoided(world)).toBe(true);
  });

  it("without the venue's time, a wall clock that was set back must pass the deadline again", async () => {
    const world = await lostChild(() => "not-found");
    world.clock.stepWall(-HOUR);
    await world.pass(30 * 60_000);
    expect(isVoided(world)).toBe(false);
    await world.pass(31 * 60_000);
    expect(isVoided(world)).toBe(true);
  });

  it("after a restart the deadline is that of the intent, not one that began with the restart", async () => {
    const world = await lostChild((of) => ({ notFoundAtMs: of.clock.nowMs() }));
    await world.pass(1_000);
    world.clock.stepWall(-HOUR);
    await world.crash();
    await world.pass(30 * 60_000);
    expect(isVoided(world)).toBe(false);
    await world.pass(31 * 60_000);
    expect(isVoided(world)).toBe(true);
  });

  it("an unreadable time of the venue is not an answer", async () => {
    const world = await lostChild(() => ({ notFoundAtMs: Number.NaN }));
    await world.pass(60_000);
    expect(isVoided(world)).toBe(false);
  });
});

const TTL_MS = 10_000;
const child = (n: number): string => childIdOf({ orderId: -256 * n, acceptedAtMs: START_MS }, 1);

function buffered(most?: Readonly<{ events: number; bytes: number }>) {
  const clock = createManualClock({ startMs: START_MS });
  const received: string[] = [];
  const telemetry = { event: (_level: string, name: string) => void received.push(name) };
  const core = coreOf({ clock, telemetry, store: createMemoryStore() } as never);
  const venue = createScriptedVenue();
  const buffer = new VenueBuffer(core, TTL_MS, most);
  buffer.begin(venue);
  const passed = (): readonly VenueEvent[] => {
    const events: VenueEvent[] = [];
    buffer.passOn((event) => events.push(event));
    return events;
  };
  return { clock, venue, buffer, received, passed };
}

const executionsIn = (events: readonly VenueEvent[]): readonly string[] =>
  events.flatMap(({ report }) => report.fills.map(({ executionId }) => executionId));

const fillWith = (id: string) => [fillOf({ quantity: "1", id })];

describe("events of the venue that a standby keeps", () => {
  it("an event that the venue sends again and again is kept once", () => {
    const { venue, passed, buffer } = buffered({ events: 3, bytes: 1e6 });
    venue.say(reported(child(1), "open", fillWith("first")));
    for (let n = 0; n < 1_000; n++) venue.say(reported(child(2), "open", fillWith("again")));
    venue.say(reported(child(2), "closed", fillWith("again")));
    expect(buffer.lost).toBe(0);
    expect(executionsIn(passed())).toEqual(["first", "again", "again"]);
  });

  it("more than the bound: the oldest goes, is counted, and the operator is told once", () => {
    const { venue, buffer, received, passed } = buffered({ events: 2, bytes: 1e6 });
    for (const n of [1, 2, 3, 4]) venue.say(reported(child(n), "open", fillWith(`x${n}`)));
    expect(buffer.lost).toBe(2);
    expect(received).toEqual(["standby.events-dropped"]);
    expect(executionsIn(passed())).toEqual(["x3", "x4"]);
  });

  it("events of many executions are bounded by bytes, and nothing but what is read of them is kept", () => {
    const { venue, buffer, passed } = buffered({ events: 1_000, bytes: 100_000 });
    const fills = (n: number) =>
      Array.from({ length: 100 }, (_, k) => fillOf({ quantity: "1", id: `${n}-${k}` }));
    for (let n = 1; n <= 5; n++)
      venue.say({ ...reported(child(n), "open", fills(n)), raw: "x".repeat(1_000_000) } as never);
    expect(buffer.lost).toBe(3);
    const events = passed();
    expect(events.map(({ report }) => report.childId)).toEqual([child(4), child(5)]);
    expect(JSON.stringify(events).length).toBeLessThan(100_000);
  });

  it("an event without executions, or of a child that is not the engine's, goes after two ttl, and is no loss", async () => {
    const { clock, venue, buffer, passed } = buffered();
    venue.say(reported(child(1), "open"));
    venue.say(reported("foreign", "open", fillWith("theirs")));
    venue.say(reported(child(2), "open", fillWith("ours")));
    await clock.advanceBy(2 * TTL_MS + 1);
    expect(executionsIn(passed())).toEqual(["ours"]);
    expect(buffer.lost).toBe(0);
  });

  it("an event that cannot be read is passed on as such, with its readable executions", () => {
    const { venue, passed } = buffered();
    venue.say({ ...reported(child(1), "open", fillWith("readable")), state: "asleep" } as never);
    const [event] = passed();
    expect(event?.report.state).toBeUndefined();
    expect(event?.report.fills).toHaveLength(1);
  });

  it("an event whose executions were counted before it came goes after two ttl, and is no loss", async () => {
    const { clock, venue, buffer, passed } = buffered({ events: 4, bytes: 1e6 });
    const requested: number[] = [];
    const orderOf = async (orderId: number): Promise<ParentOrder | undefined> => {
      requested.push(orderId);
      if (orderId === -256 * 2) return undefined;
      const executions = ExecutionIds.NONE.with(child(1), orderId === -256 * 3 ? "other" : "x1");
      return { executions } as unknown as ParentOrder;
    };
    for (const n of [1, 2, 3]) venue.say(reported(child(n), "closed", fillWith(`x${n}`)));
    await buffer.settle(orderOf);
    expect(requested).toEqual([]);
    await clock.advanceBy(2 * TTL_MS + 1);
    await buffer.settle(orderOf);
    await buffer.settle(orderOf);
    expect(requested).toEqual([-256, -512, -768]);
    for (const n of [4, 5, 6]) venue.say(reported(child(n), "open", fillWith(`x${n}`)));
    expect(buffer.lost).toBe(0);
    expect(executionsIn(passed())).toEqual(["x3", "x4", "x5", "x6"]);
  });

  it("an event of an order whose records were not read yet stays", async () => {
    const { clock, venue, buffer, passed } = buffered();
    venue.say(reported(child(1), "closed", fillWith("x1")));
    await clock.advanceBy(2 * TTL_MS + 1);
    await buffer.settle(async () => "unread");
    expect(executionsIn(passed())).toEqual(["x1"]);
  });

  it("an event whose order cannot be looked up stays, and is looked up again", async () => {
    const { clock, venue, buffer, passed } = buffered();
    venue.say(reported(child(1), "closed", fillWith("x1")));
    await clock.advanceBy(2 * TTL_MS + 1);
    await expect(buffer.settle(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
    await clock.advanceBy(2 * TTL_MS + 1);
    let looks = 0;
    await buffer.settle(async () => {
      looks++;
      return { executions: ExecutionIds.NONE } as unknown as ParentOrder;
    });
    expect([looks, executionsIn(passed())]).toEqual([1, ["x1"]]);
  });
});
