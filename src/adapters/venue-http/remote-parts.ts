import { harmless } from "../../host-answers/index.ts";
import type {
  Balances,
  Exposure,
  MarketData,
  MarketSink,
  NativeExecution,
  NativeOrders,
  Telemetry,
  VolumeHistory,
} from "../../ports/index.ts";
import { type StreamMessage, type StreamState, VenueFollower } from "./follower.ts";
import type { VenueLink } from "./link.ts";
import { execution } from "./native-values.ts";
import { type Changed, type Manifest, type StreamName, VENUE_ROUTES } from "./routes.ts";
import { print, quote } from "./values.ts";
import { VenueHttpError } from "./venue-http-error.ts";

/** Dependencies of the parts of a remote venue. */
export type RemoteParts = Readonly<{
  link: VenueLink;
  manifest: Manifest;
  silenceMs: number;
  telemetry: Telemetry | undefined;
}>;

/** The streams of quotes and of native orders. */
export class RemoteStreams {
  readonly #parts: RemoteParts;
  readonly #followers: Set<VenueFollower> = new Set();

  constructor(parts: RemoteParts) {
    this.#parts = parts;
  }

  /** States of the streams. */
  get states(): readonly StreamState[] {
    return [...this.#followers].map(({ state }) => state);
  }

  /** Follows a stream until the returned function is called. `missed` is called when it begins anew. */
  follow(
    name: StreamName,
    received: (message: StreamMessage) => void,
    missed: () => void = () => undefined,
  ): () => void {
    const { link, silenceMs, telemetry } = this.#parts;
    const unreadable = (): void => telemetry?.event("warn", "venue-http.unreadable-event", { stream: name });
    const follower = new VenueFollower({
      ...{ link, name, silenceMs, telemetry },
      began: (_hello, isAnew) => (isAnew ? missed() : undefined),
      received: (message) => harmless(() => received(message), unreadable),
    });
    this.#followers.add(follower);
    return () => {
      follower.close();
      this.#followers.delete(follower);
    };
  }

  /** Ends all streams. */
  close(): void {
    for (const follower of this.#followers) follower.close();
    this.#followers.clear();
  }
}

/** Returns the source of quotes of a server. */
export function remoteMarket(
  { manifest: { ownFillsInPrints } }: RemoteParts,
  streams: RemoteStreams,
): MarketData {
  return {
    ...(ownFillsInPrints && { ownFillsInPrints }),
    subscribe: (sink) => streams.follow("market", (message) => take(sink, message)),
  };
}

function take(sink: MarketSink, message: StreamMessage): void {
  if (message["type"] === "quote") sink.quote(quote.read(message["quote"], "the quote"));
  else if (message["type"] === "print") sink.print(print.read(message["print"], "the print"));
  else if (message["type"] === "confirmed" && typeof message["symbol"] === "string")
    sink.heartbeat(message["symbol"]);
}

/** Returns the native orders of a server. */
export function remoteNative({ link, manifest }: RemoteParts, streams: RemoteStreams): NativeOrders {
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
      streams.follow(
        "native",
        (message) => {
          if (message["type"] === "execution") listener(executionIn(message));
        },
        missed,
      ),
  };
}

const executionIn = (message: StreamMessage): NativeExecution =>
  execution.read(message["execution"], "the execution");

/** Returns what a change has done. Throws its refusal. */
function outcomeOf<T>({ done, refused }: Changed<T>): T | undefined {
  if (refused !== undefined) throw refused;
  return done;
}

/** Returns the positions of a server. */
export const remoteExposure = ({ link, manifest: { positionLagMs } }: RemoteParts): Exposure => ({
  ...(positionLagMs !== undefined && { lagMs: positionLagMs }),
  position: (accountId, symbol) => link.call(VENUE_ROUTES.position, { accountId, symbol }),
});

/** Returns the balances of a server. */
export const remoteBalances = (link: VenueLink): Balances => ({
  balances: (accountId) => link.call(VENUE_ROUTES.balances, { accountId }),
});

/** Returns the executed volume of a server. */
export const remoteVolumes = (link: VenueLink): VolumeHistory => ({
  async minutes(range) {
    return await link.call(VENUE_ROUTES.volume, range);
  },
});
