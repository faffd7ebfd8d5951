import { isError } from "../../common/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import { Mismatch } from "./checks.ts";
import { ConformanceError, type Finding } from "./conformance-error.ts";
import { shown } from "./difference.ts";
import type { TestFramework } from "./test-framework.ts";

/**
 * One rule of a port. `Supports` has one boolean for each optional part of the port. `where` limits the rule to adapters
 * that declare a part as present (true), or as absent (false): a rule of the second kind proves that the part is not half
 * there.
 */
export type Rule<World, Supports extends object = object> = Readonly<{
  name: string;
  /** What the author of an adapter does when the rule is broken. One or two sentences. */
  remedy: string;
  where?: Readonly<Partial<Supports>>;
  check: (world: World) => Promise<void>;
}>;

/** Rules about one subject. */
export type RuleGroup<World, Supports extends object = object> = Readonly<{
  name: string;
  rules: readonly Rule<World, Supports>[];
}>;

/** Adds a step that ends a part of the surroundings of a rule. */
export type AtEnd = (step: () => Awaitable<void>) => void;

/** The rules of a port for one adapter. */
export type Suite<World, Supports extends object = object> = Readonly<{
  /** The port and the adapter, such as `order store: postgres`. */
  name: string;
  supports: Supports;
  groups: readonly RuleGroup<World, Supports>[];
  /**
   * Creates the surroundings of one rule. It adds the end of each part as soon as the part exists: every step runs, the
   * last one first, also if the rule is broken, the surroundings could not be completed or another step failed.
   */
  open: (atEnd: AtEnd) => Promise<World>;
}>;

/** Declares one test per rule that applies to the manifest of the adapter. */
export function declareSuite<World, Supports extends object>(
  framework: TestFramework,
  suite: Suite<World, Supports>,
): void {
  framework.describe(suite.name, () => {
    for (const { name, rules } of suite.groups) {
      const due = rules.filter(({ where }) => applies(where, suite.supports));
      if (due.length > 0) framework.describe(name, () => declareRules(framework, due, suite));
    }
  });
}

function applies(where: object | undefined, supports: object): boolean {
  const declared = new Map<string, unknown>(Object.entries(supports));
  return Object.entries(where ?? {}).every(([part, wanted]) => declared.get(part) === wanted);
}

function declareRules<World, Supports extends object>(
  framework: TestFramework,
  rules: readonly Rule<World, Supports>[],
  suite: Suite<World, Supports>,
): void {
  for (const rule of rules) framework.it(rule.name, () => checkRule(rule, suite));
}

async function checkRule<World, Supports extends object>(
  rule: Rule<World, Supports>,
  suite: Suite<World, Supports>,
): Promise<void> {
  try {
    await inWorld(suite, rule.check);
  } catch (error) {
    const where = { suite: suite.name, rule: rule.name, remedy: rule.remedy };
    throw new ConformanceError(where, findingOf(error), { cause: error });
  }
}

/** Runs a check in surroundings of its own. If their removal fails too, the first failure is reported. */
async function inWorld<World, Supports extends object>(
  suite: Suite<World, Supports>,
  check: (world: World) => Promise<void>,
): Promise<void> {
  const steps: (() => Awaitable<void>)[] = [];
  const failures: unknown[] = [];
  const attempt = async (run: () => Awaitable<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      failures.push(error);
    }
  };
  await attempt(async () => await check(await suite.open((step) => steps.push(step))));
  for (const step of steps.toReversed()) await attempt(step);
  if (failures.length > 0) throw failures[0];
}

/** Returns what a rule found. An adapter that throws where it must answer breaks the rule too. */
function findingOf(error: unknown): Finding {
  if (error instanceof Mismatch) return error.finding;
  return {
    call: `${isError(error) ? error.name : typeof error} was thrown, see its cause`,
    expected: "an answer",
    answered: `a rejection: ${shown(error)}`,
  };
}
