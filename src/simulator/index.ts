/**
 * Simulation of strategies: an engine, a paper venue and a market in one process.
 *
 * @module managed-orders/simulator
 */
export {
  type ChildRow,
  type Forgetting,
  type LookupFault,
  openPaperVenue,
  type PaperVenue,
  type PaperVenueOptions,
  type SubmitFault,
  type VenueFault,
  VenueInputError,
  VenueRecordError,
} from "./paper-venue/index.ts";
