/** Whether a value is a promise, of whoever's making. */
export function isAwaited(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

/**
 * Goes on with what a port answered: in the same step when the answer is there, else when it comes. So nobody who has
 * all that he needs waits for a turn, or pays for promises (decision EH).
 */
export function follow<T, U>(given: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return isAwaited(given) ? (given as Promise<T>).then(next) : next(given as T);
}
