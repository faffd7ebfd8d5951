const UNITS: readonly (readonly [lengthMs: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
  [1, "ms"],
];

/** Returns a duration in the largest units, such as `1 h 30 min`. Nothing is rounded. */
export function durationText(durationMs: number): string {
  let rest = durationMs;
  const parts: string[] = [];
  for (const [lengthMs, name] of UNITS) {
    const count = Math.floor(rest / lengthMs);
    rest -= count * lengthMs;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ") || "0 ms";
}
