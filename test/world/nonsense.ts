import type { Random } from "../../src/common/random.ts";
import type { ChildReport } from "../../src/model/index.ts";

type Loose = Record<string, unknown>;

const UNREADABLE: readonly ((fill: Loose) => Loose)[] = [
  (fill) => ({ ...fill, quantity: Number.NaN }),
  ({ fine: _, ...fill }) => ({ ...fill, quantity: 0 }),
  (fill) => ({ ...fill, fine: 10 ** 12 }),
  (fill) => ({ ...fill, quantity: -1_000_000 }),
  (fill) => ({ ...fill, quantity: 0.5 }),
  (fill) => ({ ...fill, quantity: "1" }),
  (fill) => ({ ...fill, price: Number.POSITIVE_INFINITY }),
  (fill) => ({ ...fill, price: null }),
  (fill) => ({ ...fill, executionId: "" }),
  (fill) => ({ ...fill, executionId: undefined }),
  (fill) => ({ ...fill, executionId: 17 }),
  (fill) => ({ ...fill, timeMs: "now" }),
];

const WHOLE: readonly ((report: Loose) => unknown)[] = [
  () => undefined,
  () => null,
  () => "closed",
  (report) => ({ ...report, state: "done" }),
  (report) => ({ ...report, state: undefined }),
  (report) => ({ ...report, fills: undefined }),
  (report) => ({ ...report, fills: {} }),
  (report) => ({ ...report, fills: [null] }),
  (report) => ({ ...report, fills: [{}] }),
  (report) => ({ ...report, final: "yes", state: "rejected", fills: 3 }),
];

/** Returns an invalid report. Every part of it that can be read is true. */
export function nonsenseOf(report: ChildReport, random: Random): ChildReport {
  const [fill, ...rest] = report.fills;
  const spoilt =
    fill !== undefined && random.chance(0.6)
      ? { ...report, fills: [random.pick(UNREADABLE)({ ...fill }), ...rest] }
      : random.pick(WHOLE)({ ...report });
  return spoilt as ChildReport;
}
