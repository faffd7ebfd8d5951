/** Returns whether a value is a promise of any implementation. */
export function isAwaited(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

/**
 * Continues with the answer of a port: synchronously when the answer is there, otherwise when it comes. A caller whose
 * inputs are all there neither waits for a turn nor pays for promises.
 */
export function follow<T, U>(given: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return isAwaited(given) ? given.then(next) : next(given);
}
