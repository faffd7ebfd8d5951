/** Milliseconds of a clock that is never set. */
export const monotonicMs = (): number => performance.now();

/**
 * Resolves like `work`. After `limitMs` milliseconds it calls `late`, and rejects with what that returns, whatever
 * becomes of the work.
 */
export async function withDeadline<T>(work: Promise<T>, limitMs: number, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
