import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BeatTimes } from "../../src/cluster/lease.ts";
import { createCluster, type Sharer, TTL_MS } from "../support/cluster.ts";
import { viewOf } from "../support/sharing.ts";

const BEAT_MS = TTL_MS / 4;
/** Length of a step in which time passes in these tests. */
const STEP_MS = 100;

/** Distance of a time from the nearest multiple of a beat. */
const offBeat = (ms: number): number => Math.abs(ms - Math.round(ms / BEAT_MS) * BEAT_MS);

describe("nodes renew and read at the same times of the store's clock", () => {
  it("whatever the clocks say, after half a beat to one and a half", () => {
    const time = fc.double({ min: -1e13, max: 1e13, noNaN: true });
    fc.assert(
      fc.property(time, fc.nat(1e9), fc.nat(5_000), (storeMs, nowMs, tookMs) => {
        const times = new BeatTimes(BEAT_MS, () => nowMs);
        times.observe(storeMs, { requestedMs: nowMs - tookMs, answeredMs: nowMs });
        const nowInStore = storeMs + tookMs / 2;
        for (const [waitMs, afterMs] of [
          [times.untilBeatMs, 0],
          [times.untilReadMs, BEAT_MS / 10],
        ] as const) {
          expect(waitMs).toBeGreaterThanOrEqual(BEAT_MS / 2);
          expect(waitMs).toBeLessThanOrEqual(1.5 * BEAT_MS);
          expect(offBeat(nowInStore + waitMs - afterMs)).toBeLessThan(1.1);
        }
      }),
    );
  });

  it.each([
    [300, 1_700],
    [900, 2_300],
    [1_300, 400],
  ])(
    "I60: a node that dies just after it has renewed is declared dead within a ttl and a tenth of a beat, started %i and %i ms apart",
    async (...apartMs) => {
      const cluster = createCluster();
      const a = await cluster.join("a");
      const others: Sharer[] = [];
      for (const [index, ms] of apartMs.entries()) {
        await cluster.pass(ms);
        others.push(await cluster.join(`b${index}`));
      }
      await cluster.pass(2 * TTL_MS);
      const { renewedMs } = a;
      while (a.renewedMs === renewedMs) await cluster.pass(STEP_MS);
      a.process.kill();
      const isDead = async (): Promise<boolean> =>
        (await viewOf(cluster)).nodes.find(({ name }) => name === "a")?.dead !== false;
      while (!(await isDead())) await cluster.pass(STEP_MS);
      const tookMs = cluster.clock.monotonicMs() - a.renewedMs;
      expect(tookMs).toBeGreaterThanOrEqual(TTL_MS);
      expect(tookMs).toBeLessThanOrEqual(TTL_MS + BEAT_MS / 10 + 2 * STEP_MS);
    },
  );
});
