import type { TestFramework } from "../../src/conformance/index.ts";

/** A test that a suite declared: the names of its groups, its own name, and its body. */
export type RecordedTest = Readonly<{ groups: readonly string[]; name: string; run: () => Promise<void> }>;

/** Records the tests that a suite declares, without running them. */
export function recordTests(declare: (framework: TestFramework) => void): readonly RecordedTest[] {
  const [tests, groups]: [RecordedTest[], string[]] = [[], []];
  declare({
    describe(name, body) {
      groups.push(name);
      body();
      groups.pop();
    },
    it: (name, run) => void tests.push({ groups: [...groups], name, run }),
  });
  return tests;
}
