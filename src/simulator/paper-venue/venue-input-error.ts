/** A call of the paper venue with a value that it cannot use. The message names the value, its problem and the remedy. */
export class VenueInputError extends RangeError {
  override readonly name = "VenueInputError";
}
