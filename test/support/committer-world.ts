import { createManualClock, type ManualClock } from "../../src/adapters/memory/index.ts";
import { type CommitParts, Committer } from "../../src/engine/commit/committer.ts";
import { AppendTimes, type Core } from "../../src/engine/core/core.ts";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import type { Shard } from "../../src/engine/shards/shard.ts";
import type { MarketMark, PricedPrint } from "../../src/model/index.ts";
import type { AppendBatch } from "../../src/ports/index.ts";

/** The members of a pending record that a committer reads. */
export type FakeRecord = { decision: number; record: { cause: { kind: string } }; steps: readonly unknown[] };

/** The members of a shard that a committer uses. */
export type FakeShard = {
  readonly number: number;
  epoch: number;
  state: string;
  appendOf: (
    pending: readonly FakeRecord[],
    marks: readonly MarketMark[],
  ) => Readonly<{ shard: number; decisions: readonly number[]; marks: readonly MarketMark[] }>;
  settle: (one: FakeRecord) => void;
  noteLate: () => void;
  /** What becomes of it when it is read again; it runs by default. */
  after: "running" | "fenced";
  reload: (pending: readonly FakeRecord[], mayBeKept: boolean) => Promise<void>;
};

/** How the store answers an append; `durable` and `fenced` stand for every shard of it. A promise answers when it resolves. */
export type Answer = "durable" | "fenced" | Error | "silence" | Promise<"durable" | "fenced">;

/** A committer, and what it did. */
export type Subject = {
  readonly committer: Committer;
  readonly clock: ManualClock;
  /** What it did to its surroundings, in order. */
  readonly did: string[];
  readonly batches: AppendBatch[];
  /** The markets of which each append keeps the last quote. */
  readonly markets: readonly (readonly string[])[];
  /** The answers to the next appends; then all are durable. */
  readonly answers: Answer[];
  readonly counters: Readonly<{ activity: number; appends: number; records: number }>;
  shardOf: (number: number) => FakeShard;
  /** Decides a record of a shard. */
  decide: (shard: FakeShard, one: FakeRecord, requested?: boolean) => void;
  addMark: (one: MarketMark) => void;
  addPrint: (one: PricedPrint) => void;
  keepQuotes: (some: readonly string[]) => void;
  /** Makes the next reloads fail. */
  failReloads: (count: number) => void;
  /** Number of turns that the committer has asked the clock for. */
  readonly requested: number;
  /** Lets the turn pass that the committer asked for. */
  turn: () => Promise<void>;
  pass: (ms: number) => Promise<void>;
};

/** A record with the number of its decision. */
export const recordOf = (decision: number, kind = "REQUEST"): FakeRecord => ({
  decision,
  record: { cause: { kind } },
  steps: [],
});
/** A mark of shard 7 in one market. */
export const mark = (position: number): MarketMark =>
  ({
    ...{ shard: 7, symbol: "BTC/USD", side: "bid", position },
    ...{ price: 100 - position, timeMs: 1 },
  }) as unknown as MarketMark;

/** A committer whose surroundings write down, in order, what it does to them. */
export function subject(first: readonly Answer[] = []): Subject {
  const did: string[] = [];
  const batches: AppendBatch[] = [];
  const answers = [...first];
  const clock = createManualClock({ startMs: 1_000 });
  const waiting = new Map<FakeShard, FakeRecord[]>();
  const held = new Set<FakeShard>();
  let soon: (() => void)[] = [];
  let marks: MarketMark[] = [];
  let prints: PricedPrint[] = [];
  let writes = true;
  const tape = { isAside: false };
  const shards = new Map<number, FakeShard>();
  let quotes: readonly string[] = [];
  const markets: (readonly string[])[] = [];
  let reloadFails = 0;

  const shardMade = (number: number): FakeShard => ({
    number,
    epoch: 1,
    state: "running",
    after: "running",
    appendOf: (pending, some) => ({
      shard: number,
      decisions: pending.map((one) => one.decision),
      marks: some,
    }),
    settle: (one) => void did.push(`settle ${one.decision}`),
    noteLate: () => void did.push(`late ${number}`),
    async reload(pending, mayBeKept) {
      did.push(`reload ${number} ${pending.map((one) => one.decision).join()}${mayBeKept ? " maybe" : ""}`);
      if (reloadFails-- > 0) throw new Error("unreadable");
      if (this.after === "fenced") this.state = "fenced";
    },
  });
  const shardOf = (number: number): FakeShard => {
    const shard = shards.get(number) ?? shardMade(number);
    shards.set(number, shard);
    return shard;
  };
  const next = (): Promise<void> => {
    did.push("turn");
    return Promise.resolve();
  };
  const counters = { activity: 0, appends: 0, records: 0 };
  const core = {
    clock: { soon: (run: () => void) => void soon.push(run) },
    turns: { next },
    settings: DEFAULT_SETTINGS,
    counters,
    effects: { emit: ({ kind }: { kind: string }) => void did.push(kind) },
    nowMs: clock.nowMs,
    monotonicMs: clock.monotonicMs,
    time: { moment: () => ({ wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() }) },
    probe: (point: string) => void did.push(point),
    telemetry: {
      event: (level: string, name: string, fields: object) =>
        void did.push(`${level} ${name} ${JSON.stringify(fields)}`),
    },
    store: {
      append(batch: AppendBatch): Promise<unknown> {
        batches.push(batch);
        const answer = answers.shift() ?? "durable";
        if (answer instanceof Error) return Promise.reject(answer);
        if (answer instanceof Promise) return answer.then((one) => batch.shards.map(() => one));
        if (answer === "silence") return new Promise(() => undefined);
        return Promise.resolve(batch.shards.map(() => answer));
      },
    },
  };
  const parts = {
    shards: {
      at: shardOf,
      get all() {
        return [...shards.values()];
      },
    },
    commits: {
      get isEmpty() {
        return [...waiting.keys()].every((shard) => held.has(shard));
      },
      add: (shard: FakeShard) => void waiting.set(shard, waiting.get(shard) ?? []),
      take() {
        const taken = new Map([...waiting].filter(([shard]) => !held.has(shard)));
        for (const shard of taken.keys()) waiting.delete(shard);
        return taken;
      },
      isHeld: (shard: FakeShard) => held.has(shard),
      hold(some: readonly FakeShard[]) {
        for (const shard of some) held.add(shard);
      },
      holdIf(has: (one: FakeRecord) => boolean) {
        const some = [...waiting].filter(([shard, all]) => !held.has(shard) && all.some(has));
        for (const [shard] of some) held.add(shard);
        return some.map(([shard]) => shard);
      },
      release(some: readonly FakeShard[]) {
        for (const shard of some) held.delete(shard);
      },
    },
    timers: { after: (ms: number, run: () => void) => clock.schedule(clock.monotonicMs() + ms, run) },
    bursts: {
      wake: () => void did.push("bursts"),
      spend: (units: number) => void did.push(`spend ${units}`),
    },
    market: {
      marking: 0,
      get hasFacts() {
        return marks.length + prints.length > 0;
      },
      get hasOnlyMarks() {
        return marks.length > 0 && prints.length === 0;
      },
      get marksDue() {
        return marks.length;
      },
      tape,
      takeFacts({ onlyDue }: { onlyDue: boolean }) {
        const taken = { marks: onlyDue ? [] : marks, prints: tape.isAside ? [] : prints };
        [marks, prints] = [onlyDue ? marks : [], tape.isAside ? prints : []];
        return taken;
      },
      quotesToStore(of: Iterable<string>) {
        markets.push([...of]);
        return tape.isAside ? [] : quotes;
      },
      stored: (facts: { marks: readonly MarketMark[] }) => void did.push(`kept ${facts.marks.length}`),
      notStored(some: readonly PricedPrint[]) {
        prints = [...some, ...prints];
      },
      stopWriting() {
        did.push("writes no more");
        writes = false;
        prints = [];
      },
    },
    board: {
      storeWorked: () => void did.push("worked"),
      storeFailed: (error: Error) => void did.push(`failed: ${error.message}`),
    },
    calls: { abandon: (beforeMs: number) => void did.push(`give up ${beforeMs}`) },
    housekeeping: {
      afterCommit: (shards: readonly FakeShard[]) =>
        void did.push(`housekeeping ${shards.map(({ number }) => number).join()}`),
    },
  };
  const times = new AppendTimes(core);
  const committer = new Committer(core as unknown as Core, { ...parts, times } as unknown as CommitParts);
  const settle = async (): Promise<void> => {
    for (let step = 0; step < 64; step++) await Promise.resolve();
  };
  return {
    committer,
    clock,
    did,
    batches,
    markets,
    answers,
    counters,
    shardOf,
    decide(shard, one, requested = false) {
      waiting.set(shard, [...(waiting.get(shard) ?? []), one]);
      committer.wake(shard as unknown as Shard, requested);
    },
    addMark(one) {
      marks.push(one);
      committer.wake();
    },
    addPrint(one) {
      if (writes) prints.push(one);
      committer.wake();
    },
    keepQuotes(some) {
      quotes = some;
    },
    failReloads(count) {
      reloadFails = count;
    },
    get requested() {
      return soon.length;
    },
    async turn() {
      const due = soon;
      soon = [];
      for (const run of due) run();
      await settle();
    },
    async pass(ms) {
      await clock.advanceBy(ms, settle);
      await settle();
    },
  };
}

/** A committer that may append, with one shard. */
export function begun(first: readonly Answer[] = []): Subject & Readonly<{ shard: FakeShard }> {
  const made = subject(first);
  made.committer.begin();
  return Object.assign(made, { shard: made.shardOf(7) });
}

/** The decisions in each append. */
export const decisionsOf = ({ batches }: Subject): readonly (readonly number[])[] =>
  batches.map(({ shards }) => shards.flatMap((one) => (one as unknown as { decisions: number[] }).decisions));

/** The positions of the marks in each append. */
export const positionsOf = ({ batches }: Subject): readonly (readonly number[])[] =>
  batches.map(({ shards }) => shards.flatMap(({ marks = [] }) => marks.map(({ position }) => position)));

/** The ids of the prints in each append. */
export const printsOf = ({ batches }: Subject): readonly (readonly string[])[] =>
  batches.map(({ prints = [] }) => prints.map(({ id }) => id));
