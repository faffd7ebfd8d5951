import { describe, expect, it } from "vitest";
import { createMemoryDisk, createMemoryStore, type MemoryDisk } from "../../src/adapters/memory/index.ts";
import { createRandom } from "../../src/common/random.ts";
import type { KeyValueStore } from "../../src/ports/index.ts";
import { openManualClock } from "../../src/sandbox/manual-clock.ts";
import type { Market } from "../../src/sandbox/market.ts";
import { openReplayPosition, ReplayMarket, type ReplayRow } from "../../src/sandbox/replay-market.ts";
import { seedOr } from "../support/seed.ts";
import { createRecorder } from "./recorder.ts";

const quote = (timeMs: number, bid: string): ReplayRow => ({
  kind: "quote",
  timeMs,
  line: timeMs,
  quote: { symbol: "BTC/USD", bid, ask: "1000" },
});
const trade = (timeMs: number, at: string): ReplayRow => ({
  kind: "trade",
  timeMs,
  line: timeMs,
  trade: { symbol: "BTC/USD", price: at, quantity: "1" },
});

const ROWS = [
  quote(1_000, "1"),
  trade(1_000, "2"),
  quote(2_000, "3"),
  quote(2_000, "4"),
  trade(2_000, "5"),
  quote(3_000, "6"),
  trade(4_000, "7"),
];

/** The actions of one process until it dies, and its output by then. */
type Life = Readonly<{ reported: readonly string[]; died: boolean }>;

/** A store whose writes end the process: `deadly` decides for each, before or after it was stored. */
function mortalStore(
  disk: MemoryDisk,
  deadly: (key: string, value: string) => "before" | "after" | undefined,
  die: () => void,
): KeyValueStore {
  const store = createMemoryStore({ disk }).keyValue;
  const never = new Promise<never>(() => undefined);
  return {
    get: (key) => store.get(key),
    async set(key, value) {
      const when = deadly(key, value);
      if (when !== "before") await store.set(key, value);
      if (when === undefined) return;
      die();
      await never;
    },
  };
}

/**
 * Opens clock and replay on the stored state and advances time until the end of the rows, or until a write kills it.
 */
async function live(
  disk: MemoryDisk,
  deadly: (key: string, value: string) => "before" | "after" | undefined = () => undefined,
): Promise<Life> {
  let market: Market | undefined;
  let died = false;
  const recorder = createRecorder();
  const dead = new Promise<void>((resolve) => {
    const store = mortalStore(disk, deadly, () => {
      died = true;
      resolve();
    });
    const run = async (): Promise<void> => {
      const clock = await openManualClock({ store, startMs: 1_000 });
      const position = await openReplayPosition(store);
      market = new ReplayMarket({ rows: ROWS, clock, pace: "recorded", position });
      market.start(recorder);
      await market.settled();
      const settle = async (): Promise<void> => await market?.settled();
      for (let ms = 1_000; ms <= 5_000; ms += 500) if (ms >= clock.nowMs()) await clock.advanceTo(ms, settle);
      resolve();
    };
    void run();
  });
  await dead;
  return { reported: [...recorder.lines], died };
}

const ALL = ["1 of 1000", "2 of 1000", "3 of 2000", "4 of 2000", "5 of 2000", "6 of 3000", "7 of 4000"];
const short = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.replace(/^.*?(\S+ of)/, "$1"));

describe("the position in a replay", () => {
  it("a restart repeats no row, and continues with the next", async () => {
    const disk = createMemoryDisk();
    const first = await live(disk, (key, value) =>
      key === "clock.now" && value === "3000" ? "before" : undefined,
    );
    expect([first.died, short(first.reported)]).toEqual([true, ALL.slice(0, 5)]);
    expect(short((await live(disk)).reported)).toEqual(ALL.slice(5));
    expect((await live(disk)).reported).toEqual([]);
  });

  it("rows of the stored time that were not fed when the process died are fed at the start", async () => {
    for (const [key, when] of [
      ["clock.now", "after"],
      ["replay.fedTo", "before"],
    ] as const) {
      const disk = createMemoryDisk();
      const first = await live(disk, (set, value) => (set === key && value === "2000" ? when : undefined));
      expect(short(first.reported)).toEqual(ALL.slice(0, 2));
      expect(short((await live(disk)).reported)).toEqual(ALL.slice(2));
    }
  });

  it("it is durable before the rows are fed: rows in between a crash are fed at most once", async () => {
    const disk = createMemoryDisk();
    const first = await live(disk, (key, value) =>
      key === "replay.fedTo" && value === "2000" ? "after" : undefined,
    );
    expect(short(first.reported)).toEqual(ALL.slice(0, 2));
    expect(short((await live(disk)).reported)).toEqual(ALL.slice(5));
  });

  const seed = seedOr(20_261_122);
  it(`whichever write kills it, no row is fed twice and only those being fed are lost (SEED=${seed})`, async () => {
    const random = createRandom(seed);
    for (let round = 0; round < 60; round++) {
      const disk = createMemoryDisk();
      const reported: string[] = [];
      const lost: string[] = [];
      const deadly = (key: string, value: string): "before" | "after" | undefined => {
        const fate = random.pick(["before", "after", undefined, undefined, undefined, undefined] as const);
        if (key === "replay.fedTo" && fate === "after") lost.push(value);
        return fate;
      };
      for (let died = true; died; ) {
        const life = await live(disk, deadly);
        reported.push(...short(life.reported));
        ({ died } = life);
      }
      expect(reported).toEqual(ALL.filter((row) => !lost.includes(row.replace(/^.* of /, ""))));
    }
  });

  it("a position that cannot be stored delays the rows, and waiting callers get the error", async () => {
    let isFull = true;
    const stored = createMemoryStore().keyValue;
    const store: KeyValueStore = {
      get: stored.get,
      set: async (key, value) => {
        if (isFull && key === "replay.fedTo") throw new Error("disk full");
        await stored.set(key, value);
      },
    };
    const clock = await openManualClock({ store, startMs: 1_000 });
    const recorder = createRecorder();
    const position = await openReplayPosition(store);
    const market = new ReplayMarket({ rows: ROWS, clock, pace: "recorded", position });
    market.start(recorder);
    await expect(market.settled()).rejects.toThrow("disk full");
    expect([recorder.lines, market.busy]).toEqual([[], true]);
    await expect(clock.advanceTo(2_000, () => market.settled())).rejects.toThrow("disk full");
    expect(clock.nowMs()).toBe(1_000);
    isFull = false;
    await clock.advanceTo(9_000, () => market.settled());
    expect([short(recorder.lines), market.busy]).toEqual([ALL, false]);
  });

  it("rows during a pause are left out, before a restart as after it", async () => {
    const disk = createMemoryDisk();
    const store = createMemoryStore({ disk }).keyValue;
    const clock = await openManualClock({ store, startMs: 1_000 });
    const recorder = createRecorder();
    const options = { rows: ROWS, clock, pace: "recorded" } as const;
    const market = new ReplayMarket({ ...options, position: await openReplayPosition(store) });
    market.start(recorder);
    market.run(false);
    market.run(true);
    market.run(false);
    await market.settled();
    expect(short(recorder.lines)).toEqual(ALL.slice(0, 2));
    await clock.advanceTo(2_500, () => market.settled());
    expect(recorder.lines).toHaveLength(2);
    expect(short((await live(disk)).reported)).toEqual([...ALL.slice(3)]);
  });

  it("an invalid stored position stops the start", async () => {
    const store: KeyValueStore = { get: async () => "row 7", set: async () => undefined };
    await expect(openReplayPosition(store)).rejects.toThrow("replay.fedTo cannot be read");
  });
});
