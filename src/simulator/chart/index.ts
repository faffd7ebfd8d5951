export type {
  Arrival,
  MarketChart,
  OrderChart,
  PriceColumn,
  SimulationChart,
  TrailPoint,
  VolumePoint,
} from "./chart.ts";
export { ChartRecorder } from "./chart-recorder.ts";
export { Columns } from "./columns.ts";
