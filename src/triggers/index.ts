export { IdMap, type ReadonlyIdMap } from "./id-map.ts";
export { type MarketOf, MarkHistory, type MarksOf } from "./marks.ts";
export {
  displayedLevel,
  dynamicLimit,
  limitAt,
  referenceOf,
  type TrailingPoint,
  trailingLevel,
} from "./trailing.ts";
export { TriggerBook } from "./trigger-book.ts";
export type {
  Activated,
  Direction,
  Fired,
  LevelCondition,
  Observation,
  Progress,
  Watch,
  Watcher,
} from "./watch.ts";
export {
  executableSide,
  gateDirection,
  limitDirection,
  meets,
  stopDirection,
  takeProfitDirection,
} from "./watch.ts";
