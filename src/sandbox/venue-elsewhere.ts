import * as z from "zod";
import { openVenueClient, type VenueClient, VenueHttpError } from "../adapters/venue-http/index.ts";
import { errorMessage } from "../common/index.ts";
import type { Clock, Telemetry } from "../ports/index.ts";
import { type JsonInput, type JsonValue, readJson, writeJson } from "../wire/index.ts";
import { ConflictError, InputError, MissingError, SettingsError, VenueAwayError } from "./input.ts";
import type { VenueAddress } from "./setting.ts";
import { callKey, VENUE_HANDLERS, type VenueDesk } from "./venue-desk.ts";

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

/** Connects to a venue. Rejects with a SettingsError if it does not answer within ten seconds, or lacks a part. */
export async function connectVenue(
  address: VenueAddress,
  host: Readonly<{ clock: Clock; telemetry: Telemetry }>,
): Promise<VenueElsewhere> {
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

/** A call of the venue's control interface. `path` has the parts after `/control`. */
type VenueCall = Readonly<{
  method: string;
  path: readonly string[];
  query?: ReadonlyMap<string, string>;
  body?: JsonInput | undefined;
}>;

/** Calls the venue's control interface. Resolves to its answer; its refusals become errors of the same status. */
type VenueControl = (call: VenueCall) => Promise<JsonValue>;

/** Longest wait for an answer: the venue answers when its own work is done. */
const LONGEST_MS = 10_000;

const refusal = z.object({ error: z.string() });

/**
 * Creates the calls of the control interface of a venue in another process. Without an address, every call rejects with
 * an error that says where to send it.
 */
export function createVenueControl(controlUrl: string | undefined): VenueControl {
  if (controlUrl === undefined) {
    return async ({ method, path }) => {
      throw new VenueAwayError(
        `${method} /control/${path.join("/")} belongs to the venue, which runs in another process: send it to the control interface of that process, or set VENUE_CONTROL`,
      );
    };
  }
  return async (call) => {
    const { status, body } = await send(controlUrl, call);
    if (status === 200) return body;
    const answer = refusal.safeParse(body);
    throw refusalOf(status, answer.success ? answer.data.error : `the venue answered ${status}`);
  };
}

async function send(
  controlUrl: string,
  { method, path, query, body }: VenueCall,
): Promise<Readonly<{ status: number; body: JsonValue }>> {
  const parameters = query === undefined || query.size === 0 ? "" : `?${new URLSearchParams([...query])}`;
  try {
    const answer = await fetch(`${controlUrl}/control/${path.join("/")}${parameters}`, {
      method,
      redirect: "error",
      signal: AbortSignal.timeout(LONGEST_MS),
      ...(method === "POST" && { headers: { "content-type": "application/json" } }),
      ...(body !== undefined && { body: writeJson(body) }),
    });
    return { status: answer.status, body: readJson(await answer.text()) };
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new VenueAwayError(
      `the control interface of the venue at ${controlUrl} did not answer (${errorMessage(cause)}): start the venue, or correct VENUE_CONTROL`,
      { cause: error },
    );
  }
}

function refusalOf(status: number, message: string): Error {
  if (status === 400) return new InputError(message);
  if (status === 404) return new MissingError(message);
  if (status === 409) return new ConflictError(message);
  return new VenueAwayError(message);
}
