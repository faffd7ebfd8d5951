import { recognisedAs } from "../common/index.ts";
/**
 * A broken rule of the system: a bug or corrupted data, never a caller's mistake. The engine freezes everything that it
 * affects and raises an alert.
 *
 * @example
 * ```ts
 * import { InvariantError } from "managed-orders";
 * const broken = new InvariantError("I24", "parent -256 has two outstanding children");
 * ```
 */
export class InvariantError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("InvariantError");
  override readonly name = "InvariantError";
  /** Id of the invariant, as in docs/invariants.md. */
  readonly invariant: string;

  /** Creates the error of an invariant, such as I53, and of what contradicts it. */
  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

/** Returns whether an error says that stored data are damaged or missing, I53 or I54. */
export const isDamage = (error: unknown): error is InvariantError =>
  error instanceof InvariantError && (error.invariant === "I53" || error.invariant === "I54");

/**
 * Throws {@link InvariantError} if `holds` is false. It is active in production too.
 */
export function invariant(holds: boolean, id: string, what: string): asserts holds {
  if (!holds) throw new InvariantError(id, what);
}
