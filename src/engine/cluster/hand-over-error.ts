import { recognisedAs } from "../../common/index.ts";
/** Why an engine did not hand over. */
export type HandOverProblem =
  /** The engine was not opened by `openNode`. */
  | "NO_LEASE"
  /** No other node was ready in time. */
  | "NO_STANDBY"
  /** The engine is being closed. */
  | "CLOSING";

/**
 * Error of a hand-over that did not take place. The engine goes on as before.
 *
 * @example
 * ```ts
 * import { type Engine, HandOverError } from "managed-orders/engine";
 * const restart = async (engine: Engine): Promise<string> => {
 *   try {
 *     await engine.handOver();
 *     return "another node is active";
 *   } catch (error) {
 *     if (error instanceof HandOverError && error.problem === "NO_STANDBY") return "no node is ready";
 *     throw error;
 *   }
 * };
 * ```
 */
export class HandOverError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("HandOverError");
  override readonly name = "HandOverError";
  readonly problem: HandOverProblem;

  /** Creates the error of a hand-over that did not take place. */
  constructor(problem: HandOverProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
