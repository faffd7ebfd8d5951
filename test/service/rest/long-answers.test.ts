import { expect, it } from "vitest";
import { LongAnswers } from "../../../src/service/rest/parts.ts";

it("of all long answers under way, one turn makes one further share; a short one does not wait", async () => {
  const turns: (() => void)[] = [];
  const answers = new LongAnswers({ soon: (run) => turns.push(run), monotonicMs: () => 0 });
  const made: string[] = [];
  const make = async (rows: readonly string[]): Promise<readonly string[]> =>
    await answers.map(
      rows,
      (row) => {
        made.push(row);
        return row.toUpperCase();
      },
      2,
    );
  const long = [make(["a", "b", "c", "d", "e"]), make(["p", "q", "r"])];
  const counts: number[] = [];
  for (let turn = 0; turn < 7; turn++) {
    for (let step = 0; step < 100; step++) await Promise.resolve();
    counts.push(made.length);
    if (turn === 0) long.push(make(["u", "v", "w"]));
    if (turn === 1) expect(await make(["x", "y"])).toEqual(["X", "Y"]);
    for (const run of turns.splice(0)) run();
  }
  expect(counts).toEqual([2, 4, 8, 10, 11, 12, 13]);
  expect(await Promise.all(long)).toEqual([
    ["A", "B", "C", "D", "E"],
    ["P", "Q", "R"],
    ["U", "V", "W"],
  ]);
});

it("rows that take long end a share after 4 ms, so that what happens meanwhile is handled between", async () => {
  const turns: (() => void)[] = [];
  let nowMs = 0;
  const answers = new LongAnswers({ soon: (run) => turns.push(run), monotonicMs: () => nowMs });
  let made = 0;
  const answer = answers.map(
    Array.from({ length: 100 }, (_, row) => row),
    (row) => {
      made++;
      nowMs += 0.125;
      return row;
    },
  );
  const counts = [made];
  while (made < 100) {
    for (const run of turns.splice(0)) run();
    await Promise.resolve();
    counts.push(made);
  }
  expect(counts).toEqual([32, 64, 96, 100]);
  expect(await answer).toHaveLength(100);
});
