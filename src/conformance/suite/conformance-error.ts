import { recognisedAs } from "../../common/index.ts";
/** What a rule found: the call, the answer that the rule requires, and the answer of the adapter, all as text. */
export type Finding = Readonly<{ call: string; expected: string; answered: string }>;

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
