export { type GridSet, parameterGrid } from "./grid.ts";
export { sweep } from "./sweep.ts";
export type {
  SweepContext,
  SweepFailure,
  SweepOptions,
  SweepOutcome,
  SweepParameters,
  SweepProgress,
  SweepResult,
  SweepRow,
  SweepValue,
} from "./sweep-row.ts";
export { sweepTable } from "./table.ts";
