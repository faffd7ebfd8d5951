export type { LookupFault, SubmitFault, VenueFault } from "./fault.ts";
export { FRACTION_SCALE } from "./fault.ts";
export { parseAmount } from "./ledger.ts";
export { parsePosition } from "./positions.ts";
export type { Forgetting } from "./settled-children.ts";
export { openPaperVenue, type PaperVenue, type PaperVenueOptions } from "./venue.ts";
export { VenueInputError } from "./venue-input-error.ts";
export { type ChildRow, VenueRecordError } from "./venue-record.ts";
