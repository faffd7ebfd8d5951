import * as z from "zod";
import { openVenueClient, type VenueClient, VenueHttpError } from "../adapters/venue-http/index.ts";
import type { Clock, Telemetry } from "../ports/index.ts";
import type { VenueAddress } from "./setting-readers.ts";
import { SettingsError } from "./settings-error.ts";
import { createVenueControl, type VenueControl } from "./venue-control-client.ts";
import { VENUE_HANDLERS } from "./venue-controls.ts";
import { callKey, type VenueDesk } from "./venue-desk.ts";

/** The parts of a venue that a sandbox needs. */
const NEEDED = ["marketData", "nativeOrders", "balances", "exposure", "instruments"] as const;

type Needed = Pick<VenueClient, (typeof NEEDED)[number]>;

/** A venue in a process of its own, to which this one is connected. */
export type VenueElsewhere = { readonly [Part in keyof Needed]-?: NonNullable<Needed[Part]> } & Readonly<{
  venue: VenueClient["venue"];
  desk: VenueDesk;
  /**
   * Rejects with a SettingsError if the venue knows a child. A new store gives ids again that the venue would answer with
   * the fills of another store. Nothing is checked without the venue's control interface.
   */
  requireUnused: () => Promise<void>;
  close: () => void;
}>;

/** Dependencies of a connection to a venue. */
type VenueHost = Readonly<{ clock: Clock; telemetry: Telemetry }>;

/** Connects to a venue. Rejects with a SettingsError if it does not answer within ten seconds, or lacks a part. */
export async function connectVenue(address: VenueAddress, host: VenueHost): Promise<VenueElsewhere> {
  const { url, secret, controlUrl } = address;
  const client = await openVenueClient({ url, secret, ...host }).catch((error: unknown) => {
    if (!(error instanceof VenueHttpError)) throw error;
    throw new SettingsError(`VENUE: the venue at ${url} cannot be used: ${error.message}`, { cause: error });
  });
  try {
    const control = createVenueControl(controlUrl);
    return {
      ...partsOf(client, url),
      venue: client.venue,
      desk: remoteDesk(control),
      requireUnused: () => (controlUrl === undefined ? Promise.resolve() : requireUnused(control, url)),
      close: () => client.close(),
    };
  } catch (error) {
    client.close();
    throw error;
  }
}

function partsOf(client: VenueClient, url: string): Pick<VenueElsewhere, (typeof NEEDED)[number]> {
  const { marketData, nativeOrders, balances, exposure, instruments } = client;
  if (marketData && nativeOrders && balances && exposure && instruments)
    return { marketData, nativeOrders, balances, exposure, instruments };
  const missing = NEEDED.filter((part) => client[part] === undefined);
  throw new SettingsError(
    `VENUE: the server at ${url} lacks ${missing.join(", ")}: a sandbox needs a venue with all of them, such as managed-orders venue`,
  );
}

async function requireUnused(control: VenueControl, url: string): Promise<void> {
  const children = await control({ method: "GET", path: ["children"] });
  if (Array.isArray(children) && children.length === 0) return;
  throw new SettingsError(
    `VENUE: the venue at ${url} has children of another store: start it with another VENUE_RECORD, or restore that store`,
  );
}

const fundsAnswer = z.object({
  balances: z.record(z.string(), z.string()),
  positions: z.record(z.string(), z.string()),
});

/** Returns the desk of a venue elsewhere: its calls go to the control interface of its process. */
function remoteDesk(control: VenueControl): VenueDesk {
  return {
    answer: (call) => (VENUE_HANDLERS.has(callKey(call)) ? control(call) : undefined),
    async setFault(fault) {
      await control({ method: "POST", path: ["faults"], body: { venue: { ...fault } } });
    },
    async setFunds(accountId, funds) {
      if (funds.balances === undefined && funds.positions === undefined) return;
      await control({ method: "POST", path: ["accounts"], body: { accountId, ...funds } });
    },
    funds: async (accountId) =>
      fundsAnswer.parse(await control({ method: "GET", path: ["accounts", String(accountId)] })),
  };
}
