import { pause } from "../../common/index.ts";
import { checkedClock, QuietTelemetry } from "../../host-answers/index.ts";
import type {
  Balances,
  ExecutionVenue,
  Exposure,
  Instruments,
  MarketData,
  NativeOrders,
  VolumeHistory,
} from "../../ports/index.ts";
import { clientOption, type VenueClientOptions } from "./client-options.ts";
import type { StreamState } from "./follower.ts";
import { VenueLink } from "./link.ts";
import { RemoteInstruments } from "./remote-instruments.ts";
import {
  RemoteStreams,
  remoteBalances,
  remoteExposure,
  remoteMarket,
  remoteNative,
  remoteVolumes,
} from "./remote-parts.ts";
import { RemoteVenue } from "./remote-venue.ts";
import { type Manifest, type Part, PROTOCOL, VENUE_ROUTES } from "./routes.ts";
import { VenueHttpError } from "./venue-http-error.ts";

/** State of a venue client. */
export interface VenueClientStatus {
  /** Each open stream: whether it is connected, and the number of its last event. */
  readonly streams: readonly StreamState[];
  /** Calls without an answer. */
  readonly calls: number;
  /** Children that are being looked up because events were missed. */
  readonly lookups: number;
}

/** A venue in another process, as the ports of an engine and a service. Parts that the server lacks are undefined. */
export interface VenueClient {
  readonly venue: ExecutionVenue;
  readonly marketData: MarketData | undefined;
  readonly nativeOrders: NativeOrders | undefined;
  readonly balances: Balances | undefined;
  readonly exposure: Exposure | undefined;
  readonly volumeHistory: VolumeHistory | undefined;
  /** The instruments as they were last read, at most `instrumentsEveryMs` ago while the server answers. */
  readonly instruments: Instruments | undefined;
  /** Returns the present state. */
  status(): VenueClientStatus;
  /** Ends every call and stream. Calls that wait are rejected. Close the engine before. */
  close(): void;
}

const SILENCE_MS = 15_000;
const OPEN_WITHIN_MS = 10_000;
const PAUSE_MS = 100;
const INSTRUMENTS_EVERY_MS = 10_000;

/** Codes of answers that another try does not change. */
const HOPELESS: readonly (string | undefined)[] = ["BAD_SIGNATURE", "NOT_FOUND"];

/**
 * Opens a venue that is behind {@link createVenueServer}, or behind a server in another language that keeps to the
 * protocol of docs/venue-http.md. Rejects with a VenueHttpError if the server does not answer within `openWithinMs`,
 * refuses the secret or speaks another version, and with a TypeError or RangeError that names an option that is missing,
 * unknown or wrong. Source: decisions ZA to ZE.
 *
 * @example
 * ```ts
 * import { createSystemClock } from "managed-orders/node";
 * import { openVenueClient } from "managed-orders/venue-http";
 * const connect = async (secret: string) => {
 *   const { venue, marketData } = await openVenueClient({
 *     url: "http://127.0.0.1:8090",
 *     secret,
 *     clock: createSystemClock(),
 *   });
 *   console.log(venue.capabilities.honoursDeadline, marketData !== undefined);
 * };
 * ```
 */
export async function openVenueClient(options: VenueClientOptions): Promise<VenueClient> {
  clientOption(options, "openVenueClient");
  const { silenceMs = SILENCE_MS, instrumentsEveryMs: everyMs = INSTRUMENTS_EVERY_MS } = options;
  const telemetry = new QuietTelemetry(options.telemetry);
  const link = new VenueLink({ ...options, clock: checkedClock(options.clock, telemetry) });
  try {
    const manifest = await greet(link, options.openWithinMs ?? OPEN_WITHIN_MS);
    const parts = { link, manifest, silenceMs, telemetry };
    const has = (part: Part): boolean => manifest.parts.includes(part);
    const streams = new RemoteStreams(parts);
    const instruments = has("instruments")
      ? await RemoteInstruments.open({ link, telemetry, everyMs })
      : undefined;
    const venue = new RemoteVenue(parts);
    return {
      ...{ venue, instruments },
      marketData: has("market") ? remoteMarket(parts, streams) : undefined,
      nativeOrders: has("native") ? remoteNative(parts, streams) : undefined,
      balances: has("balances") ? remoteBalances(link) : undefined,
      exposure: has("position") ? remoteExposure(parts) : undefined,
      volumeHistory: has("volume") ? remoteVolumes(link) : undefined,
      status: () => ({
        streams: [...venue.streams, ...streams.states],
        calls: link.calls,
        lookups: venue.looking,
      }),
      close() {
        instruments?.close();
        venue.close();
        streams.close();
        link.close();
      },
    };
  } catch (error) {
    link.close();
    throw error;
  }
}

/** Asks the server for its manifest until it answers. A server that starts at the same time may need a moment. */
async function greet(link: VenueLink, withinMs: number): Promise<Manifest> {
  const { clock } = link;
  const untilMs = clock.monotonicMs() + withinMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      const timeoutMs = Math.max(1, Math.ceil(untilMs - clock.monotonicMs()));
      const manifest = await link.call(VENUE_ROUTES.venue, {}, { timeoutMs });
      if (manifest.protocol === PROTOCOL) return manifest;
      const message = `the server speaks version ${manifest.protocol} of the protocol, this client version ${PROTOCOL}`;
      throw new VenueHttpError("unreadable", message);
    } catch (error) {
      const { problem, code } = error as Partial<VenueHttpError>;
      const isOver = problem === "unreadable" || HOPELESS.includes(code);
      if (isOver || clock.monotonicMs() + PAUSE_MS >= untilMs) throw error;
      // The refusal has told the server's time, so that the next signature is right.
      if (isFirst && code === "STALE") continue;
    }
    await pause(clock, PAUSE_MS);
  }
}
