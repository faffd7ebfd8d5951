import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServerClock } from "../../src/client/caller.ts";

/** Delays of a round trip, and how long the client waits before it; the server's clock has any offset. */
const trips = fc.array(
  fc.record({
    there: fc.double({ min: 0, max: 20_000, noNaN: true }),
    back: fc.double({ min: 0, max: 20_000, noNaN: true }),
    waited: fc.double({ min: 0, max: 600_000, noNaN: true }),
  }),
  { minLength: 1, maxLength: 8 },
);

describe("the estimate of the server's time", () => {
  it("is never ahead of it, and lags by no more than the fastest round trip, however the trips divide", () => {
    fc.assert(
      fc.property(trips, fc.integer({ min: -1e12, max: 1e12 }), (readings, offsetMs) => {
        let nowMs = 1_000_000;
        const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, schedule: () => () => undefined };
        const server = new ServerClock(clock, Infinity);
        let fastestMs = Infinity;
        for (const { there, back, waited } of readings) {
          nowMs += waited;
          const sentAtMs = nowMs;
          const serverMs = Math.floor(sentAtMs + there + offsetMs);
          nowMs += there + back;
          server.observe({ serverMs, sentAtMs, receivedAtMs: nowMs });
          fastestMs = Math.min(fastestMs, there + back);
          const lagMs = nowMs + offsetMs - server.nowMs();
          // Times of this size have steps of a ten-thousandth of a millisecond.
          expect(lagMs).toBeGreaterThanOrEqual(-0.001);
          expect(lagMs).toBeLessThanOrEqual(fastestMs + 2.001);
        }
      }),
    );
  });

  it("is stale before the first reading, when that is old, and after a sleep of the machine", () => {
    let [wallMs, monotonicMs] = [0, 0];
    const clock = { nowMs: () => wallMs, monotonicMs: () => monotonicMs, schedule: () => () => undefined };
    const server = new ServerClock(clock, 1_000);
    const read = (): void =>
      server.observe({ serverMs: 5, sentAtMs: monotonicMs, receivedAtMs: monotonicMs });
    const stale: boolean[] = [server.isStale];
    read();
    stale.push(server.isStale);
    monotonicMs += 1_000;
    wallMs += 1_000;
    stale.push(server.isStale);
    read();
    wallMs += 30_000;
    stale.push(server.isStale);
    read();
    server.reset();
    stale.push(server.isStale);
    expect(stale).toEqual([true, false, true, true, true]);
  });
});
