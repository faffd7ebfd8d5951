export { type Bar, type BarOptions, type BarPath, marketOfBars } from "./bars.ts";
export { batchesOf } from "./batches.ts";
export type { CsvColumn } from "./csv-columns.ts";
export { type CsvOptions, csvMarket } from "./csv-file.ts";
export {
  type HeartbeatRow,
  MarketDataError,
  type MarketRow,
  type MarketSource,
  type QuoteRow,
  type TradeRow,
} from "./market-row.ts";
export { mergeMarkets } from "./merge.ts";
