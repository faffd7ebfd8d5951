import type { Rejections, Telemetry } from "../../ports/index.ts";

/** Rejections that survive a restart of the process. */
export interface SqliteRejections extends Rejections {
  /** Resolves when all waiting rejections are written or lost. */
  flush(): Promise<void>;
}

/** Options for retained rejections. */
export interface SqliteRejectionOptions {
  /**
   * Number of rejections that may wait to be written; default 1000. Further rejections are lost, and counted as lost.
   */
  readonly capacity?: number;
  /** Number of days for which a rejection is kept; default 30. */
  readonly retentionDays?: number;
  /** Rejections kept per account; default 10000. Beyond it the oldest are deleted. */
  readonly perAccount?: number;
  /** Receives an event for lost rejections. */
  readonly telemetry?: Telemetry;
}
