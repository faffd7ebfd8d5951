import { expect, it } from "vitest";
import { durationText } from "../../src/common/index.ts";

it("a duration is told in its largest units, and exactly", () => {
  const durations = [0, 5_000, 60_000, 90_000, 7_200_000, 5_400_000, 90_061_001];
  expect(durations.map(durationText)).toEqual([
    ...["0 ms", "5 s", "1 min", "1 min 30 s", "2 h", "1 h 30 min", "1 d 1 h 1 min 1 s 1 ms"],
  ]);
});
