export {
  type ExecutionTerms,
  type FeeRates,
  type ImpactModel,
  type Latency,
  type Liquidity,
  type SlippageModel,
  type TakenLevel,
  termsOption,
  type VenueFill,
  watchedTerms,
} from "./execution-terms.ts";
export { type LookupFault, parseFraction, type SubmitFault, type VenueFault } from "./fault.ts";
export { parseAmount, parsePosition } from "./ledger.ts";
export { type PaperVenue, type PaperVenueOptions, VenueInputError } from "./paper-venue.ts";
export type { Pruning } from "./pruner.ts";
export { openPaperVenue, openSimulatedVenue } from "./venue.ts";
export { type ChildRow, VenueRecordError } from "./venue-record.ts";
