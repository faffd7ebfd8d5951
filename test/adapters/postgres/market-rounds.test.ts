import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Appends } from "../../../src/adapters/postgres/appends.ts";
import type { Database } from "../../../src/adapters/postgres/database.ts";
import type { Row } from "../../../src/adapters/postgres/driver.ts";
import { Owner } from "../../../src/adapters/postgres/owner.ts";
import { UnknownOutcome } from "../../../src/adapters/postgres/postgres-error.ts";
import { samplePrint } from "../../../src/conformance/internal.ts";
import { MARKET_SHARD } from "../../../src/model/index.ts";

const PATIENCE_MS = 30;

/** A statement that waits for its answer, and the round of the market journal that it names. */
type Asked = Readonly<{
  round: number;
  answer: (rows: readonly Row[]) => void;
  fail: (error: Error) => void;
}>;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lets time pass, and everything happen that follows. */
const pass = async (ms = 0): Promise<void> => void (await vi.advanceTimersByTimeAsync(ms));

/** Appends of an owner of the market journal, whose fences and writes the test answers. */
function open() {
  const owner = new Owner();
  owner.take(new Map([[MARKET_SHARD, 1]]));
  const [fences, writes]: [Asked[], Asked[]] = [[], []];
  const asked = (list: Asked[], round: number): Promise<readonly Row[]> =>
    new Promise((answer, fail) => list.push({ round, answer, fail }));
  const database = {
    write: (_text: string, [, , round]: readonly number[]) => asked(fences, round ?? -1),
    // The rounds are the fourth column, an array in binary format. That of the market journal comes last.
    append: (_text: string, columns: readonly Buffer[]) =>
      asked(writes, Number(columns[3]?.readBigInt64BE(columns[3].length - 8) ?? -1)),
  } as unknown as Database;
  const appends = new Appends(database, owner, PATIENCE_MS);
  return { owner, appends, fences, writes };
}

const roundsOf = (list: readonly Asked[]): readonly number[] => list.map(({ round }) => round);

it("I60: a round that becomes due while an earlier one begins is begun before the next write", async () => {
  const { appends, fences, writes } = open();
  const outcomes = ["1", "2", "3"].map((id) =>
    appends.append({ shards: [], prints: [samplePrint({ id })] }).catch((error: Error) => error.name),
  );
  await pass(PATIENCE_MS);
  expect([roundsOf(writes), roundsOf(fences)]).toEqual([[0], [1, 1]]);
  fences[0]?.answer([["256"]]);
  await pass();
  expect(roundsOf(writes)).toEqual([0, 1]);
  writes[1]?.fail(new UnknownOutcome("the connection was lost"));
  await pass();
  fences[1]?.answer([]);
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
  expect(await Promise.all(outcomes)).toEqual(["UnknownOutcome", "UnknownOutcome", []]);
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
