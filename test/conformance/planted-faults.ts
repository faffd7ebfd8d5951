import { ConformanceError, type TestFramework } from "../../src/conformance/index.ts";
import { recordTests } from "../support/recorded-tests.ts";

/** Runs the one rule of a suite with that name. Resolves to its error, or to undefined if it holds. */
export async function breach(
  rule: string,
  declare: (framework: TestFramework) => void,
): Promise<ConformanceError | undefined> {
  const test = recordTests(declare).find(({ name }) => name === rule);
  if (test === undefined) throw new Error(`the suite declares no rule ${rule}`);
  try {
    await test.run();
  } catch (error) {
    if (error instanceof ConformanceError) return error;
    throw error;
  }
  return undefined;
}

type Groups = readonly Readonly<{ rules: readonly Readonly<{ name: string }>[] }>[];

/** Returns the names of all rules of a suite. */
export const namesOf = (groups: Groups): readonly string[] =>
  groups.flatMap(({ rules }) => rules.map(({ name }) => name));
