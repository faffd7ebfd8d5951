import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { Reconciler } from "../../src/engine/children/reconciler.ts";
import { VenueClock } from "../../src/engine/children/venue-clock.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { OpenCalls, Trust } from "../../src/engine/core/open-calls.ts";
import { ExecutionAttempts } from "../../src/engine/eligibility/execution-attempts.ts";
import { ShardLife } from "../../src/engine/shards/shard-state.ts";
import { Timers } from "../../src/engine/time/timers.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import { createScriptedVenue } from "../support/scripted-venue.ts";
import { START_MS } from "../support/world.ts";

const TERM = { ttlMs: 10_000, marginMs: 2_000 };

function leased() {
  const clock = createManualClock({ startMs: START_MS });
  const now = () => ({ wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() });
  const trust = new Trust(now, TERM);
  return { clock, now, trust };
}

/** The life of a shard that resumes with every renewal, as in an engine. */
function lifeOf(trust: Trust): ShardLife {
  const life = new ShardLife({ shard: 0, maxWaiting: 10, trust, telemetry: { event: () => undefined } });
  trust.onExtended(() => life.resume());
  return life;
}

describe("trust counts from the question of a renewal, by both clocks", () => {
  it("it begins with the first renewal and ends a margin before the ttl", async () => {
    const { clock, now, trust } = leased();
    expect(trust.holds).toBe(false);
    const requested = now();
    await clock.advanceBy(3_000);
    trust.extend(requested);
    await clock.advanceBy(4_999);
    expect(trust.holds).toBe(true);
    await clock.advanceBy(1);
    expect(trust.holds).toBe(false);
  });

  it.each([
    ["forward, as after a sleep of the machine,", TERM.ttlMs],
    ["back", -1],
  ])("a wall clock that goes %s ends it", (_, stepMs) => {
    const { clock, now, trust } = leased();
    trust.extend(now());
    clock.stepWall(stepMs);
    expect(trust.holds).toBe(false);
    trust.extend(now());
    expect(trust.holds).toBe(true);
  });

  it("an answer to an earlier question takes nothing away, and an ended trust never comes back", async () => {
    const { clock, now, trust } = leased();
    const earlier = now();
    await clock.advanceBy(5_000);
    trust.extend(now());
    trust.extend(earlier);
    await clock.advanceBy(5_000);
    expect(trust.holds).toBe(true);
    trust.end();
    trust.extend(now());
    expect(trust.holds).toBe(false);
  });
});

describe("lapsed trust suspends", () => {
  it("inputs wait in order and run once after the next renewal, and callers are refused", () => {
    const { now, trust } = leased();
    const telemetry = { event: () => undefined };
    const life = new ShardLife({ shard: 0, maxWaiting: 10, trust, telemetry });
    trust.onExtended(() => life.resume());
    life.enter("running");
    const seen: string[] = [];
    life.post(() => seen.push("fill"));
    life.post(
      () => seen.push("caller"),
      () => seen.push("refused"),
    );
    life.post(() => seen.push("timer"));
    expect(seen).toEqual(["refused"]);
    trust.extend(now());
    expect(seen).toEqual(["refused", "fill", "timer"]);
    life.post(() => seen.push("next"));
    trust.extend(now());
    expect(seen).toEqual(["refused", "fill", "timer", "next"]);
  });

  it("trust that lapses between two waiting inputs stops the drain: the rest waits in order, callers are refused", async () => {
    const { clock, now, trust } = leased();
    const life = lifeOf(trust);
    const seen: string[] = [];
    const post = (name: string, run = (): unknown => seen.push(name)): void => life.post(() => void run());
    const ask = (name: string): void =>
      life.post(
        () => seen.push(name),
        () => seen.push(`${name} refused`),
      );
    post("fill 1", () => {
      seen.push("fill 1");
      post("from fill 1");
      clock.stepWall(TERM.ttlMs);
    });
    ask("caller");
    post("fill 2");
    trust.extend(now());
    life.enter("running");
    expect(seen).toEqual(["fill 1", "caller refused"]);
    trust.extend(now());
    expect(seen).toEqual(["fill 1", "caller refused", "fill 2", "from fill 1"]);
  });

  it("a caller that waited for a reload is refused if trust has lapsed when it ends", async () => {
    const { clock, now, trust } = leased();
    const life = lifeOf(trust);
    trust.extend(now());
    life.enter("running");
    life.enter("reloading");
    const seen: string[] = [];
    life.post(
      () => seen.push("decided"),
      ({ code }) => seen.push(`refused ${code}`),
    );
    life.post(() => seen.push("fill"));
    await clock.advanceBy(TERM.ttlMs);
    life.enter("running");
    expect(seen).toEqual(["refused -1001"]);
    trust.extend(now());
    expect(seen).toEqual(["refused -1001", "fill"]);
  });

  it("trust that returns without a renewal, because the wall clock was set forward and back, runs what waits", () => {
    const { clock, now, trust } = leased();
    const life = lifeOf(trust);
    trust.extend(now());
    life.enter("running");
    const seen: string[] = [];
    clock.stepWall(TERM.ttlMs);
    life.post(() => seen.push("fill"));
    clock.stepWall(-TERM.ttlMs);
    life.post(
      () => seen.push("caller"),
      () => seen.push("refused"),
    );
    expect(seen).toEqual(["fill", "caller"]);
  });

  it("a read is answered only if trust holds after its last wait", async () => {
    const { clock, now, trust } = leased();
    const calls = new OpenCalls({ monotonicMs: clock.monotonicMs, trust });
    trust.extend(now());
    await expect(calls.read(async () => "state")).resolves.toBe("state");
    const late = calls.read(async () => {
      await clock.advanceBy(8_000);
      return "state";
    });
    await expect(late).rejects.toMatchObject({ code: -1001 });
  });

  it("no child is looked up meanwhile, so that answers do not pile up in the mailboxes (I64)", async () => {
    const { clock, now } = leased();
    const core = coreOf({ clock, store: createMemoryStore() } as never, TERM);
    const venue = createScriptedVenue();
    const timers = new Timers(clock, core.time, core.reporterOf("timer.failed"));
    const venueClock = new VenueClock(core, venue, timers);
    const shards = { ofOrder: () => ({ state: "running" }) };
    const reports = { missing: () => undefined, escalated: () => undefined };
    const reconciler = new Reconciler(core, { venue, timers, shards, reports } as never, venueClock);
    core.trust.extend(now());
    timers.begin();
    const child = { childId: "aqc-1", parentOrderId: -1 } as ChildRequest;
    reconciler.follow(child, "SENT", START_MS + 2_000);
    await clock.advanceBy(7_000);
    const before = venue.lookups.length;
    expect(before).toBeGreaterThan(0);
    await clock.advanceBy(3_600_000);
    expect(venue.lookups.length - before).toBeLessThan(5);
    core.trust.extend(now());
    await clock.advanceBy(7_000);
    expect(venue.lookups.length - before).toBeGreaterThan(0);
  });

  it("the trades of a market leave one offer to each parent that takes part in its volume (I64)", () => {
    const { now, trust } = leased();
    const life = new ShardLife({ shard: 0, maxWaiting: 10, trust, telemetry: { event: () => undefined } });
    trust.onExtended(() => life.resume());
    life.enter("running");
    const live = { working: { orderId: -256, accountId: 1, intent: { reduceOnly: false } } };
    const liveOrders = new Map([[-256, live]]);
    let offers = 0;
    let isOffered = false;
    const offer = (run: () => void): void => {
      offers++;
      isOffered = true;
      run();
      isOffered = false;
    };
    const shard = { state: "running", liveOrders, post: (run: () => void) => life.post(() => offer(run)) };
    const volumeFor = () => (isOffered ? undefined : 1);
    const parts = {
      shards: { ofOrder: () => shard },
      participants: { of: () => [live], volumeFor, printed: () => undefined },
      bursts: { add: (_kind: string, _key: string, steps: Iterable<number>) => void [...steps] },
    } as never;
    const attempts = new ExecutionAttempts(parts, {} as never, {} as never, {} as never);
    const print = { symbol: "BTC/USD", fresh: true } as never;
    for (let n = 0; n < 1_000; n++) attempts.printed(print);
    trust.extend(now());
    expect(offers).toBe(1);
    attempts.printed(print);
    attempts.printed(print);
    expect(offers).toBe(3);
  });
});
