export { testExecutionVenue } from "./execution-venue.ts";
export type {
  ExecutionVenuePlace,
  ExecutionVenueSubject,
  ExecutionVenueSupport,
  Offer,
  OfferedLevel,
  OpenVenue,
  RefusalReason,
} from "./place.ts";
