import { describe, expect, it } from "vitest";
import { type MarketPeriod, MarketStreams } from "../../../src/service/socket/market-streams.ts";
import { TrafficTurns } from "../../../src/service/traffic/turns.ts";
import { openWorld, START_MS } from "../../support/service-world.ts";

const STREAMS = 200;
const MOST_PER_TURN = 32;

/** Many streams of seconds, on a clock whose turns pass one at a time. */
async function manyStreams() {
  const { engine, clock } = await openWorld();
  const turns: (() => void)[] = [];
  const reported: MarketPeriod[] = [];
  const soon = (run: () => void): void => void turns.push(run);
  const streams = new MarketStreams({
    engine,
    clock: { ...clock, soon },
    turns: new TrafficTurns(soon, { arrivals: 0, isProved: () => false }),
    quoteSeries: { id: "a" },
  });
  const events = (second: MarketPeriod) => {
    reported.push(second);
    return [];
  };
  const ends = Array.from({ length: STREAMS }, (_, n) =>
    streams.subscribe(
      {
        ...{ name: `${n}`, kind: `${n}`, symbol: `M${n % 20}/USD` },
        payload: { on: "period", everyMs: 1_000, events },
      },
      { network: "a", send: () => undefined, hold: () => undefined },
    ),
  );
  /** Returns the seconds that were told since the last call. */
  const take = (): readonly MarketPeriod[] => reported.splice(0);
  return { clock, turns, take, ends };
}

describe("the end of a second", () => {
  it("tells a bounded number of streams in one turn, and each stream once", async () => {
    const { clock, turns, take } = await manyStreams();
    await clock.advanceBy(1_000);
    const counts = [take().length];
    for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
      turn();
      counts.push(take().length);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(MOST_PER_TURN);
    expect(counts.reduce((all, count) => all + count, 0)).toBe(STREAMS);
  });

  it("waits for the one before: the second lasts longer, and no moment is left out", async () => {
    const { clock, turns, take } = await manyStreams();
    await clock.advanceBy(3_000);
    while (turns.length > 0) turns.shift()?.();
    const range = { change: undefined, isPrinted: false };
    const first = { ...range, fromMs: START_MS, nowMs: START_MS + 1_000 };
    expect(take()).toEqual(Array.from({ length: STREAMS }, () => first));
    await clock.advanceBy(1_000);
    while (turns.length > 0) turns.shift()?.();
    const second = { ...range, fromMs: START_MS + 1_000, nowMs: START_MS + 4_000 };
    expect(take()).toEqual(Array.from({ length: STREAMS }, () => second));
  });

  it("tells no stream that has ended meanwhile", async () => {
    const { clock, turns, take, ends } = await manyStreams();
    await clock.advanceBy(1_000);
    take();
    for (const end of ends) end();
    while (turns.length > 0) turns.shift()?.();
    await clock.advanceBy(5_000);
    expect([take(), turns]).toEqual([[], []]);
  });
});
