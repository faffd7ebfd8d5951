import { figure, printTable, quantileOf } from "../../../bench/measure.ts";
import { verdict } from "./measure-options.ts";

/** The longest times of one account between two accepted placements. */
export type Pause = Readonly<{
  event: string;
  /** Whether its shard has another owner after the event. */
  moved: boolean;
  /** Around the event. */
  aroundMs: number;
  /** The median of the accounts whose shards stay, around the same event: what the whole machine waited for. */
  stayedMs: number;
  /** Without an event. */
  quietMs: number;
}>;

/** Under what the pauses were measured. */
export type PauseLoad = Readonly<{ parents: number; accounts: number; ttlMs: number }>;

const LONGEST_PLANNED_MS = 250;
/** A crash must have been noticed and mended so long after a ttl. */
const LONGEST_AFTER_TTL_MS = 2_000;

/** Prints the pauses by event: of the accounts whose shards have moved, against the goal, and of the others. */
export function printPauses(pauses: readonly Pause[], { parents, accounts, ttlMs }: PauseLoad): void {
  const rows: string[][] = [
    [
      ...["ms", "accounts", "without an event: p50", "p99", "worst", "around it: p50", "p99", "worst"],
      ...["difference: p50", "p99", "worst", "beyond those that stay: p50", "p99", "goal at p99", ""],
    ],
  ];
  for (const event of new Set(pauses.map((pause) => pause.event))) {
    const goal = event === "a node is killed" ? ttlMs + LONGEST_AFTER_TTL_MS : LONGEST_PLANNED_MS;
    const [moved, others] = [true, false].map((which) =>
      pauses.filter((pause) => pause.event === event && pause.moved === which),
    ) as [Pause[], Pause[]];
    const met = verdict(quantileOf(moved.map(differenceOf), 0.99), goal);
    rows.push([`${event}, shards that move`, ...cellsOf(moved), `<= ${figure(goal)}`, met]);
    rows.push([`${event}, other shards`, ...cellsOf(others), "", ""]);
  }
  const load = `${figure(parents)} open parents of ${accounts} accounts, ttl ${figure(ttlMs)} ms`;
  printTable(`Longest time between two accepted placements of an account; ${load}`, rows);
}

const beyondOf = ({ aroundMs, stayedMs }: Pause): number => Math.max(0, aroundMs - stayedMs);

const differenceOf = ({ aroundMs, quietMs }: Pause): number => Math.max(0, aroundMs - quietMs);

function cellsOf(pauses: readonly Pause[]): readonly string[] {
  const times = [({ quietMs }: Pause) => quietMs, ({ aroundMs }: Pause) => aroundMs, differenceOf];
  const cells = times.flatMap((of) => [0.5, 0.99, 1].map((share) => msOf(quantileOf(pauses.map(of), share))));
  const beyond = [0.5, 0.99].map((share) => msOf(quantileOf(pauses.map(beyondOf), share)));
  return [String(pauses.length), ...cells, ...beyond];
}

const msOf = (ms: number): string => (Number.isNaN(ms) ? "" : figure(Math.round(ms)));
