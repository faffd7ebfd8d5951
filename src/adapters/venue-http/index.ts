/**
 * An execution venue in another process, over HTTP: a server for any venue, and a client that is a venue for the engine.
 * The protocol is in docs/venue-http.md.
 *
 * @module managed-orders/venue-http
 */

export type { StreamState } from "./follower.ts";
export { type VenueClientOptions, VenueHttpError, type VenueHttpProblem } from "./link.ts";
export type { StreamName } from "./routes.ts";
export type { VenueServerLimits, VenueServerOptions } from "./server-options.ts";
export { openVenueClient, type VenueClient, type VenueClientStatus } from "./venue-client.ts";
export { createVenueServer, type VenueServer } from "./venue-server.ts";
