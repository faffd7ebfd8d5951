import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExecutionIds } from "../../src/model/index.ts";

const childOf = (attempt: number): string => `aqc-74-mggs-${attempt}`;

describe("I15: the executions of a parent", () => {
  it("behave like an array and a set of child and id, whichever version is extended", () => {
    const ids = fc.array(
      fc.record({ to: fc.nat(), attempt: fc.integer({ min: 1, max: 3 }), n: fc.nat(20) }),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(ids, (added) => {
        const versions: Readonly<{ ids: ExecutionIds; expected: readonly string[] }>[] = [
          { ids: ExecutionIds.NONE, expected: [] },
        ];
        for (const { to, attempt, n } of added) {
          const [childId, id] = [childOf(attempt), `x${n}`];
          // Mostly the newest version, as in normal operation; sometimes an earlier one, as after a lost append.
          const at = to % 4 === 0 ? to % versions.length : versions.length - 1;
          const from = versions[at];
          if (from === undefined || from.ids.has(childId, id)) continue;
          const expected = [...from.expected, `${attempt} ${id}`];
          versions.push({ ids: from.ids.with(childId, id), expected });
        }
        for (const { ids: version, expected } of versions) {
          expect([...version]).toEqual(expected);
          expect(version.size).toBe(expected.length);
          expect(version.last).toBe(expected.at(-1)?.split(" ")[1]);
          expect(JSON.stringify({ version })).toBe(JSON.stringify({ version: expected }));
          for (let n = 0; n <= 20; n++) {
            const children = [1, 2, 3].map((attempt) => version.has(childOf(attempt), `x${n}`));
            expect(children).toEqual([1, 2, 3].map((attempt) => expected.includes(`${attempt} x${n}`)));
            expect(version.names(`x${n}`)).toBe(children.includes(true));
          }
        }
      }),
    );
  });

  it("are shared by the versions of a parent: 10,000 fills have one list of ids, not one each", () => {
    const versions = [ExecutionIds.of(["1 x0"])];
    for (let n = 1; n < 10_000; n++)
      versions.push((versions.at(-1) ?? ExecutionIds.NONE).with(childOf(1), `x${n}`));
    const newest = versions.at(-1)?.toJSON();
    expect(newest).toHaveLength(10_000);
    expect(versions[5_000]?.toJSON()).toHaveLength(5_001);
    expect(versions.at(-1)?.toJSON()).toBe(newest);
    expect(versions[5_000]?.has(childOf(1), "x5001")).toBe(false);
  });
});
