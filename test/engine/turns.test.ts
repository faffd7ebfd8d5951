import { describe, expect, it } from "vitest";
import { createHeldTurns } from "../support/held-turns.ts";

describe("decision HK: background work shares one part of each turn", () => {
  it("two pieces of work at a time take turns, and never use more than one share together", async () => {
    const held = createHeldTurns(10);
    const done: string[] = [];
    const work = async (name: string, count: number): Promise<void> => {
      for (let n = 0; n < count; n++) {
        done.push(name);
        const turn = held.turns.spend(1);
        if (turn !== undefined) await turn;
      }
    };
    const all = Promise.all([work("a", 40), work("b", 40)]);
    const perTurn: number[] = [];
    let before = 0;
    await held.run(() => {
      perTurn.push(done.length - before);
      before = done.length;
    });
    await all;
    expect(done).toHaveLength(80);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(11);
    const half = done.slice(0, 40);
    expect(half.filter((name) => name === "b").length).toBeGreaterThan(10);
  });

  it("a turn that other code waits for gives no new share before it comes", async () => {
    const held = createHeldTurns(10);
    for (let n = 0; n < 9; n++) expect(held.turns.spend(1)).toBeUndefined();
    void held.turns.next();
    expect(held.turns.spend(1)).toBeInstanceOf(Promise);
  });
});
