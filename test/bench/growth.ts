import { ENGINE_CASES } from "./growth-engine.ts";
import { HOST_CASES } from "./growth-hosts.ts";
import type { Size } from "./line.ts";
import { figure, printTable } from "./measure.ts";

const CASES = [...HOST_CASES, ...ENGINE_CASES];

/** Returns the slope of a line through the logarithms: 1 is linear growth, 2 is quadratic growth. */
function exponentOf(points: readonly (readonly [n: number, ms: number])[]): number {
  const logs = points.map(([n, ms]) => [Math.log(n), Math.log(ms)] as const);
  const mean = (at: 0 | 1): number => logs.reduce((sum, point) => sum + point[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const above = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return above / logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

/** Measures how time grows with each size that an account or a host can increase, over three decades each. */
export async function benchGrowth(size: Size): Promise<void> {
  const rows: string[][] = [];
  for (const { name, sizes, take } of CASES) {
    if (process.env.GROWTH !== undefined && !name.startsWith(`(${process.env.GROWTH})`)) continue;
    const sized = sizes.map(size.of);
    await take(sized[1] ?? 1);
    const points: [number, number][] = [];
    for (const n of sized) points.push([n, await take(n)]);
    rows.push([
      name,
      ...points.map(([n, ms]) => `${figure(n)}: ${figure(ms)} ms`),
      exponentOf(points).toFixed(2),
    ]);
  }
  printTable("Growth over three decades, ms of the processor; exponents are to be 1.1 at most", [
    ["n", "", "", "", "", "exponent"],
    ...rows,
  ]);
}
