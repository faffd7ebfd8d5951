export { type LookupFault, readVenueFault, type SubmitFault, type VenueFault } from "./fault.ts";
export { parseAmount } from "./ledger.ts";
export { parsePosition } from "./positions.ts";
export type { Forgetting } from "./settled-children.ts";
export { openPaperVenue, type PaperVenue, type PaperVenueOptions } from "./venue.ts";
export { readVenueEvent, scaledText } from "./venue-event.ts";
export { type ChildRow, VenueRecordError } from "./venue-record.ts";
