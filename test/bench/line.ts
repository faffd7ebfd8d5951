/** How large a line is measured: 1 for the sizes that its name says; less for a shorter run. */
export type Size = Readonly<{
  /** A count of that size, at least one. */
  of(count: number): number;
  /** How long a timed load lasts, seconds. */
  seconds: number;
}>;

/** What one run of something took. */
export type Taken = Readonly<{
  operations: number;
  seconds: number;
  /** Processor time of the main thread, and of all other threads of its process, microseconds. */
  mainUs: number;
  othersUs: number;
  /** Of the busiest thread, where several share the work. */
  busiestUs?: number;
  /** By how much the live heap of the process grew, bytes. */
  heapBytes: number;
}>;

/** One round: the line's own run and that of its peer right after it, or a figure that is no rate. */
export type Sample =
  | Readonly<{ ours: Taken; peer?: Taken }>
  | Readonly<{ figure: number; peer?: number; ours?: Taken }>;

/** A line that is open: its data is there, rounds can be taken. */
export type Rounds = Readonly<{
  take(round: number): Promise<Sample>;
  close(): Promise<void>;
}>;

/** One line of the table. */
export type Line = Readonly<{
  /** What is done, as the table shows it. */
  work: string;
  /** What a figure is of: "quotes" of a rate, or a unit such as "ms". */
  unit: string;
  /** What the peer does; no ratio where there is none. */
  peer?: string;
  /** By the clock, or by the processor time of the main thread where nothing is waited for: others may use the machine. */
  timedBy: "clock" | "processor";
  /** What it is to reach, as text, and whether a median figure and a ratio do so. */
  target: string;
  reached: (figure: number, ratio: number) => boolean;
  /** Whether each round has a process of its own: memory is measured where nothing else was. */
  alone?: true;
  /** What its process is started with; `--expose-gc` alone where it says nothing. */
  flags?: readonly string[];
  open(size: Size): Promise<Rounds>;
}>;

/** A line of which nothing is to be closed. */
export const rounds = (take: Rounds["take"]): Rounds => ({ take, close: async () => undefined });
