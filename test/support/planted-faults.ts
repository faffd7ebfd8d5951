import { describe, expect, it } from "vitest";
import { ConformanceError, type TestFramework } from "../../src/conformance/index.ts";
import { recordTests } from "./recorded-tests.ts";

/** An adapter with one planted fault, and the rules that it breaks: each by a part of its name that no other rule has. */
export type PlantedFault<Subject> = Readonly<{ fault: string; breaks: readonly string[]; subject: Subject }>;

/** A suite with its rules, adapters that break none of them, and adapters that break one or a few each. */
export type PlantedSuite<Subject> = Readonly<{
  declare: (framework: TestFramework, subject: Subject) => void;
  groups: Readonly<Record<string, object>>;
  sound: readonly Subject[];
  faults: readonly PlantedFault<Subject>[];
}>;

/** Declares the tests that show that a suite passes sound adapters and that every rule finds a planted fault. */
export function testPlantedFaults<Subject extends Readonly<{ name: string }>>(
  port: string,
  { declare, groups, sound, faults }: PlantedSuite<Subject>,
): void {
  const rules = Object.values(groups).flatMap(Object.keys);
  const ruleOf = (part: string): string => {
    const [found, ...more] = rules.filter((rule) => rule.includes(part));
    if (found === undefined || more.length > 0) throw new Error(`"${part}" is not part of one rule's name`);
    return found;
  };
  const testsOf = (subject: Subject) => recordTests((framework) => declare(framework, subject));
  describe(`planted faults: ${port}`, () => {
    it.each(sound)("$name breaks no rule", async (subject) => {
      for (const { run } of testsOf(subject)) await run();
    });
    it.each(faults)("$fault", async ({ breaks, subject }) => {
      const tests = new Map(testsOf(subject).map((test) => [test.name, test]));
      for (const rule of breaks.map(ruleOf)) {
        const broken: unknown = await tests
          .get(rule)
          ?.run()
          .catch((error: unknown) => error);
        expect(broken, `the fault does not break: ${rule}`).toBeInstanceOf(ConformanceError);
        expect((broken as ConformanceError).rule).toBe(rule);
      }
    });
    it("every rule finds a planted fault, and no two rules have one name", () => {
      const found = new Set(faults.flatMap(({ breaks }) => breaks.map(ruleOf)));
      expect(rules.filter((rule) => !found.has(rule))).toEqual([]);
      expect(rules.filter((rule, place) => rules.indexOf(rule) !== place)).toEqual([]);
    });
  });
}
