import {
  functionOption,
  isError,
  nameOption,
  type OptionCheck,
  type OptionChecks,
  optionalOption,
  optionsOf,
  recognisedAs,
} from "../common/index.ts";
import type { Awaitable } from "../ports/index.ts";
import { type Finding, Mismatch, shown } from "./checks.ts";

/**
 * The two functions of a test framework that a suite calls. node:test, vitest, jest, mocha and `bun:test` have both. A
 * suite uses no hooks: each test creates what it needs and removes it at its end.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import type { TestFramework } from "managed-orders/conformance";
 * export const framework: TestFramework = { describe, it };
 * ```
 */
export interface TestFramework {
  /** Groups the tests that `body` declares. */
  describe(name: string, body: () => void): unknown;
  /** Declares one test. It fails when the promise rejects. */
  it(name: string, body: () => Promise<void>): unknown;
}

/**
 * A rule of a port that an adapter breaks. The message says which rule it is, what was called, what the rule requires,
 * what the adapter answered and what to do. All members are texts, because some test frameworks cannot pass a bigint
 * from one process to another.
 *
 * @example
 * ```ts
 * import { ConformanceError } from "managed-orders/conformance";
 * export const ruleOf = (error: unknown): string =>
 *   error instanceof ConformanceError ? `${error.suite}: ${error.rule}` : "not a broken rule";
 * ```
 */
export class ConformanceError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("ConformanceError");
  override readonly name = "ConformanceError";
  /** The suite and the adapter, such as `order store: postgres`. */
  readonly suite: string;
  /** The broken rule, as the test is named. */
  readonly rule: string;
  /** What was called. */
  readonly call: string;
  /** The answer that the rule requires. */
  readonly expected: string;
  /** The answer of the adapter. */
  readonly answered: string;
  /** What to do. */
  readonly remedy: string;

  /** Creates the error of a rule. @internal */
  constructor(
    where: Readonly<{ suite: string; rule: string; remedy: string }>,
    finding: Finding,
    options?: ErrorOptions,
  ) {
    super(messageOf(where, finding), options);
    this.suite = where.suite;
    this.rule = where.rule;
    this.call = finding.call;
    this.expected = finding.expected;
    this.answered = finding.answered;
    this.remedy = where.remedy;
  }
}

function messageOf(
  { suite, rule, remedy }: Readonly<{ suite: string; rule: string; remedy: string }>,
  { call, expected, answered }: Finding,
): string {
  return [
    `${suite} breaks the rule: ${rule}`,
    `  call:     ${call}`,
    `  expected: ${expected}`,
    `  answered: ${answered}`,
    `  to do:    ${remedy}`,
  ].join("\n");
}

/**
 * One rule of a port. `Supports` has one boolean for each optional part of the port. `where` limits the rule to adapters
 * that declare a part as present (true), or as absent (false): a rule of the second kind proves that the part is not half
 * there.
 */
export type Rule<World, Supports extends object = object> = Readonly<{
  /** What the author of an adapter does when the rule is broken. One or two sentences. */
  remedy: string;
  where?: Readonly<Partial<Supports>>;
  check: (world: World) => Promise<void>;
}>;

/** Rules about one subject, by name. */
export type Rules<World, Supports extends object = object> = Readonly<Record<string, Rule<World, Supports>>>;

/** Adds a step that ends a part of the surroundings of a rule. */
export type AtEnd = (step: () => Awaitable<void>) => void;

/** An adapter as its author describes it. */
type Subject<Supports extends object> = Readonly<{ name: string; supports: Supports }>;

/** The rules of a port for one adapter. */
export type Suite<World, Supports extends object = object> = Readonly<{
  /** The port, such as `order store`. */
  port: string;
  subject: Subject<Supports>;
  /** The rules by their subject. */
  groups: Readonly<Record<string, Rules<World, Supports>>>;
  /**
   * Creates the surroundings of one rule. It adds the end of each part as soon as the part exists: every step runs, the
   * last one first, also if the rule is broken, the surroundings could not be completed or another step failed.
   */
  open: (atEnd: AtEnd) => Promise<World>;
}>;

/** Declares one test per rule that applies to the manifest of the adapter. */
export function declareSuite<World, Supports extends object>(
  framework: TestFramework,
  { port, subject, groups, open }: Suite<World, Supports>,
): void {
  const suite = `${port}: ${subject.name}`;
  const declared = new Map<string, unknown>(Object.entries(subject.supports));
  const applies = ({ where }: Rule<World, Supports>): boolean =>
    Object.entries(where ?? {}).every(([part, wanted]) => declared.get(part) === wanted);
  const declareRule = (rule: string, { remedy, check }: Rule<World, Supports>): void => {
    framework.it(rule, async () => {
      try {
        await inWorld(open, check);
      } catch (error) {
        throw new ConformanceError({ suite, rule, remedy }, findingOf(error), { cause: error });
      }
    });
  };
  framework.describe(suite, () => {
    for (const [group, rules] of Object.entries(groups)) {
      const due = Object.entries(rules).filter(([, rule]) => applies(rule));
      if (due.length === 0) continue;
      framework.describe(group, () => {
        for (const [name, rule] of due) declareRule(name, rule);
      });
    }
  });
}

/** Runs a check in surroundings of its own. If their removal fails too, the first failure is reported. */
async function inWorld<World>(
  open: (atEnd: AtEnd) => Promise<World>,
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
  await attempt(async () => await check(await open((step) => steps.push(step))));
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

/**
 * Returns the check of an adapter that is handed to a suite. `supports` has a check for each optional part of the port,
 * and `creates` says what `createPlace` does.
 */
export function subjectOption<Supports extends object>(
  supports: OptionChecks<Supports>,
  creates: string,
): OptionCheck {
  return optionsOf<Subject<Supports> & Readonly<{ createPlace: unknown }>>({
    name: nameOption,
    supports: optionsOf<Supports>(supports),
    createPlace: functionOption(creates),
  });
}

/**
 * Creates a place, which is removed at the end. Throws a TypeError unless it has its members: the functions that are true,
 * those that are false if they are there, and values that fit their check. `type` names the interface that describes them.
 */
export async function createdPlace<Place extends Readonly<{ remove: () => Awaitable<void> }>>(
  subject: Readonly<{ name: string; createPlace: () => Awaitable<Place> }>,
  atEnd: AtEnd,
  type: string,
  members: { readonly [Name in keyof Place]-?: boolean | OptionCheck },
): Promise<Place> {
  const place = await subject.createPlace();
  atEnd(() => place.remove());
  const needed = functionOption(`is described at ${type}`);
  const checkOf = (member: boolean | OptionCheck): OptionCheck =>
    typeof member === "function" ? member : member ? needed : optionalOption(needed);
  const checks = Object.entries<boolean | OptionCheck>(members).map(
    ([name, member]) => [name, checkOf(member)] as const,
  );
  const check = optionsOf<Place>(Object.fromEntries(checks) as OptionChecks<Place>, { open: true });
  check(place, `the place that createPlace of ${subject.name} created`);
  return place;
}
