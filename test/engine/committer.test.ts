import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import { InvariantError } from "../../src/errors/index.ts";
import { samplePrint } from "../store/rules/samples.ts";
import {
  type Answer,
  begun,
  decisionsOf,
  type FakeRecord,
  mark,
  positionsOf,
  printsOf,
  recordOf,
  type Subject,
  subject,
} from "../support/committer-world.ts";

const { retryMinMs, retryMaxMs, hostTimeoutMs } = DEFAULT_SETTINGS;

describe("nothing is appended while an engine opens", () => {
  it("what was decided until then is appended in the next turn, and nothing if nothing was", async () => {
    const some = subject();
    some.decide(some.shardOf(1), recordOf(1));
    expect([some.requested, some.committer.busy]).toEqual([0, false]);
    some.committer.begin();
    expect([some.requested, some.committer.busy, some.batches.length]).toEqual([1, true, 0]);
    await some.turn();
    expect(decisionsOf(some)).toEqual([[1]]);
    expect(some.committer.busy).toBe(false);
    const none = subject();
    none.committer.begin();
    expect([none.requested, none.committer.busy]).toEqual([0, false]);
  });
});

describe("I20: what a durable append causes, and in which order", () => {
  it("the store has answered before anything is settled, in the order of the decisions", async () => {
    const made = begun();
    const [one, other] = [made.shardOf(1), made.shardOf(2)];
    made.decide(one, recordOf(3));
    made.decide(other, recordOf(1));
    made.decide(one, recordOf(2, "VENUE"));
    expect(made.did).toEqual([]);
    await made.turn();
    expect(made.did).toEqual([
      "before-outcome-append",
      "before-append",
      "spend 1.5",
      "after-append",
      "worked",
      "spend 3",
      "settle 1",
      "settle 2",
      "settle 3",
      "kept 0",
      "housekeeping 1,2",
      "bursts",
    ]);
    expect(made.counters).toEqual({ activity: 1, appends: 1, records: 3 });
  });

  it("only an append with a record of the venue is at the point of an outcome", async () => {
    const made = begun();
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect(made.did).not.toContain("before-outcome-append");
    expect(made.did).toContain("before-append");
  });

  it("the time of an append is that at which the store was asked", async () => {
    const made = begun();
    expect(made.committer.requestedAt.monotonicMs).toBe(0);
    await made.pass(250);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect(made.committer.requestedAt.monotonicMs).toBe(1_250);
  });

  it("65 records are settled in two turns after the one of the append, 64 in that one", async () => {
    const [many, few] = [begun(), begun()];
    for (let n = 1; n <= 65; n++) many.decide(many.shard, recordOf(n));
    for (let n = 1; n <= 64; n++) few.decide(few.shard, recordOf(n));
    await many.turn();
    await few.turn();
    const brief = ({ did }: Subject): readonly string[] =>
      did.filter((what) => /turn|spend|settle 6[45]/.test(what));
    expect(brief(many)).toEqual([
      "spend 32.5",
      "turn",
      "spend 64",
      "settle 64",
      "turn",
      "spend 1",
      "settle 65",
    ]);
    expect(brief(few)).toEqual(["spend 32", "spend 64", "settle 64"]);
  });

  it("an engine at rest asks for no further turn", async () => {
    const made = begun();
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect([made.requested, made.did.filter((what) => what === "turn")]).toEqual([0, []]);
  });

  it("what was decided meanwhile waits for the next turn", async () => {
    const made = begun();
    Object.assign(made.shard, {
      settle: (one: FakeRecord) => {
        made.did.push(`settle ${one.decision}`);
        if (one.decision === 1) made.decide(made.shard, recordOf(2));
      },
    });
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2]]);
    expect(made.did.filter((what) => /turn|settle/.test(what))).toEqual(["settle 1", "turn", "settle 2"]);
    expect(made.requested).toBe(0);
  });
});

describe("I01, I02: an append that was not kept, or whose outcome is unknown", () => {
  const LOST = new Error("disk full");
  const REPORTED = (shards: number): string =>
    `error append.failed ${JSON.stringify({ message: "disk full", shards })}`;

  it("settles nothing: every shard in it reads the store, because the records may be there", async () => {
    const made = begun([LOST]);
    made.decide(made.shardOf(1), recordOf(1));
    made.decide(made.shardOf(2), recordOf(2));
    await made.turn();
    expect(made.did).toEqual([
      "before-append",
      "spend 1",
      "failed: disk full",
      REPORTED(2),
      "reload 1 1 maybe",
      "reload 2 2 maybe",
      "bursts",
    ]);
    expect(made.counters).toEqual({ activity: 1, appends: 0, records: 0 });
  });

  it("I60: a shard that the store refuses reads it, too, and its records are certainly not there; others settle", async () => {
    const made = begun();
    const [one, other] = [made.shardOf(1), made.shardOf(2)];
    made.answers.push("fenced");
    made.decide(one, recordOf(1));
    await made.turn();
    made.decide(other, recordOf(2));
    await made.turn();
    expect(made.did.filter((what) => /reload|settle|refused|failed/.test(what))).toEqual([
      'error append.refused {"shard":1}',
      "reload 1 1",
      "settle 2",
    ]);
  });

  it("an answer that says less than one word for each shard is a failure", async () => {
    const made = begun();
    made.answers.push("later" as Answer);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect(made.did).toContain("reload 7 1 maybe");
    expect(made.did.filter((what) => what.startsWith("settle"))).toEqual([]);
  });

  it("a shard that cannot be read is read again after pauses that double, with nothing more to answer", async () => {
    const made = begun([LOST]);
    made.failReloads(12);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    const reads = (): readonly string[] => made.did.filter((what) => /reload/.test(what));
    const failed = 'error reload.failed {"message":"unreadable","shard":7}';
    expect(reads()).toEqual(["reload 7 1 maybe", failed]);
    expect(made.did).toContain("failed: unreadable");
    for (let failures = 1; failures <= 12; failures++) {
      await made.pass(Math.min(retryMaxMs, retryMinMs * 2 ** (failures - 1)) - 1);
      expect(reads()).toHaveLength(2 * failures);
      await made.pass(1);
      expect(reads()[2 * failures]).toBe("reload 7  maybe");
    }
    await made.pass(10 * retryMaxMs);
    expect(reads()).toHaveLength(25);
  });
});

describe("calls that wait for longer than hostTimeoutMs while shards are read", () => {
  it("are answered each time that it has passed, until the last of the shards runs", async () => {
    const made = begun([new Error("disk full")]);
    let runs = (): void => undefined;
    made.shardOf(2).reload = () => new Promise((resolve) => (runs = resolve));
    made.decide(made.shardOf(1), recordOf(1));
    made.decide(made.shardOf(2), recordOf(2));
    await made.turn();
    const answered = (): readonly string[] => made.did.filter((what) => what.startsWith("give up"));
    await made.pass(2 * hostTimeoutMs);
    expect(answered()).toEqual(["give up 1000", `give up ${1_000 + hostTimeoutMs}`]);
    runs();
    await made.pass(10 * hostTimeoutMs);
    expect(answered()).toHaveLength(2);
    made.answers.push(new Error("disk full"));
    made.decide(made.shardOf(2), recordOf(3));
    await made.turn();
    await made.pass(hostTimeoutMs);
    expect(answered()).toHaveLength(3);
  });
});

describe("a store that keeps failing is tried again after pauses", () => {
  /** A committer whose second append in a row failed. */
  async function failing(): Promise<ReturnType<typeof begun>> {
    const made = begun([new Error("1"), new Error("2")]);
    for (const decision of [1, 2]) {
      made.decide(made.shard, recordOf(decision));
      await made.turn();
    }
    made.decide(made.shard, recordOf(3));
    return made;
  }

  it("the first failure is followed at once, the second after retryMinMs", async () => {
    const made = await failing();
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2]]);
    await made.pass(retryMinMs - 1);
    expect(decisionsOf(made)).toHaveLength(2);
    await made.pass(1);
    expect(decisionsOf(made)).toEqual([[1], [2], [3]]);
  });

  it("an engine in a pause is not busy, so that a close does not wait for it", async () => {
    const made = await failing();
    expect(made.committer.busy).toBe(false);
    await made.pass(retryMinMs);
    expect(made.committer.busy).toBe(false);
    made.decide(made.shard, recordOf(4));
    expect(made.committer.busy).toBe(true);
  });

  it("a caller ends the pause, and nothing else does", async () => {
    const made = await failing();
    made.committer.wake();
    await made.turn();
    expect(decisionsOf(made)).toHaveLength(2);
    made.decide(made.shard, recordOf(4), true);
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2], [3, 4]]);
    await made.pass(retryMinMs);
    expect(decisionsOf(made)).toHaveLength(3);
  });

  it("a caller who asks while a failure is dealt with leaves the pause out", async () => {
    const made = begun([new Error("1"), new Error("2")]);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    made.shard.reload = async () => made.decide(made.shardOf(8), recordOf(3), true);
    made.decide(made.shard, recordOf(2));
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2], [3]]);
  });

  it("after an append that is kept, the next failure is the first again", async () => {
    const made = await failing();
    await made.pass(retryMinMs);
    made.answers.push(new Error("3"));
    made.decide(made.shard, recordOf(4));
    await made.turn();
    made.decide(made.shard, recordOf(5));
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2], [3], [4], [5]]);
  });

  it("refused appends of a shard that runs on count as failures, those of a fenced shard do not", async () => {
    for (const [state, appended] of [
      ["running", 2],
      ["fenced", 3],
    ] as const) {
      const made = begun(["fenced", "fenced"]);
      made.shard.state = state;
      for (const decision of [1, 2, 3]) {
        made.decide(made.shard, recordOf(decision));
        await made.turn();
      }
      expect([state, made.batches.length]).toEqual([state, appended]);
    }
  });
});

describe("I31: marks of a failed append are kept for the next one", () => {
  it("without records the append is repeated after a pause, with the marks, and does not wait for further marks", async () => {
    const made = begun([new Error("disk full")]);
    made.addMark(mark(1));
    await made.turn();
    expect(made.did.filter((what) => what === "turn")).toHaveLength(1);
    expect(positionsOf(made)).toEqual([[1]]);
    made.addMark(mark(2));
    await made.pass(retryMinMs - 1);
    expect(made.batches).toHaveLength(1);
    await made.pass(1);
    expect(positionsOf(made)).toEqual([[1], [1, 2]]);
    // One for the mark that came meanwhile, and none to collect more.
    expect(made.did.filter((what) => what === "turn")).toHaveLength(2);
    expect(made.did).toContain("kept 2");
  });

  it("I60: a market journal of a later engine is no failure of the store, and is written no more", async () => {
    const made = begun([new InvariantError("I60", "the market journal has another owner")]);
    made.addPrint(samplePrint({ id: "a" }));
    await made.turn();
    expect(made.did.filter((what) => what.startsWith("failed"))).toEqual([]);
    expect(made.did).toContain("writes no more");
    expect(made.committer.busy).toBe(false);
    made.addPrint(samplePrint({ id: "b" }));
    await made.turn();
    expect(printsOf(made)).toEqual([["a"]]);
  });

  it("prints of an append that failed come first in the next one", async () => {
    const made = begun([new Error("disk full")]);
    made.addPrint(samplePrint({ id: "a" }));
    await made.turn();
    made.addPrint(samplePrint({ id: "b" }));
    await made.pass(retryMinMs);
    expect(printsOf(made)).toEqual([["a"], ["a", "b"]]);
  });

  it("another broken invariant is tried again: it says nothing about who writes the market journal", async () => {
    const made = begun([new InvariantError("I53", "a row is damaged")]);
    made.addPrint(samplePrint({ id: "a" }));
    await made.turn();
    await made.pass(retryMinMs);
    expect(printsOf(made)).toEqual([["a"], ["a"]]);
  });

  it("I60: marks of a shard that another engine owns are refused, and dropped", async () => {
    const made = begun(["fenced"]);
    made.shard.after = "fenced";
    made.addMark(mark(1));
    await made.turn();
    expect(made.did).toContain("reload 7 ");
    made.addMark(mark(2));
    await made.turn();
    expect(positionsOf(made)).toEqual([[1]]);
  });

  it("marks that were refused do not count as kept, and are appended again if their shard runs on", async () => {
    const made = begun(["fenced"]);
    made.addMark(mark(1));
    await made.turn();
    expect(positionsOf(made)).toEqual([[1], [1]]);
    expect(made.did.filter((what) => what.startsWith("kept"))).toEqual(["kept 0", "kept 1"]);
  });

  it("marks of a shard that is being read again wait until it runs", async () => {
    const made = begun();
    made.shard.state = "reloading";
    made.addMark(mark(1));
    await made.turn();
    expect(made.batches).toEqual([]);
    made.shard.state = "running";
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect([positionsOf(made), decisionsOf(made)]).toEqual([[[1]], [[1]]]);
  });

  it("marks of a shard that could not be read at first are appended when it runs, without anything else", async () => {
    const made = begun([new Error("disk full")]);
    const { reload } = made.shard;
    made.shard.reload = async (...lost) => {
      made.shard.state = "reloading";
      await reload.call(made.shard, ...lost);
      made.shard.state = "running";
    };
    made.failReloads(1);
    made.addMark(mark(1));
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect(positionsOf(made)).toEqual([[1]]);
    await made.pass(retryMinMs);
    await made.turn();
    expect(positionsOf(made)).toEqual([[1], [1]]);
  });
});

/** Lets many marks wait, because as many have just been appended. */
async function waitingMarks(made: Subject): Promise<void> {
  for (let position = 1; position <= 66; position++) {
    made.addMark(mark(position));
    if (position % 33 === 0) await made.turn();
  }
  expect([made.batches.length, made.committer.busy]).toEqual([1, false]);
}

describe("the last quotes of a closing engine", () => {
  it("are appended by themselves, and nothing after them", async () => {
    const made = begun();
    made.keepQuotes(["quote"]);
    await made.committer.finish();
    expect([made.batches, made.markets]).toEqual([[{ shards: [], quotes: ["quote"] }], [[]]]);
    made.decide(made.shard, recordOf(1));
    expect(made.requested).toBe(0);
  });

  it("are appended with the marks that had to wait", async () => {
    const made = begun();
    await waitingMarks(made);
    made.keepQuotes(["quote"]);
    await made.committer.finish();
    expect(positionsOf(made).map(({ length }) => length)).toEqual([33, 33]);
    expect(made.batches[1]?.quotes).toEqual(["quote"]);
  });

  it("an append keeps those of the markets whose parents are open after it, and holds only what there is", async () => {
    const made = begun();
    const stepOf = (symbol: string, ended?: object): unknown => ({ order: { intent: { symbol }, ended } });
    made.decide(made.shard, { ...recordOf(1), steps: [stepOf("A"), stepOf("B", {}), stepOf("A")] });
    await made.turn();
    expect(made.markets).toEqual([["A"]]);
    expect(made.batches).toEqual([{ shards: [{ shard: 7, decisions: [1], marks: [] }] }]);
  });

  it("are not appended if there are none, while an append is under way, or after one failed", async () => {
    const none = begun();
    await none.committer.finish();
    expect(none.batches).toEqual([]);
    const busy = begun(["silence"]);
    busy.keepQuotes(["quote"]);
    busy.decide(busy.shard, recordOf(1));
    await busy.turn();
    await busy.committer.finish();
    expect(busy.batches).toHaveLength(1);
    const failed = begun([new Error("disk full")]);
    failed.keepQuotes(["quote"]);
    failed.addMark(mark(1));
    await failed.turn();
    await failed.committer.finish();
    expect(failed.batches).toHaveLength(1);
  });

  it("that cannot be stored are reported, and the engine closes all the same", async () => {
    const made = begun([new Error("disk full")]);
    made.keepQuotes(["quote"]);
    await made.committer.finish();
    expect(made.did).toEqual(['warn quotes.unsaved {"message":"disk full"}']);
  });

  it("a stop ends the wait for records that the store has not answered for, and appends nothing more", async () => {
    const made = begun(["silence"]);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    made.committer.stop();
    expect(made.did).toContain("reload 7 1 maybe");
    made.decide(made.shard, recordOf(2));
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1]]);
    const read = begun(["fenced"]);
    read.shard.reload = () => {
      read.did.push("reload");
      return new Promise(() => undefined);
    };
    read.decide(read.shard, recordOf(1));
    await read.turn();
    read.committer.stop();
    expect(read.did.filter((what) => what === "reload")).toHaveLength(1);
    const idle = begun();
    idle.committer.stop();
    idle.decide(idle.shard, recordOf(1));
    expect(idle.requested).toBe(0);
  });
});

describe("marks of a shard that goes to another engine", () => {
  it("the engine is told whether they are durable, once for each time that it asks", async () => {
    const made = begun([new Error("disk full")]);
    const reported: boolean[] = [];
    const ask = (): void => void made.committer.persistMarks(7).then((durable) => reported.push(durable));
    ask();
    await made.turn();
    expect(reported).toEqual([true]);
    made.addMark(mark(1));
    ask();
    await made.turn();
    await made.pass(retryMinMs);
    expect(reported).toEqual([true, false]);
    ask();
    await made.turn();
    expect([reported, positionsOf(made)]).toEqual([
      [true, false, true],
      [[1], [1]],
    ]);
    const unanswered = made.committer.persistMarks(7);
    made.committer.stop();
    expect([await unanswered, await made.committer.persistMarks(7)]).toEqual([false, false]);
  });

  it("are appended at once, also those that had to wait", async () => {
    const made = begun();
    await waitingMarks(made);
    const durable = made.committer.persistMarks(7);
    await made.turn();
    expect([await durable, positionsOf(made).map(({ length }) => length)]).toEqual([true, [33, 33]]);
  });

  it("those of another shard that is read again do not count", async () => {
    const made = begun();
    made.shard.state = "reloading";
    made.addMark(mark(1));
    const reported: boolean[] = [];
    for (const shard of [7, 8])
      void made.committer.persistMarks(shard).then((durable) => reported.push(durable));
    await made.turn();
    expect([reported, positionsOf(made)]).toEqual([[false, true], []]);
  });

  it.each([
    ["of a failed append", new Error("disk full")],
    ["that were refused", "fenced"],
  ] as const)("%s are not appended again once another engine has owned the shard", async (_what, answer) => {
    const made = begun([answer]);
    const { appendOf } = made.shard;
    made.shard.appendOf = (pending, marks) => {
      made.shard.epoch++;
      return appendOf(pending, marks);
    };
    made.addMark(mark(1));
    await made.turn();
    await made.pass(retryMaxMs);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect(positionsOf(made)).toEqual([[1], []]);
  });

  it("of a failed append are not appended again when the shard has come back", async () => {
    const made = begun([new Error("disk full")]);
    made.addMark(mark(1));
    await made.turn();
    made.committer.dropMarks(8);
    made.committer.dropMarks(7);
    await made.pass(retryMaxMs);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    expect(positionsOf(made)).toEqual([[1], []]);
  });
});
