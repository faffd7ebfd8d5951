export { createManualMarket, type Market, type QuoteGate, tapCountedQuotes } from "./market.ts";
export {
  createRandomWalk,
  type RandomWalk,
  type WalkStart,
  type WalkStep,
  walkStart,
} from "./random-walk.ts";
export { createReplayMarket, type ReplayOptions, type ReplayPace } from "./replay.ts";
export { openReplayPosition, type ReplayPosition } from "./replay-position.ts";
export { type QuoteRow, type ReplayFiles, type ReplayRow, readReplay, type TradeRow } from "./replay-rows.ts";
export { createSyntheticMarket, type SyntheticOptions } from "./synthetic.ts";
