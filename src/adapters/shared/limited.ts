/** A range of which at most `limit` items are read; throws a RangeError when that is no whole number of at least 1. */
export function limited<T extends Readonly<{ limit: number }>>(range: T): T {
  if (!Number.isSafeInteger(range.limit) || range.limit < 1) {
    throw new RangeError(`limit is not a positive integer: ${range.limit}`);
  }
  return range;
}
