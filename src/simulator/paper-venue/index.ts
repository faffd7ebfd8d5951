export type { ChildRow } from "./child-row.ts";
export {
  type ExecutionTerms,
  type FeeRates,
  type Latency,
  type Liquidity,
  type SlippageModel,
  type TakenLevel,
  termsOption,
  watchedTerms,
} from "./execution-terms.ts";
export type { LookupFault, SubmitFault, VenueFault } from "./fault.ts";
export { parseFraction } from "./fault.ts";
export type { ImpactModel } from "./impact.ts";
export { parseAmount } from "./ledger.ts";
export type { PaperVenue, PaperVenueOptions } from "./paper-venue.ts";
export { parsePosition } from "./positions.ts";
export type { Forgetting } from "./settled-children.ts";
export { openPaperVenue, openSimulatedVenue } from "./venue.ts";
export type { VenueFill } from "./venue-fill.ts";
export { VenueInputError } from "./venue-input-error.ts";
export { VenueRecordError } from "./venue-record-error.ts";
