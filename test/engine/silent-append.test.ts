import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS } from "../../src/engine/index.ts";
import { samplePrint } from "../store/rules/samples.ts";
import { begun, decisionsOf, mark, positionsOf, printsOf, recordOf } from "../support/committer-world.ts";

const { hostTimeoutMs } = DEFAULT_SETTINGS;

describe("a store that does not answer an append", () => {
  it("is reported after hostTimeoutMs, calls that are older are answered, and the append is given up after 12 times", async () => {
    const made = begun(["silence"]);
    await made.pass(1_000);
    const beganMs = made.clock.monotonicMs();
    made.decide(made.shard, recordOf(1));
    await made.turn();
    await made.pass(hostTimeoutMs - 1);
    expect(made.did.filter((what) => /failed|give up/.test(what))).toEqual([]);
    await made.pass(1);
    expect(made.did.filter((what) => /failed|give up/.test(what))).toEqual([
      `failed: the store has not answered an append for ${hostTimeoutMs} ms`,
      `give up ${beganMs}`,
    ]);
    expect(made.did).toContain("late 7");
    await made.pass(11 * hostTimeoutMs - 1);
    expect(made.did).not.toContain("reload 7 1 maybe");
    await made.pass(1);
    expect(made.did).toContain(`failed: the store has not answered an append for ${12 * hostTimeoutMs} ms`);
    expect(made.did).toContain("reload 7 1 maybe");
    const failures = made.did.filter((what) => /failed/.test(what)).length;
    await made.pass(5 * hostTimeoutMs);
    expect(made.did.filter((what) => /failed/.test(what))).toHaveLength(failures);
  });

  it("one that answered in time is not reported later", async () => {
    const made = begun();
    made.decide(made.shard, recordOf(1));
    await made.turn();
    await made.pass(20 * hostTimeoutMs);
    expect(made.did.filter((what) => /failed|give up/.test(what))).toEqual([]);
  });
});

describe("an append without an answer for hostTimeoutMs", () => {
  /** A committer whose first append, of a record, a mark and a print of shard 7, is answered by the test. */
  async function hung(): Promise<
    ReturnType<typeof begun> & Readonly<{ answer: (as: "durable" | "fenced") => void }>
  > {
    let answer: (as: "durable" | "fenced") => void = () => undefined;
    const made = begun([new Promise((resolve) => (answer = resolve))]);
    made.addMark(mark(1));
    made.addPrint(samplePrint({ id: "a" }));
    made.decide(made.shard, recordOf(1));
    await made.turn();
    made.decide(made.shardOf(8), recordOf(2));
    made.decide(made.shard, recordOf(3));
    await made.pass(hostTimeoutMs - 1);
    expect(decisionsOf(made)).toEqual([[1]]);
    await made.pass(1);
    return Object.assign(made, { answer: (as: "durable" | "fenced") => answer(as) });
  }

  it("others go on; its shard waits for it, and then goes on in order", async () => {
    const made = await hung();
    expect(decisionsOf(made)).toEqual([[1], [2]]);
    made.decide(made.shardOf(9), recordOf(4));
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2], [4]]);
    expect(made.did.filter((what) => what.startsWith("settle"))).toEqual(["settle 2", "settle 4"]);
    made.answer("durable");
    await made.pass(0);
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2], [4], [3]]);
    expect(made.did.filter((what) => what.startsWith("settle")).slice(2)).toEqual(["settle 1", "settle 3"]);
  });

  it("marks of its shard and prints wait for it, in their order", async () => {
    const made = await hung();
    made.addMark(mark(2));
    made.addPrint(samplePrint({ id: "b" }));
    made.decide(made.shardOf(8), recordOf(4));
    await made.turn();
    expect([positionsOf(made), printsOf(made)]).toEqual([
      [[1], [], []],
      [["a"], [], []],
    ]);
    made.answer("durable");
    await made.pass(0);
    await made.turn();
    expect([positionsOf(made).at(-1), printsOf(made).at(-1)]).toEqual([[2], ["b"]]);
  });

  it.each([
    ["a child of a share of the volume", [{ kind: "ENDED" }, { kind: "CHILD_INTENDED", volume: 1n }]],
    ["an acceptance that counts the volume from then on", [{ kind: "ACCEPTED", volumeBefore: 0n }]],
  ])("I34: %s waits with its prints, so that the volume is not less after a crash", async (_what, facts) => {
    const made = await hung();
    made.decide(made.shardOf(9), { ...recordOf(4), steps: [{ facts, order: { intent: {} } }] });
    made.decide(made.shardOf(8), recordOf(5));
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2], [5]]);
    made.addPrint(samplePrint({ id: "b" }));
    made.answer("durable");
    await made.pass(0);
    await made.turn();
    expect(decisionsOf(made).at(-1)?.toSorted()).toEqual([3, 4]);
    expect(printsOf(made).at(-1)).toEqual(["b"]);
  });

  it("what rests on no volume does not wait for its prints", async () => {
    const made = await hung();
    const facts = [
      { kind: "ACCEPTED" },
      { kind: "CHILD_INTENDED" },
      { kind: "ENDED", volume: 1n, volumeBefore: 1n },
    ];
    made.decide(made.shardOf(9), { ...recordOf(4), steps: [{ facts, order: { intent: {} } }] });
    await made.turn();
    expect(decisionsOf(made)).toEqual([[1], [2], [4]]);
  });

  it("what waits for its prints goes on after it, however long it had no answer", async () => {
    const made = await hung();
    const facts = [{ kind: "CHILD_INTENDED", volume: 1n }];
    made.decide(made.shardOf(9), { ...recordOf(4), steps: [{ facts, order: { intent: {} } }] });
    await made.turn();
    await made.pass(3 * hostTimeoutMs);
    made.answer("durable");
    await made.pass(0);
    await made.turn();
    expect(decisionsOf(made).at(-1)?.toSorted()).toEqual([3, 4]);
  });

  it.each([
    ["a print", ["a"], [], [["a"], []]],
    ["a quote", [], ["quote"], [[], []]],
    ["a print and a quote", ["a"], ["quote"], [["a"], []]],
    ["neither", [], [], [[], ["b"]]],
  ] as const)("later prints wait if it has %s", async (_what, prints, quotes, appended) => {
    const made = begun(["silence"]);
    made.keepQuotes(quotes);
    for (const id of prints) made.addPrint(samplePrint({ id }));
    made.decide(made.shard, recordOf(1));
    await made.turn();
    await made.pass(hostTimeoutMs);
    made.addPrint(samplePrint({ id: "b" }));
    made.decide(made.shardOf(8), recordOf(2));
    await made.turn();
    expect(printsOf(made)).toEqual(appended);
  });

  it("prints wait for the append that has the earlier ones, and for no other", async () => {
    const made = await hung();
    let answerOther: (as: "durable") => void = () => undefined;
    made.answers.push(new Promise((resolve) => (answerOther = resolve)));
    made.decide(made.shardOf(8), recordOf(4));
    await made.turn();
    await made.pass(hostTimeoutMs);
    made.addPrint(samplePrint({ id: "b" }));
    answerOther("durable");
    await made.pass(0);
    await made.turn();
    expect([printsOf(made), made.did.includes("VOLUME_MOVES")]).toEqual([[["a"], [], []], false]);
    made.answer("durable");
    await made.pass(0);
    await made.turn();
    expect([printsOf(made).at(-1), made.did.includes("VOLUME_MOVES")]).toEqual([["b"], true]);
  });

  it("whoever asks for marks of its shard to be kept is told that they are not", async () => {
    const made = await hung();
    const [own, other] = [made.committer.persistMarks(7), made.committer.persistMarks(8)];
    await made.turn();
    expect(await Promise.all([own, other])).toEqual([false, true]);
  });

  it("the store counts as failing until it answers, whatever it keeps meanwhile", async () => {
    const made = await hung();
    expect(made.did).not.toContain("worked");
    // One that has begun since is not late.
    made.answers.push("silence");
    made.decide(made.shardOf(8), recordOf(4));
    await made.turn();
    made.answer("durable");
    await made.pass(0);
    expect(made.did).toContain("worked");
  });

  it("its end is activity, so that an engine that waits for it is not taken to be at rest", async () => {
    const made = await hung();
    const before = made.counters.activity;
    made.answer("durable");
    await made.pass(0);
    expect(made.counters.activity).toBe(before + 1);
  });

  it("a closing engine appends no quotes behind it", async () => {
    const made = begun(["silence"]);
    made.decide(made.shard, recordOf(1));
    await made.turn();
    await made.pass(hostTimeoutMs);
    made.keepQuotes(["quote"]);
    await made.committer.finish();
    expect(made.batches).toHaveLength(1);
  });

  it("what it was given counts as under way: a close waits for it, and answers its callers", async () => {
    const made = await hung();
    let rests = false;
    void made.committer.resting.then(() => (rests = true));
    await made.pass(0);
    expect([made.committer.busy, rests]).toEqual([true, false]);
    made.committer.stop();
    expect(made.did.filter((what) => what.startsWith("reload"))).toEqual(["reload 7 1 maybe"]);
    made.answer("durable");
    await made.pass(0);
    expect([made.committer.busy, rests]).toEqual([false, true]);
  });

  it("the time of an append is that of the append whose records are settled", async () => {
    const made = await hung();
    expect(made.committer.requestedAt.monotonicMs).toBe(1_000 + hostTimeoutMs);
    made.answer("durable");
    await made.pass(0);
    expect(made.committer.requestedAt.monotonicMs).toBe(1_000);
  });

  it("refused or given up, its shard is read again and goes on; others do not wait for the reading", async () => {
    const refused = await hung();
    refused.answer("fenced");
    await refused.pass(0);
    await refused.turn();
    expect(refused.did).toContain("reload 7 1");
    expect(decisionsOf(refused)).toEqual([[1], [2], [3]]);
    const given = await hung();
    given.shard.reload = () => new Promise(() => undefined);
    await given.pass(11 * hostTimeoutMs);
    given.decide(given.shardOf(8), recordOf(4));
    await given.turn();
    expect(decisionsOf(given)).toEqual([[1], [2], [4]]);
  });
});
