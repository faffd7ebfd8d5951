/** The scale of a measurement: 1 for the sizes in the line's name, less for a shorter run. */
export type Size = Readonly<{
  /** Scales a count; the result is at least one. */
  of(count: number): number;
  /** The duration of a timed load, in seconds. */
  seconds: number;
}>;

/** The costs of one run. */
export type Taken = Readonly<{
  operations: number;
  seconds: number;
  /** Processor time of the main thread, and of all other threads of its process, in microseconds. */
  mainUs: number;
  othersUs: number;
  /** Processor time of the busiest thread, if several threads share the work. */
  busiestUs?: number;
  /** Growth of the live heap of the process, in bytes. */
  heapBytes: number;
}>;

/** One round: a run of the line and a run of its peer right after it, or a figure that is not a rate. */
export type Sample =
  | Readonly<{ ours: Taken; peer?: Taken }>
  | Readonly<{ figure: number; peer?: number; ours?: Taken }>;

/** An open line: its data is loaded and it can measure rounds. */
export type Rounds = Readonly<{ take(round: number): Promise<Sample>; close(): Promise<void> }>;

/** One line of the table. */
export type Line = Readonly<{
  /** The description in the table. */
  work: string;
  /** The unit of the figure: "quotes" for a rate, or a unit such as "ms". */
  unit: string;
  /** The description of the peer; without a peer there is no ratio. */
  peer?: string;
  /**
   * Wall-clock time, or processor time of the main thread if nothing is waited for, since other processes may use the
   * machine.
   */
  timedBy: "clock" | "processor";
  /** The target as text, and whether a median figure and a ratio meet it. */
  target: string;
  reached: (figure: number, ratio: number) => boolean;
  /** Whether each round runs in a separate process: memory is measured in a fresh one. */
  alone?: true;
  /** Arguments of its process; `--expose-gc` alone by default. */
  flags?: readonly string[];
  open(size: Size): Promise<Rounds>;
}>;

/** Returns rounds that have nothing to close. */
export const rounds = (take: Rounds["take"]): Rounds => ({ take, close: async () => undefined });
