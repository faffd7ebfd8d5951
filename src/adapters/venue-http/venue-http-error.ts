import { recognisedAs } from "../../common/index.ts";
/**
 * What is known of a call that failed. `unsent`: nothing of it was written, so it had no effect. `unanswered`: no whole
 * answer came. `refused`: the server answered with an error. `unreadable`: the answer is not one of the protocol.
 */
export type VenueHttpProblem = "unsent" | "unanswered" | "refused" | "unreadable";

/**
 * Error of a call to a venue server. Unless it is `unsent`, the outcome of a change is unknown.
 *
 * @example
 * ```ts
 * import { VenueHttpError } from "managed-orders/venue-http";
 * const nothingWasSent = async (ask: () => Promise<unknown>) => {
 *   const error = await ask().catch((caught: unknown) => caught);
 *   return error instanceof VenueHttpError && error.problem === "unsent";
 * };
 * ```
 */
export class VenueHttpError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("VenueHttpError");
  override readonly name: string = "VenueHttpError";
  readonly problem: VenueHttpProblem;
  /** Code of the server's error answer, such as BUSY; undefined without one. */
  readonly code: string | undefined;

  /** Creates the error of one call. `message` must not contain the secret. */
  constructor(
    problem: VenueHttpProblem,
    message: string,
    options?: ErrorOptions & Readonly<{ code?: string }>,
  ) {
    super(message, options);
    this.problem = problem;
    this.code = options?.code;
  }
}
