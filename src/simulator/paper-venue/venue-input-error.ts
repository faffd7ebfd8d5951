import { recognisedAs } from "../../common/index.ts";
/**
 * A call of the paper venue with a value that it cannot use. The message names the value and its problem.
 *
 * @example
 * ```ts
 * import { type PaperVenue, VenueInputError } from "managed-orders/simulator";
 * export const setUsd = (venue: PaperVenue, amount: string): Promise<string> =>
 *   venue.setBalances(1, { USD: amount }).then(
 *     () => "set",
 *     (error: unknown) => (error instanceof VenueInputError ? error.message : Promise.reject(error)),
 *   );
 * ```
 */
export class VenueInputError extends RangeError {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("VenueInputError");
  override readonly name = "VenueInputError";
}
