import { describe, expect, it } from "vitest";
import { createManualClock, createMemoryStore } from "../../src/adapters/memory/index.ts";
import { coreOf } from "../../src/engine/core/core.ts";
import { Bursts } from "../../src/engine/time/bursts.ts";
import { turns } from "../support/faulty-world.ts";

/** Bursts whose clock starts the next turn only on request. */
function burstsOf(isBehind: () => boolean = () => false) {
  const clock = createManualClock({ startMs: 0 });
  const requested: (() => void)[] = [];
  const reported: string[] = [];
  const options = {
    store: createMemoryStore(),
    clock: { ...clock, soon: (run: () => void) => void requested.push(run) },
    telemetry: { event: (_level: string, name: string) => void reported.push(name) },
  };
  const bursts = new Bursts(coreOf(options as unknown as Parameters<typeof coreOf>[0]), {
    get isBehind() {
      return isBehind();
    },
  });
  const next = (): boolean => {
    const run = requested.shift();
    run?.();
    return run !== undefined;
  };
  return { bursts, next, reported };
}

/** Steps of one unit each that record the order of execution. */
function* noting(into: string[], name: string, steps: number): Generator<number, void> {
  for (let step = 0; step < steps; step++) {
    into.push(name);
    yield 1;
  }
}

const countOf = (done: readonly string[], name: string): number => done.filter((one) => one === name).length;

describe("decision IA: long work shares the turns of the event loop", () => {
  it("a small piece of work runs at once, and requests one turn", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "a", 3));
    bursts.do("time", 1, () => void done.push("b"));
    expect(done).toEqual(["a", "a", "a", "b"]);
    expect([next(), next()]).toEqual([true, false]);
  });

  it("no turn uses more than 128 units, however many lanes have work", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    for (let key = 0; key < 10; key++) bursts.add("attempts", key, noting(done, `${key}`, 100));
    const perTurn = [done.length];
    for (let before = done.length; next(); before = done.length) perTurn.push(done.length - before);
    expect(done).toHaveLength(1_000);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(128);
  });

  it("decision KY: a shard that waits for the work of a key does not make the key look busy after that work", async () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    let passed = 0;
    const quote = (name: string, steps: number): void => {
      if (!bursts.has("quotes", "BTC/USD")) bursts.add("quotes", "BTC/USD", noting(done, name, steps));
    };
    quote("first", 2 * 128 - 4);
    for (let shard = 0; shard < 16; shard++) void bursts.past("quotes").then(() => passed++);
    next();
    quote("second", 1);
    while (next());
    expect(countOf(done, "second")).toBe(1);
    await turns(8);
    expect(passed).toBe(16);
  });

  it("keys of a lane take turns, and the work of one key runs in order of arrival", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "busy", noting(done, "first", 500));
    bursts.add("attempts", "busy", noting(done, "second", 1));
    bursts.add("attempts", "other", noting(done, "other", 1));
    next();
    expect(done).toContain("other");
    while (next());
    expect(done.indexOf("second")).toBe(done.lastIndexOf("first") + 1);
  });

  it("cancels go before the decisions of quotes, and leave them a part of each turn", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "attempt", 1_000));
    bursts.add("cancels", 1, noting(done, "cancel", 1_000));
    done.length = 0;
    next();
    expect(countOf(done, "cancel")).toBeGreaterThan(countOf(done, "attempt"));
    expect(countOf(done, "attempt")).toBe(16);
    while (next());
    expect(done.filter((one) => one === "cancel")).toHaveLength(1_000);
  });

  it("no work starts while the store is behind; it continues when woken", () => {
    let behind = true;
    const { bursts, next } = burstsOf(() => behind);
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "attempt", 1));
    bursts.add("quotes", "BTC/USD", noting(done, "quote", 1));
    while (next());
    expect(done).toEqual([]);
    behind = false;
    expect(next()).toBe(false);
    bursts.wake();
    while (next());
    expect(done).toEqual(["quote", "attempt"]);
  });

  it("work that fails is reported, and stops no other work", () => {
    const { bursts, reported } = burstsOf();
    const done: string[] = [];
    bursts.do("time", 1, () => {
      throw new Error("broken");
    });
    bursts.do("time", 1, () => void done.push("next"));
    expect(done).toEqual(["next"]);
    expect(reported).toEqual(["work.failed"]);
  });

  it("units that other work has used in a turn are not available again: the rest continues in the next", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.spend(100);
    bursts.add("attempts", "BTC/USD", noting(done, "a", 60));
    expect(done).toHaveLength(28);
    expect([next(), next(), next()]).toEqual([true, true, false]);
    expect(done).toHaveLength(60);
  });

  it("no work runs after the stop", () => {
    const { bursts, next } = burstsOf();
    const done: string[] = [];
    bursts.add("attempts", "BTC/USD", noting(done, "a", 200));
    bursts.stop();
    const before = done.length;
    while (next());
    bursts.add("attempts", "BTC/USD", noting(done, "b", 1));
    expect(done).toHaveLength(before);
  });
});
