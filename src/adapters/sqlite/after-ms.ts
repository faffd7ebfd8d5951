/** Runs a function after a time, unless the process ends before. The returned function cancels it. */
export function afterMs(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}
