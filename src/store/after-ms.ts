/** Runs a function after a time, unless the process ends before. The returned function cancels it. */
export function afterMs(delayMs: number, run: () => void): () => void {
  const timer: unknown = setTimeout(run, delayMs);
  // A browser's timer is a number, and no process waits for it.
  if (typeof timer === "object") (timer as Readonly<{ unref(): void }>).unref();
  return () => clearTimeout(timer as ReturnType<typeof setTimeout>);
}
