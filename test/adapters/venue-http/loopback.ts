import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createEntropy, createSystemClock } from "../../../src/adapters/node/index.ts";
import {
  createVenueServer,
  openVenueClient,
  type VenueClient,
  type VenueClientOptions,
  type VenueServer,
  type VenueServerOptions,
} from "../../../src/adapters/venue-http/index.ts";
import type { Clock, ExecutionVenue, VenueEvent } from "../../../src/ports/index.ts";

export const SECRET = "a secret that both sides share";

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Waits for a condition, without a timer. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const lateAtMs = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > lateAtMs) throw new Error(`still waiting for ${what}`);
    await turn();
  }
}

/** A venue server on a free port of loopback. */
export type RunningServer = Readonly<{
  url: string;
  port: number;
  server: VenueServer;
  close: () => Promise<void>;
}>;

/** Serves a venue on loopback. */
export async function serveVenue(
  options: Omit<VenueServerOptions, "secret" | "entropy" | "clock"> & Readonly<{ clock?: Clock }>,
  port = 0,
): Promise<RunningServer> {
  const server = createVenueServer({
    ...{ clock: createSystemClock(), entropy: createEntropy(), secret: SECRET },
    ...options,
  });
  const http = createServer();
  server.attach(http);
  await listening(http, port);
  const bound = (http.address() as AddressInfo).port;
  return {
    ...{ url: `http://127.0.0.1:${bound}`, port: bound, server },
    async close() {
      server.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** Resolves when a server listens on loopback. */
export const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });

/** Connects to a venue server. */
export const connect = (
  url: string,
  options: Partial<Omit<VenueClientOptions, "url">> = {},
): Promise<VenueClient> => openVenueClient({ url, secret: SECRET, clock: createSystemClock(), ...options });

/** A venue that tells the time of a clock, and counts calls that have no answer, and events. */
export type Watched = ExecutionVenue & {
  readonly unanswered: number;
  readonly events: number;
  /** Whether it cannot tell its time. */
  isTimeless: boolean;
};

/** Wraps a venue in counters. */
export function watched(venue: ExecutionVenue, clock: Clock): Watched {
  let unanswered = 0;
  let events = 0;
  const counted = async <T>(call: Promise<T>): Promise<T> => {
    unanswered++;
    return await call.finally(() => unanswered--);
  };
  return {
    capabilities: venue.capabilities,
    isTimeless: false,
    submit: (child, options) => counted(venue.submit(child, options)),
    lookup: (child) => counted(venue.lookup(child)),
    async venueTimeMs() {
      if (this.isTimeless) throw new Error("the venue cannot tell its time");
      return clock.nowMs();
    },
    subscribe: (listener) =>
      venue.subscribe((event: VenueEvent) => {
        events++;
        listener(event);
      }),
    get unanswered() {
      return unanswered;
    },
    get events() {
      return events;
    },
  };
}
