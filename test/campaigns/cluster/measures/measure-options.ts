/** How large a measurement is, on which Postgres, and what is told while it runs. */
export type MeasureOptions = Readonly<{
  /** Folder of the package with the binaries of Postgres. */
  binaries: string;
  /** Takes seconds and shows only that the measurement works. */
  isSmall: boolean;
  rounds: number;
  ttlMs: number;
  /** Placements a second of all accounts together, where processor time is measured; more than can be answered is allowed. */
  rate: number;
  say: (line: string) => void;
}>;

/** Longest time until the shards are even. */
export const LONGEST_MS = 300_000;

/** Settings of all nodes that are measured: quotes do not age, and there are no children. */
export const settingsOf = ({ ttlMs }: MeasureOptions): Readonly<Record<string, string>> => ({
  CLOCK: "real",
  LEASE_TTL_MS: String(ttlMs),
  QUOTE_MAX_AGE_MS: "86400000",
});

/** Returns the cell of a verdict. */
export const verdict = (value: number, goal: number): string => (value <= goal ? "reached" : "MISSED");
