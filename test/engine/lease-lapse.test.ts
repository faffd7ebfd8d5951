import { expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { LeaseKeeper } from "../../src/cluster/lease.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { START_MS } from "../support/world.ts";

const TTL_MS = 10_000;
const MARGIN_MS = 1_000;

it.each([0, 1, 700])(
  "decision WP: a lease that is not renewed lapses, also for a clock that calls %d ms too early",
  async (earlyMs) => {
    const clock = createManualClock({ startMs: START_MS });
    const store = createMemoryStore({ clock });
    const { leases } = store;
    if (leases === undefined) throw new Error("the store has no leases");
    const schedule = clock.schedule.bind(clock);
    const early = { ...clock, schedule: (atMs: number, run: () => void) => schedule(atMs - earlyMs, run) };
    const telemetry = { event: () => undefined };
    const parts = { clock: early, store, telemetry, settings: {} };
    const core = coreOf(parts as never, { ttlMs: TTL_MS, marginMs: MARGIN_MS } as never);
    let [isAway, received] = [false, [] as string[]];
    const listener = {
      lapsed: () => void received.push("lapsed"),
      renewed: () => void received.push("renewed"),
      ...{ lost: () => undefined, clockApart: () => undefined, handOverWanted: () => undefined },
    };
    const keeper = new LeaseKeeper(core, {
      leases: { ...leases, renew: (row) => (isAway ? Promise.reject(new Error("away")) : leases.renew(row)) },
      entry: { name: "a", address: "", version: "", format: 1, kinds: [], ttlMs: TTL_MS },
      ...{ ttlMs: TTL_MS, clockApartMs: 500, followed: () => 0, listener },
    });
    const pass = (ms: number) =>
      clock.advanceBy(ms, () => new Promise<void>((resolve) => setImmediate(resolve)));
    await keeper.join();
    await pass(1);
    isAway = true;
    await pass(TTL_MS);
    expect([received, core.trust.holds]).toEqual([["lapsed"], false]);
    isAway = false;
    await keeper.renew();
    expect([received, core.trust.holds]).toEqual([["lapsed", "renewed"], true]);
    keeper.stop();
  },
);
