import { recognisedAs } from "../../common/index.ts";
/**
 * The venue's record contradicts itself or cannot be read. The venue does not start with it.
 *
 * @example
 * ```ts
 * import { openPaperVenue, type PaperVenueOptions, VenueRecordError } from "managed-orders/simulator";
 * export const isReadable = (options: PaperVenueOptions): Promise<boolean> =>
 *   openPaperVenue(options).then(
 *     (venue) => venue.close().then(() => true),
 *     (error: unknown) => (error instanceof VenueRecordError ? false : Promise.reject(error)),
 *   );
 * ```
 */
export class VenueRecordError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("VenueRecordError");
  override readonly name = "VenueRecordError";
}
