import { describe, expect, it } from "vitest";
import { createManualClock } from "../../src/adapters/memory/index.ts";
import { Housekeeping } from "../../src/engine/commit/housekeeping.ts";
import { Questions } from "../../src/host-answers/index.ts";
import { BAR_LENGTHS_MS, BARS_RETAINED } from "../../src/model/index.ts";
import { createHeldTurns } from "../support/held-turns.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = 100 * DAY_MS;

type FakeShard = Readonly<{ number: number; since: number; openParents?: number; isGone?: boolean }>;

/** Housekeeping that writes down, in order, what it asks of the store. */
function subject(
  shards: readonly FakeShard[] = [],
  options: Readonly<{ forgets?: boolean; prints?: number; steppedMsAgo?: number; owned?: number }> = {},
) {
  const held = createHeldTurns(1_000);
  const did: string[] = [];
  const timers: { ms: number; run: () => void }[] = [];
  const broken = new Set<string>();
  const batches: number[] = [];
  let prints = options.prints ?? 0;
  const { steppedMsAgo = Number.POSITIVE_INFINITY } = options;
  let wait: Promise<void> = Promise.resolve();
  let looks = 0;
  const ask = async (what: string): Promise<void> => {
    did.push(what);
    if (broken.has(what.split(" ")[0] ?? "")) throw new Error(`no ${what}`);
    await wait;
  };
  const telemetry = {
    event: (level: string, name: string, fields: object) =>
      void did.push(`${level} ${name} ${JSON.stringify(fields)}`),
  };
  const all = shards.map(({ number, since, openParents = 0, isGone = false }) => {
    let left = since;
    return {
      number,
      state: "running",
      memory: { openParents, liveOrders: new Map() },
      activating: new Map(),
      endings: { counts: { rowsLeave: () => undefined, rowsStay: () => undefined } },
      hasRecordsSince: (count: number) => left >= count,
      get isSnapshotDue() {
        return left >= 10;
      },
      async snapshot() {
        did.push(`gather ${number}`);
        left = 0;
        return isGone ? undefined : { shard: number };
      },
    };
  });
  const core = {
    turns: held.turns,
    settings: { retentionDays: 30 },
    counters: { shards: options.owned ?? 256 },
    time: {
      deletedByMs: () => NOW_MS,
      retentionMs: () => NOW_MS,
      hasSteppedWithin: (ms: number) => steppedMsAgo <= ms,
    },
    telemetry,
    probe: (point: string) => void did.push(point),
    questions: new Questions({ clock: createManualClock({ startMs: 0 }), telemetry, timeoutMs: 5_000 }),
    store: {
      writeSnapshot: ({ shard }: { shard: number }) => ask(`write ${shard}`),
      async deleteEnded({ beforeMs, limit }: { beforeMs: number; limit: number }) {
        await ask(`ended ${beforeMs} ${limit}`);
        return batches.shift() ?? 0;
      },
      deleteVolume: ({ beforeMs, priceBars }: { beforeMs: number; priceBars: unknown }) =>
        ask(`volume ${beforeMs} ${JSON.stringify(priceBars)}`),
      ...(options.forgets === true && {
        async pruneEnded({ beforeMs }: { beforeMs: number }, goesOn: () => boolean) {
          await ask(`forget ${beforeMs} ${goesOn()}`);
          did.push(`goes on ${goesOn()}`);
        },
      }),
    },
  };
  const parts = {
    shards: { all },
    market: {
      writes: true,
      tape: {
        evict(beforeMs: number, most: number) {
          did.push(`tape ${beforeMs} ${most}`);
          const gone = Math.min(prints, most);
          prints -= gone;
          return gone;
        },
      },
      prints: { evict: (bars: unknown) => void did.push(`prints ${JSON.stringify(bars)}`) },
      history: {
        markets() {
          looks++;
          return [];
        },
      },
    },
    timers: { after: (ms: number, run: () => void) => void timers.push({ ms, run }) },
  };
  const made = new Housekeeping(
    core as never,
    parts.shards as never,
    parts.market as never,
    parts.timers as never,
  );
  return {
    market: parts.market,
    made,
    did,
    held,
    broken,
    batches,
    timers,
    shards: all as unknown as Parameters<Housekeeping["afterCommit"]>[0] & readonly unknown[],
    hour: () => timers.shift()?.run(),
    /** Number of times that it has looked for marks which nothing needs. */
    get looks() {
      return looks;
    },
    /** Makes the store wait with its answers; the result ends the wait. */
    hold(): () => void {
      let release = (): void => undefined;
      wait = new Promise((resolve) => {
        release = resolve;
      });
      return () => {
        wait = Promise.resolve();
        release();
      };
    },
  };
}

const BARS = BAR_LENGTHS_MS.map((lengthMs) => ({ lengthMs, beforeMs: NOW_MS - BARS_RETAINED * lengthMs }));
const VOLUME = [
  `volume ${NOW_MS - DAY_MS} ${JSON.stringify(BARS)}`,
  `prints ${JSON.stringify(BARS)}`,
  `tape ${NOW_MS - DAY_MS} 2000`,
];
const ENDED = `ended ${NOW_MS - 30 * DAY_MS} 250`;

describe("the work of each hour", () => {
  it("deletes ended parents after their retention, marks, and volume of more than a day; then an hour passes", async () => {
    const { made, did, held, timers, hour } = subject();
    expect(timers.map(({ ms }) => ms)).toEqual([HOUR_MS]);
    hour();
    expect([made.busy, timers.map(({ ms }) => ms)]).toEqual([true, [HOUR_MS]]);
    await held.run();
    await made.finished();
    expect(did).toEqual([ENDED, ...VOLUME]);
    expect(made.busy).toBe(false);
    expect(made.cutoffMs()).toBe(NOW_MS - 30 * DAY_MS);
  });

  it("a node that does not write the market journal deletes none of it, and forgets it", async () => {
    const { did, held, hour, market } = subject();
    market.writes = false;
    hour();
    await held.run();
    expect(did).toEqual([ENDED, ...VOLUME.slice(1)]);
  });

  it("a node that owns no shard deletes no ended parents", async () => {
    const { did, held, hour } = subject([], { owned: 0 });
    hour();
    await held.run();
    expect(did).toEqual(VOLUME);
  });

  it("in the hour after the wall clock was set, which may be wrong, nothing is deleted by its time", async () => {
    const some = subject([], { steppedMsAgo: HOUR_MS });
    some.hour();
    await some.held.run();
    expect([some.did, some.looks]).toEqual([[], 1]);
  });

  it("a deletion that fails is reported and does not stop the rest of it", async () => {
    const { did, held, broken, hour } = subject();
    broken.add("ended");
    hour();
    await held.run();
    expect(did).toEqual([
      ENDED,
      `warn housekeeping.failed ${JSON.stringify({ message: `Error: no ${ENDED}` })}`,
      ...VOLUME,
    ]);
  });

  it("the next hour's work is done whatever failed in this one", async () => {
    const { did, held, broken, hour } = subject();
    broken.add("volume");
    hour();
    await held.run();
    broken.clear();
    hour();
    await held.run();
    expect(did.slice(-4)).toEqual([ENDED, ...VOLUME]);
  });

  it("ids of old prints are forgotten 2,000 at a time, with a turn in between", async () => {
    const { did, held, hour } = subject([], { prints: 4_500 });
    const forgets = (): number => did.filter((what) => what.startsWith("tape")).length;
    hour();
    for (const count of [1, 2, 3, 4]) {
      for (let step = 0; step < 64; step++) await Promise.resolve();
      expect(forgets()).toBe(count);
      await held.pass();
    }
    expect([forgets(), held.isAwaited()]).toEqual([4, false]);
  });

  it("nothing is begun after a stop, and what is under way ends", async () => {
    const { made, did, held, batches, hour } = subject();
    batches.push(250, 250);
    hour();
    for (let step = 0; step < 64; step++) await Promise.resolve();
    made.stop();
    await held.run();
    hour();
    await held.run();
    expect(did).toEqual([ENDED]);
  });

  it("nothing but the step under way is done if the stop comes while volume is deleted", async () => {
    const { made, did, held, hour, hold } = subject([], { prints: 4_500 });
    hour();
    const release = hold();
    for (let step = 0; step < 8; step++) await held.pass();
    release();
    made.stop();
    await held.run();
    expect(did.filter((what) => what.startsWith("tape"))).toEqual([]);
  });
});

describe("an hour on a store that forgets records", () => {
  it("begins with snapshots of shards with as many records since the last one as open parents, and at least one", async () => {
    const shards = [
      { number: 1, since: 0 },
      { number: 2, since: 1 },
      { number: 3, since: 4, openParents: 5 },
      { number: 4, since: 5, openParents: 5 },
    ];
    const { did, held, hour } = subject(shards, { forgets: true });
    hour();
    await held.run();
    const snapshotOf = (number: number): readonly string[] => [
      `gather ${number}`,
      ...["before-snapshot", `write ${number}`, "during-snapshot", "after-snapshot"],
    ];
    expect(did).toEqual([
      ...[...snapshotOf(2), ...snapshotOf(4)],
      `forget ${NOW_MS - 30 * DAY_MS} true`,
      "goes on true",
      ...VOLUME,
    ]);
  });

  it("a snapshot that cannot be written is reported, and the others are taken", async () => {
    const { did, held, broken, hour } = subject(
      [
        { number: 1, since: 1 },
        { number: 2, since: 1 },
      ],
      { forgets: true },
    );
    broken.add("write");
    hour();
    await held.run();
    expect(did.filter((what) => /write|warn|forget/.test(what))).toEqual([
      "write 1",
      `warn housekeeping.failed ${JSON.stringify({ message: "Error: no write 1" })}`,
      "write 2",
      `warn housekeeping.failed ${JSON.stringify({ message: "Error: no write 2" })}`,
      `forget ${NOW_MS - 30 * DAY_MS} true`,
    ]);
  });

  it("ends between two snapshots, or in the deletion, if the engine closes", async () => {
    const shards = [
      { number: 1, since: 1 },
      { number: 2, since: 1 },
    ];
    const first = subject(shards, { forgets: true });
    const release = first.hold();
    first.hour();
    for (let step = 0; step < 64; step++) await Promise.resolve();
    first.made.stop();
    release();
    await first.held.run();
    expect(first.did.filter((what) => /write|forget/.test(what))).toEqual(["write 1"]);
    const second = subject([], { forgets: true });
    const end = second.hold();
    second.hour();
    for (let step = 0; step < 64; step++) await Promise.resolve();
    second.made.stop();
    end();
    await second.held.run();
    expect(second.did).toEqual([`forget ${NOW_MS - 30 * DAY_MS} true`, "goes on false"]);
  });
});

describe("I53: work that needs every row", () => {
  it("waits for the deletion under way, which ends, and deletes nothing until it is done", async () => {
    const { made, did, held, batches, hour } = subject();
    batches.push(250, 250);
    hour();
    for (let step = 0; step < 64; step++) await Promise.resolve();
    expect(did).toEqual([ENDED]);
    let finish = (): void => undefined;
    const work = made.whileRetained(async () => {
      did.push("work");
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return "done";
    });
    for (let step = 0; step < 64; step++) await Promise.resolve();
    expect(did).toEqual([ENDED]);
    await held.run();
    expect(did.filter((what) => /ended|work/.test(what))).toEqual([ENDED, "work"]);
    hour();
    await held.run();
    expect(did.filter((what) => /ended|work/.test(what))).toEqual([ENDED, "work"]);
    finish();
    expect(await work).toBe("done");
    hour();
    await held.run();
    expect(did.filter((what) => /ended|work/.test(what))).toEqual([ENDED, "work", ENDED, ENDED]);
  });

  it("that fails lets the next deletion run", async () => {
    const { made, did, held, hour } = subject();
    await expect(made.whileRetained(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    hour();
    await held.run();
    expect(did).toContain(ENDED);
  });
});

describe("snapshots after commits", () => {
  it("one of each shard that is due, in one task; none if it is abandoned", async () => {
    const { made, did, held, shards } = subject([
      { number: 1, since: 10 },
      { number: 2, since: 9 },
      { number: 3, since: 10, isGone: true },
    ]);
    made.afterCommit(shards);
    made.afterCommit(shards);
    expect(made.busy).toBe(true);
    await held.run();
    expect(did).toEqual([
      "gather 1",
      ...["before-snapshot", "write 1", "during-snapshot", "after-snapshot"],
      "gather 3",
    ]);
    expect(made.busy).toBe(false);
    made.afterCommit(shards);
    expect(made.busy).toBe(false);
  });

  it("marks are looked for once after them, whatever the number of commits, and not by an engine that closes", async () => {
    const going = subject([{ number: 1, since: 10 }]);
    for (let commit = 0; commit < 3; commit++) going.made.afterCommit(going.shards);
    await going.held.run();
    expect(going.looks).toBe(1);
    const closing = subject([{ number: 1, since: 10 }]);
    const release = closing.hold();
    closing.made.afterCommit(closing.shards);
    for (let step = 0; step < 64; step++) await Promise.resolve();
    closing.made.stop();
    release();
    await closing.held.run();
    expect([closing.did.includes("write 1"), closing.looks]).toEqual([true, 0]);
  });

  it("none of a shard that has had one since it became due", async () => {
    const { made, did, held, shards } = subject([{ number: 1, since: 10 }]);
    made.afterCommit(shards);
    for (const shard of shards) await shard.snapshot();
    await held.run();
    expect(did).toEqual(["gather 1"]);
  });

  it("a snapshot that fails is reported, and the next shard has its own", async () => {
    const { made, did, held, shards, broken } = subject([
      { number: 1, since: 10 },
      { number: 2, since: 10 },
    ]);
    broken.add("write");
    made.afterCommit(shards);
    await held.run();
    expect(did.filter((what) => /write|warn/.test(what))).toEqual([
      "write 1",
      `warn housekeeping.failed ${JSON.stringify({ message: "Error: no write 1" })}`,
      "write 2",
      `warn housekeeping.failed ${JSON.stringify({ message: "Error: no write 2" })}`,
    ]);
  });

  it("an engine that closes takes no further one", async () => {
    const { made, did, held, shards, hold } = subject([
      { number: 1, since: 10 },
      { number: 2, since: 10 },
    ]);
    const release = hold();
    made.afterCommit(shards);
    for (let step = 0; step < 64; step++) await Promise.resolve();
    made.stop();
    release();
    await held.run();
    await made.finished();
    expect(did.filter((what) => what.startsWith("gather"))).toEqual(["gather 1"]);
  });
});
