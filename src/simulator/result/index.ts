export { Recorder } from "./recorder.ts";
export type { EquityPoint, SimulatedFill, SimulationCounts, SimulationResult } from "./result.ts";
