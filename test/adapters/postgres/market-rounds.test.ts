import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Appends } from "../../../src/adapters/postgres/appends.ts";
import type { Database } from "../../../src/adapters/postgres/database.ts";
import type { Row } from "../../../src/adapters/postgres/driver.ts";
import { Owner } from "../../../src/adapters/postgres/owner.ts";
import { UnknownOutcome } from "../../../src/adapters/postgres/postgres-error.ts";
import { MARKET_SHARD } from "../../../src/model/index.ts";
import type { ShardAppend } from "../../../src/ports/index.ts";
import { part, QUOTE, samplePrint, sampleRecord } from "../../store/rules/samples.ts";

const PATIENCE_MS = 30;

/** A statement that waits for its answer, the round of the market journal that it names, and what it writes. */
type Asked = Readonly<{
  round: number;
  answer: (rows: readonly Row[]) => void;
  fail: (error: Error) => void;
  /** Numbers of parts, the market journal included, of quotes and of prints. */
  counts: readonly number[];
}>;

/** Places of the columns of an append: the numbers of the parts, their rounds, quotes and prints. */
const [PARTS, ROUNDS, QUOTES, PRINTS] = [0, 3, 33, 40] as const;

/** The number of elements of an array in binary format. */
const countIn = (array: Buffer | undefined): number =>
  array === undefined || array.readInt32BE(0) === 0 ? 0 : array.readInt32BE(12);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets time pass, and everything happen that follows. */
const pass = async (ms = 0): Promise<void> => void (await vi.advanceTimersByTimeAsync(ms));

/** Appends of an owner of the market journal, whose fences and writes the test answers. */
function open() {
  const owner = new Owner();
  owner.take(new Map([[MARKET_SHARD, 1]]));
  const [fences, writes]: [Asked[], Asked[]] = [[], []];
  const database = {
    write: (_text: string, [, , round = -1]: readonly number[]) =>
      new Promise<readonly Row[]>((answer, fail) => fences.push({ round, answer, fail, counts: [] })),
    append: (_text: string, columns: readonly Buffer[], cutter: (cut: () => void) => void) =>
      new Promise<readonly Row[]>((answer, fail) => {
        cutter(() => fail(new UnknownOutcome("the connection was cut")));
        // The round of the market journal comes last.
        const round = Number(columns[ROUNDS]?.readBigInt64BE(columns[ROUNDS].length - 8) ?? -1);
        const counts = [PARTS, QUOTES, PRINTS].map((place) => countIn(columns[place]));
        writes.push({ round, answer, fail, counts });
      }),
  } as unknown as Database;
  const appends = new Appends(database, owner, PATIENCE_MS);
  return { owner, appends, fences, writes };
}

const roundsOf = (list: readonly Asked[]): readonly number[] => list.map(({ round }) => round);

const records = (): ShardAppend => part(3, 1, { records: [sampleRecord(3, 1)] });

const ALL = { prints: [samplePrint()], quotes: [QUOTE] };

/** Lets a round begin while the last write has no answer, and then answers that the market data was refused. */
async function overtake({ appends, fences, writes }: ReturnType<typeof open>): Promise<void> {
  const overtaken = writes.at(-1);
  const later = appends.inMarket(async () => undefined);
  await pass(PATIENCE_MS);
  fences.at(-1)?.answer([["256"]]);
  await later;
  overtaken?.answer([
    ["-1", "f"],
    ["0", "t"],
  ]);
  await pass();
}

it("I60: market data that a later round of its owner has overtaken is appended again, without the records", async () => {
  const store = open();
  const outcome = store.appends.append({ shards: [records()], ...ALL });
  await pass();
  await overtake(store);
  expect(store.writes.map(({ round, counts }) => [round, ...counts])).toEqual([
    [0, 2, 1, 1],
    [1, 1, 1, 1],
  ]);
  store.writes[1]?.answer([["-1", "t"]]);
  expect(await outcome).toEqual(["durable"]);
});

it("I60: market data alone that a later round of its owner has overtaken names no later owner", async () => {
  const store = open();
  const outcome = store.appends.append({ shards: [], ...ALL });
  await pass();
  await overtake(store);
  store.writes[1]?.answer([["-1", "t"]]);
  expect(await outcome).toEqual([]);
});

it("I60: market data is appended again a bounded number of times; then the outcome is not known", async () => {
  const store = open();
  const outcome = store.appends.append({ shards: [records()], ...ALL }).catch((error: unknown) => error);
  await pass();
  for (let attempt = 1; attempt <= 5; attempt++) await overtake(store);
  expect(await outcome).toBeInstanceOf(UnknownOutcome);
  expect(roundsOf(store.writes)).toEqual([0, 1, 2, 3, 4]);
});

it("decision XP: what a later owner refuses is not appended again, and only market data alone is an error", async () => {
  const store = open();
  for (const shards of [[records()], []]) {
    const outcome = store.appends.append({ shards, ...ALL }).catch((error: Error) => error.message);
    await pass();
    await overtake(store);
    store.writes.at(-1)?.answer([["-1", "f"]]);
    expect(await outcome).toEqual(
      shards.length > 0 ? ["durable"] : expect.stringContaining("I60: the market journal belongs to a later"),
    );
  }
  expect(roundsOf(store.writes)).toEqual([0, 1, 1, 2]);
});

it("decision WF: a quote that is appended again does not come after a newer one of its market", async () => {
  const store = open();
  const outcome = store.appends.append({ shards: [records()], quotes: [QUOTE] });
  await pass();
  const [overtaken] = store.writes;
  const newer = store.appends.append({ shards: [], quotes: [{ ...QUOTE, timeMs: QUOTE.timeMs + 1 }] });
  await pass(PATIENCE_MS);
  store.fences[0]?.answer([["256"]]);
  await pass();
  store.writes[1]?.answer([["-1", "t"]]);
  expect(await newer).toEqual([]);
  overtaken?.answer([
    ["-1", "f"],
    ["0", "t"],
  ]);
  expect(await outcome).toEqual(["durable"]);
  expect(store.writes).toHaveLength(2);
});

it("decision WB: a fence of a shard of the append also cuts what is appended again", async () => {
  const store = open();
  const outcome = store.appends.append({ shards: [records()], ...ALL }).catch((error: unknown) => error);
  await pass();
  await overtake(store);
  store.appends.fenced(3);
  await pass(PATIENCE_MS);
  expect(await outcome).toBeInstanceOf(UnknownOutcome);
});

it("I60: a round that becomes due while an earlier one begins is begun before the next write", async () => {
  const { appends, fences, writes } = open();
  const outcomes = ["1", "2", "3"].map((id) =>
    appends.append({ shards: [], prints: [samplePrint({ id })] }).catch((error: Error) => error.name),
  );
  await pass(PATIENCE_MS);
  expect([roundsOf(writes), roundsOf(fences)]).toEqual([[0], [1, 1]]);
  fences[1]?.answer([["256"]]);
  await pass();
  expect(roundsOf(writes)).toEqual([0, 1]);
  writes[1]?.fail(new UnknownOutcome("the connection was lost"));
  await pass();
  fences[0]?.answer([]);
  await pass();
  expect([roundsOf(writes), roundsOf(fences)]).toEqual([
    [0, 1],
    [1, 1, 2],
  ]);
  fences[2]?.answer([["256"]]);
  await pass();
  expect(roundsOf(writes)).toEqual([0, 1, 2]);
  writes[2]?.answer([["-1", "t"]]);
  writes[0]?.fail(new UnknownOutcome("the connection was cut"));
  expect(await Promise.all(outcomes)).toEqual(["UnknownOutcome", [], "UnknownOutcome"]);
});

it("decision RK: a fence of an earlier epoch begins no round of the next one", () => {
  const { owner } = open();
  owner.doubt();
  const earlier = owner.due;
  owner.take(new Map([[MARKET_SHARD, 2]]));
  expect(owner.due).toBeUndefined();
  owner.doubt();
  if (earlier !== undefined) owner.begun(earlier);
  expect([earlier, owner.due]).toEqual([
    { epoch: 1, round: 1 },
    { epoch: 2, round: 1 },
  ]);
});

it("decision WF: a write that a later one has passed before it began is not under way beside that one", async () => {
  const store = open();
  const { appends, fences, writes } = store;
  const prints = [1, 2, 3].map((n) => [samplePrint({ id: `p${n}` })]);
  const outcomes: unknown[] = [];
  const append = (index: number): void => {
    const shards = index === 1 ? [records()] : [];
    const done = appends.append({ shards, prints: prints[index] ?? [], quotes: [] });
    void done.then((outcome) => outcomes.push(outcome));
  };
  append(0);
  await pass();
  append(1);
  append(2);
  await pass(PATIENCE_MS);
  // The second and the third both begin the round; the third hears of it first.
  expect(roundsOf(fences)).toEqual([1, 1]);
  fences[1]?.answer([["256"]]);
  await pass();
  fences[0]?.answer([["256"]]);
  await pass();
  expect(roundsOf(writes)).toEqual([0, 1]);
  writes[0]?.answer([["-1", "f"]]);
  writes[1]?.answer([["-1", "t"]]);
  await pass();
  expect(roundsOf(writes)).toEqual([0, 1, 1]);
  // Answered in the order in which they are made: what was overtaken, and what was passed.
  for (const later of [2, 3]) {
    writes[later]?.answer([
      ["-1", "t"],
      ["0", "t"],
    ]);
    await pass();
  }
  expect(outcomes).toHaveLength(3);
  expect(outcomes).toContainEqual(["durable"]);
});

it("decision WF: records are appended also if their quotes have become old while they were passed", async () => {
  const store = open();
  const { appends, fences, writes } = store;
  void appends.append({ shards: [], prints: [samplePrint()], quotes: [] });
  await pass();
  const outcome = appends.append({ shards: [records()], quotes: [QUOTE] });
  const newer = appends.append({ shards: [], quotes: [{ ...QUOTE, timeMs: QUOTE.timeMs + 1 }] });
  await pass(PATIENCE_MS);
  fences[1]?.answer([["256"]]);
  await pass();
  fences[0]?.answer([["256"]]);
  await pass();
  writes[1]?.answer([["-1", "t"]]);
  expect(writes[2]?.counts, "records alone").toEqual([1, 0, 0]);
  writes[2]?.answer([["0", "t"]]);
  expect(await outcome).toEqual(["durable"]);
  expect(await newer).toEqual([]);
});
