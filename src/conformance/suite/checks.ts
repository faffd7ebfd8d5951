import { isError } from "../../common/index.ts";
import type { Finding } from "./conformance-error.ts";
import { differenceOf, shown } from "./difference.ts";

/** A broken rule as a check reports it. The suite adds the name of the rule and the remedy. */
export class Mismatch extends Error {
  override readonly name = "Mismatch";
  /** What the check found. */
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(`${finding.call}: expected ${finding.expected}, answered ${finding.answered}`);
    this.finding = finding;
  }
}

/** Checks that an answer equals the expected one, by value and with exact types. Throws a {@link Mismatch}. */
export function same(call: string, answered: unknown, expected: unknown): void {
  const difference = differenceOf(answered, expected);
  if (difference === undefined) return;
  const { path } = difference;
  const place = path === "" ? "" : `; first difference at ${path.replace(/^\./, "")}: `;
  throw new Mismatch({
    call,
    expected: shown(expected) + (place && place + difference.expected),
    answered: shown(answered) + (place && place + difference.answered),
  });
}

/**
 * Checks a condition that `expected` describes. `answered` is any value that shows what was found. Throws a
 * {@link Mismatch}.
 */
export function holds(call: string, condition: boolean, expected: string, answered: unknown): void {
  if (!condition) throw new Mismatch({ call, expected, answered: shown(answered) });
}

/**
 * Checks that a call is refused: it rejects, or throws. The error may be any `Error`. Resolves to it. Throws a
 * {@link Mismatch} if the call answers, and passes on one that the call throws.
 */
export async function refused(call: string, run: () => unknown): Promise<Error> {
  let answered: unknown;
  try {
    answered = await run();
  } catch (error) {
    // What a check of the call found, such as no answer in time, is no word of the adapter.
    if (error instanceof Mismatch) throw error;
    if (isError(error)) return error;
    throw new Mismatch({ call, expected: "a rejection with an Error", answered: `threw ${shown(error)}` });
  }
  throw new Mismatch({ call, expected: "a rejection", answered: `resolved to ${shown(answered)}` });
}
