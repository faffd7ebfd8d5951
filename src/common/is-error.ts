/**
 * Returns whether a value is an error, also one of another realm: jest runs tests in a realm of its own, in which the
 * errors of Node.js are no instances of `Error`.
 */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
}
