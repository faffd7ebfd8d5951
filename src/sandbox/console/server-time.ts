/**
 * Returns a function that tells the time of the service, of which the service told one moment. It goes on with the time
 * that passes here, unless the service has a clock that is moved by hand. The clock of the browser may be wrong.
 */
export function serverTime(
  toldMs: number,
  passes: boolean,
  monotonicMs: () => number = () => performance.now(),
): () => number {
  const beganMs = monotonicMs();
  return () => toldMs + (passes ? Math.round(monotonicMs() - beganMs) : 0);
}
