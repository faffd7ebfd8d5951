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

/** Runs a function after a time, unless the process ends before. The returned function cancels it. */
export function afterMs(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}
