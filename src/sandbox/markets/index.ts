export { createManualMarket, type Market, tapCountedQuotes } from "./market.ts";
export { createRandomWalk, walkStart } from "./random-walk.ts";
export { createReplayMarket } from "./replay.ts";
export { openReplayPosition, type ReplayPosition } from "./replay-position.ts";
export { type ReplayRow, readReplay } from "./replay-rows.ts";
export { createSyntheticMarket } from "./synthetic.ts";
