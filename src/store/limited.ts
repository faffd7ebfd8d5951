/** Returns a range whose `limit` is valid. Throws a RangeError if `limit` is not a whole number of at least 1. */
export function limited<T extends Readonly<{ limit: number }>>(range: T): T {
  if (!Number.isSafeInteger(range.limit) || range.limit < 1) {
    throw new RangeError(`limit must be a whole number of at least 1, got ${range.limit}`);
  }
  return range;
}
