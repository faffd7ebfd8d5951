import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { LeaseKeeper } from "../../src/cluster/lease.ts";
import { BeatWatch } from "../../src/cluster/node-watch.ts";
import { createRandom, type Random } from "../../src/common/random.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import type { NodeRow } from "../../src/ports/index.ts";
import { seedOr } from "../support/seed.ts";
import { START_MS } from "../support/world.ts";

const TTL_MS = 1_000;

const rowOf = (beat: number, incarnation = 1): NodeRow => ({
  ...{ incarnation, beat, name: "owner", address: "", version: "", format: 1, kinds: [] },
  ...{ state: "active", dead: false, ttlMs: TTL_MS },
});

type Read = Readonly<{ requestedMs: number; readMs: number; answeredMs: number; failed: boolean }>;
type Renewal = Readonly<{ requestedMs: number; storedMs: number }>;

describe("a beat must have been the same for a whole ttl", () => {
  it("from the answer of the first read to the question of the last, however long both took", () => {
    const watch = new BeatWatch(TTL_MS);
    watch.observe([rowOf(7)], { requestedMs: 0, answeredMs: 900 });
    watch.observe([rowOf(7)], { requestedMs: 1_899, answeredMs: 2_800 });
    expect(watch.failed(1)).toBeUndefined();
    watch.observe([rowOf(7)], { requestedMs: 1_900, answeredMs: 3_000 });
    expect(watch.failed(1)).toEqual({ incarnation: 1, beat: 7 });
  });

  it("a beat that differs, also a lower one of an answer that comes late, starts the watch of its node anew", () => {
    const watch = new BeatWatch(TTL_MS);
    watch.observe([rowOf(7), rowOf(3, 2)], { requestedMs: 0, answeredMs: 10 });
    watch.observe([rowOf(8), rowOf(3, 2)], { requestedMs: 500, answeredMs: 510 });
    watch.observe([rowOf(7), rowOf(3, 2)], { requestedMs: 400, answeredMs: 600 });
    watch.observe([rowOf(8), rowOf(3, 2)], { requestedMs: 1_550, answeredMs: 1_560 });
    expect([watch.failed(1), watch.failed(2)]).toEqual([undefined, { incarnation: 2, beat: 3 }]);
    watch.observe([rowOf(8)], { requestedMs: 2_560, answeredMs: 2_570 });
    expect([watch.failed(1), watch.failed(2)]).toEqual([{ incarnation: 1, beat: 8 }, undefined]);
  });

  it("a failed read starts all watches anew", () => {
    const watch = new BeatWatch(TTL_MS);
    watch.observe([rowOf(7)], { requestedMs: 0, answeredMs: 10 });
    watch.reset();
    watch.observe([rowOf(7)], { requestedMs: 1_010, answeredMs: 1_020 });
    expect(watch.failed(1)).toBeUndefined();
    watch.observe([rowOf(7)], { requestedMs: 2_020, answeredMs: 2_030 });
    expect(watch.failed(1)).toBeDefined();
  });

  it("I60: with a store that is slow, fails and answers out of order, nobody relies on the lease of a node that is declared dead", () => {
    const random = createRandom(seedOr(5));
    let declared = 0;
    for (let run = 0; run < 1_000; run++) {
      const { renewals, reads } = historyOf(random);
      const declaredMs = declaredDeadMs(renewals, reads);
      if (declaredMs === undefined) continue;
      declared++;
      const last = storedBy(renewals, declaredMs).at(-1);
      expect(declaredMs, `run ${run}`).toBeGreaterThanOrEqual((last?.requestedMs ?? 0) + TTL_MS);
    }
    expect(declared).toBeGreaterThan(300);
  });
});

const storedBy = (renewals: readonly Renewal[], atMs: number): readonly Renewal[] =>
  renewals.filter(({ storedMs }) => storedMs <= atMs);

/** Renewals of a node that dies at some time, and reads of another, with a store that takes any time for each. */
function historyOf(random: Random): Readonly<{ renewals: readonly Renewal[]; reads: readonly Read[] }> {
  const slowMs = 1 + random.below(2 * TTL_MS);
  const diesMs = random.below(16 * TTL_MS);
  const renewals: Renewal[] = [{ requestedMs: 0, storedMs: 0 }];
  const reads: Read[] = [];
  for (let requestedMs = 0; requestedMs < 8 * TTL_MS; requestedMs += 1 + random.below(TTL_MS / 2)) {
    const readMs = requestedMs + random.below(slowMs);
    const answeredMs = readMs + random.below(slowMs);
    reads.push({ requestedMs, readMs, answeredMs, failed: random.chance(0.05) });
    if (requestedMs > diesMs || random.chance(0.5)) continue;
    // Renewals of one row wait for each other, so they are stored in order.
    const storedMs = Math.max(requestedMs + random.below(slowMs), (renewals.at(-1)?.storedMs ?? 0) + 1);
    renewals.push({ requestedMs, storedMs });
  }
  return { renewals, reads: reads.sort((a, b) => a.answeredMs - b.answeredMs) };
}

/** Returns when the store declares the node dead: a read has shown it, and the beat is still the same. */
function declaredDeadMs(renewals: readonly Renewal[], reads: readonly Read[]): number | undefined {
  const watch = new BeatWatch(TTL_MS);
  for (const { requestedMs, readMs, answeredMs, failed } of reads) {
    if (failed) watch.reset();
    else watch.observe([rowOf(storedBy(renewals, readMs).length)], { requestedMs, answeredMs });
    if (watch.failed(1)?.beat === storedBy(renewals, answeredMs).length) return answeredMs;
  }
  return undefined;
}

const TTL_MS_LAPSE = 10_000;
const MARGIN_MS = 1_000;

it.each([0, 1, 700])(
  "a lease that is not renewed lapses, also for a clock that calls %d ms too early",
  async (earlyMs) => {
    const clock = createManualClock({ startMs: START_MS });
    const store = createMemoryStore({ clock });
    const { leases } = store;
    if (leases === undefined) throw new Error("the store has no leases");
    const schedule = clock.schedule.bind(clock);
    const early = { ...clock, schedule: (atMs: number, run: () => void) => schedule(atMs - earlyMs, run) };
    const telemetry = { event: () => undefined };
    const parts = { clock: early, store, telemetry, settings: {} };
    const core = coreOf(parts as never, { ttlMs: TTL_MS_LAPSE, marginMs: MARGIN_MS } as never);
    let [isAway, received] = [false, [] as string[]];
    const listener = {
      lapsed: () => void received.push("lapsed"),
      renewed: () => void received.push("renewed"),
      ...{ lost: () => undefined, clockApart: () => undefined, handOverWanted: () => undefined },
    };
    const keeper = new LeaseKeeper(core, {
      leases: { ...leases, renew: (row) => (isAway ? Promise.reject(new Error("away")) : leases.renew(row)) },
      entry: { name: "a", address: "", version: "", format: 1, kinds: [], ttlMs: TTL_MS_LAPSE },
      ...{ ttlMs: TTL_MS_LAPSE, clockApartMs: 500, followed: () => 0, listener },
    });
    const pass = (ms: number) =>
      clock.advanceBy(ms, () => new Promise<void>((resolve) => setImmediate(resolve)));
    await keeper.join();
    await pass(1);
    isAway = true;
    await pass(TTL_MS_LAPSE);
    expect([received, core.trust.holds]).toEqual([["lapsed"], false]);
    isAway = false;
    await keeper.renew();
    expect([received, core.trust.holds]).toEqual([["lapsed", "renewed"], true]);
    keeper.stop();
  },
);
