import { errorMessage, pause } from "../../common/index.ts";
import { checkedClock, harmless, QuietTelemetry } from "../../host-answers/index.ts";
import type { Instrument } from "../../model/index.ts";
import type {
  Balances,
  ExecutionVenue,
  Exposure,
  Instruments,
  MarketData,
  MarketSink,
  NativeOrders,
  VolumeHistory,
} from "../../ports/index.ts";
import { createMemoryInstruments } from "../memory/index.ts";
import { FollowedStreams, type RemoteParts, type StreamMessage, type StreamState } from "./follower.ts";
import { clientOption, type VenueClientOptions, VenueHttpError, VenueLink } from "./link.ts";
import { RemoteVenue } from "./remote-venue.ts";
import { type Changed, type Manifest, type Part, PROTOCOL, type StreamName, VENUE_ROUTES } from "./routes.ts";
import { execution, print, quote } from "./values.ts";

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
 * Opens a venue that is behind {@link createVenueServer}, or behind a server in another language that keeps to the protocol
 * of docs/venue-http.md. Rejects with a VenueHttpError if the server does not answer within `openWithinMs`, refuses the
 * secret or speaks another version, and with a TypeError or RangeError that names an option that is missing, unknown or
 * wrong.
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
    const streams = new FollowedStreams({ link, silenceMs, telemetry });
    const parts = { link, manifest, streams, telemetry };
    const has = (part: Part): boolean => manifest.parts.includes(part);
    const instruments = has("instruments")
      ? await RemoteInstruments.open({ link, telemetry, everyMs })
      : undefined;
    const venue = new RemoteVenue(parts);
    return {
      ...{ venue, instruments },
      marketData: has("market") ? remoteMarket(parts) : undefined,
      nativeOrders: has("native") ? remoteNative(parts) : undefined,
      balances: has("balances")
        ? { balances: (accountId) => link.call(VENUE_ROUTES.balances, { accountId }) }
        : undefined,
      exposure: has("position") ? remoteExposure(parts) : undefined,
      volumeHistory: has("volume")
        ? { minutes: (range) => link.call(VENUE_ROUTES.volume, range) }
        : undefined,
      status: () => ({ streams: streams.states, calls: link.calls, lookups: venue.looking }),
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

/** Takes what a message says, or tells the operator that it cannot be read. */
function quietly(
  { telemetry }: RemoteParts,
  stream: StreamName,
  take: (message: StreamMessage) => void,
): (message: StreamMessage) => void {
  const unreadable = (): void => telemetry?.event("warn", "venue-http.unreadable-event", { stream });
  return (message) => harmless(() => take(message), unreadable);
}

/** Returns the source of quotes of a server. */
function remoteMarket(parts: RemoteParts): MarketData {
  const { ownFillsInPrints } = parts.manifest;
  return {
    ...(ownFillsInPrints && { ownFillsInPrints }),
    subscribe: (sink) =>
      parts.streams.follow("market", {
        received: quietly(parts, "market", (message) => take(sink, message)),
      }),
  };
}

function take(sink: MarketSink, message: StreamMessage): void {
  if (message["type"] === "quote") sink.quote(quote.read(message["quote"], "the quote"));
  else if (message["type"] === "print") sink.print(print.read(message["print"], "the print"));
  else if (message["type"] === "confirmed" && typeof message["symbol"] === "string")
    sink.heartbeat(message["symbol"]);
}

/** Returns the native orders of a server. */
function remoteNative(parts: RemoteParts): NativeOrders {
  const { link, manifest, streams } = parts;
  const has = (part: "cancelIf" | "open"): boolean => manifest.parts.includes(part);
  return {
    isPaperTrade: manifest.isPaperTrade === true,
    async place(placement) {
      const placed = outcomeOf(await link.call(VENUE_ROUTES.place, placement));
      if (placed === undefined) throw new VenueHttpError("unreadable", "the answer has no placement");
      return placed;
    },
    findRequest: (request) => link.call(VENUE_ROUTES.findRequest, request),
    cancel: async (key) => outcomeOf(await link.call(VENUE_ROUTES.cancel, { key })),
    ...(has("cancelIf") && {
      cancelIf: async (key, restriction) =>
        outcomeOf(await link.call(VENUE_ROUTES.cancel, { key, restriction })),
    }),
    find: (key) => link.call(VENUE_ROUTES.find, key),
    page: (page) => link.call(VENUE_ROUTES.page, page),
    ...(has("open") && { open: (query) => link.call(VENUE_ROUTES.open, query) }),
    executions: (query) => link.call(VENUE_ROUTES.executions, query),
    subscribe: (listener, missed) =>
      streams.follow("native", {
        began: (_hello, isAnew) => (isAnew ? missed?.() : undefined),
        received: quietly(parts, "native", (message) => {
          if (message["type"] === "execution")
            listener(execution.read(message["execution"], "the execution"));
        }),
      }),
  };
}

/** Returns what a change has done. Throws its refusal. */
function outcomeOf<T>({ done, refused }: Changed<T>): T | undefined {
  if (refused !== undefined) throw refused;
  return done;
}

const remoteExposure = ({ link, manifest: { positionLagMs } }: RemoteParts): Exposure => ({
  ...(positionLagMs !== undefined && { lagMs: positionLagMs }),
  position: (accountId, symbol) => link.call(VENUE_ROUTES.position, { accountId, symbol }),
});

/** Dependencies of {@link RemoteInstruments}, and the milliseconds between two readings. */
type InstrumentsParts = Pick<RemoteParts, "link" | "telemetry"> & Readonly<{ everyMs: number }>;

/**
 * The instruments of a server, read again every few seconds: they are listed, halted and withdrawn while an engine runs.
 * While the server cannot be read, or says what no catalogue can say, the last ones stay.
 */
class RemoteInstruments implements Instruments {
  readonly #parts: InstrumentsParts;
  #last: Instruments;
  #cancel: () => void = () => undefined;
  #isClosed = false;
  /** Whether the last reading failed, which is told once. */
  #isUnread = false;

  private constructor(parts: InstrumentsParts, first: Instruments) {
    this.#parts = parts;
    this.#last = first;
    this.#later();
  }

  /** Reads the instruments for the first time. Rejects as {@link Link.call} does. */
  static async open(parts: InstrumentsParts): Promise<RemoteInstruments> {
    return new RemoteInstruments(parts, await read(parts));
  }

  all(): readonly Instrument[] {
    return this.#last.all();
  }

  find(symbol: string): Instrument | undefined {
    return this.#last.find(symbol);
  }

  resolve(symbolOrAlias: string): Instrument | undefined {
    return this.#last.resolve(symbolOrAlias);
  }

  /** Reads no more. */
  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #later(): void {
    const { link, everyMs } = this.#parts;
    this.#cancel = link.clock.schedule(link.clock.monotonicMs() + everyMs, () => void this.#readAgain());
  }

  async #readAgain(): Promise<void> {
    try {
      this.#last = await read(this.#parts);
      this.#isUnread = false;
    } catch (error) {
      this.#report(error);
    }
    if (!this.#isClosed) this.#later();
  }

  #report(error: unknown): void {
    if (this.#isClosed || this.#isUnread) return;
    this.#isUnread = true;
    const message = errorMessage(error);
    this.#parts.telemetry?.event("warn", "venue-http.instruments-unread", { message });
  }
}

/** Reads the instruments. Rejects as {@link Link.call} does, also if one name is that of two instruments. */
async function read({ link }: InstrumentsParts): Promise<Instruments> {
  const listed = await link.call(VENUE_ROUTES.instruments, {});
  try {
    return createMemoryInstruments(listed);
  } catch (cause) {
    const { message } = cause as Error;
    throw new VenueHttpError("unreadable", `${VENUE_ROUTES.instruments.path}: ${message}`, { cause });
  }
}
