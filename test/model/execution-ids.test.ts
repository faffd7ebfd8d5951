import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExecutionIds } from "../../src/model/index.ts";

describe("I15, decision GM: the ids of executions", () => {
  it("behave like an array and a set, whichever version is extended", () => {
    const ids = fc.array(fc.record({ to: fc.nat(), id: fc.nat(60).map((n) => `x${n}`) }), { maxLength: 80 });
    fc.assert(
      fc.property(ids, (added) => {
        const versions: Readonly<{ ids: ExecutionIds; expected: readonly string[] }>[] = [
          { ids: ExecutionIds.NONE, expected: [] },
        ];
        for (const { to, id } of added) {
          // Mostly the newest version, as in normal operation; sometimes an earlier one, as after a lost append.
          const at = to % 4 === 0 ? to % versions.length : versions.length - 1;
          const from = versions[at];
          if (from === undefined || from.ids.has(id)) continue;
          versions.push({ ids: from.ids.with(id), expected: [...from.expected, id] });
        }
        for (const { ids: version, expected } of versions) {
          expect([...version]).toEqual(expected);
          expect(version.size).toBe(expected.length);
          expect(version.last).toBe(expected.at(-1));
          expect(JSON.stringify({ version })).toBe(JSON.stringify({ version: expected }));
          for (let n = 0; n <= 60; n++) expect(version.has(`x${n}`)).toBe(expected.includes(`x${n}`));
        }
      }),
    );
  });

  it("are shared by the versions of a parent: 10,000 fills have one list of ids, not one each", () => {
    const versions = [ExecutionIds.of(["x0"])];
    for (let n = 1; n < 10_000; n++) versions.push((versions.at(-1) ?? ExecutionIds.NONE).with(`x${n}`));
    const newest = versions.at(-1)?.toJSON();
    expect(newest).toHaveLength(10_000);
    expect(versions[5_000]?.toJSON()).toHaveLength(5_001);
    expect(versions.at(-1)?.toJSON()).toBe(newest);
    expect(versions[5_000]?.has("x5001")).toBe(false);
  });
});
