import type { AccountEvents, Awaitable, Clock } from "../../ports/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import type { Front } from "../access/authentication.ts";

/** One WebSocket connection, as its transport provides it. None of its functions waits or throws. */
export interface SocketPeer {
  /** Raw target of the upgrade request, path and query. */
  readonly target: string;
  /** Headers of the upgrade request, alternating name and value. */
  readonly rawHeaders: readonly string[];
  /** Address of the peer, as text. */
  readonly remoteAddress: string;
  /** Sends one text message. */
  send(text: string): void;
  /** Sends a ping frame. */
  ping(): void;
  /** Closes the connection with a close code and a reason, after everything sent before. */
  close(code: number, reason: string): void;
  /** Returns the number of bytes that were sent and wait for the peer to read them. */
  bufferedBytes(): number;
  /**
   * Drops the connection with all bytes that wait for the peer. Without this function, closing waits for the peer to
   * read them.
   */
  drop?(): void;
}

/** Callbacks through which a transport reports what happens on a connection. */
export interface SocketSession {
  /** Receives a whole text message, uncompressed. `front` is the front thread that it came through, if any. */
  receive(text: string, front?: Front): void;
  /** Reports a binary message. */
  receiveBinary(): void;
  /**
   * Reports the number of bytes received since the last whole message, ping or pong. Optional for transports that do
   * not know it.
   */
  arriving?(bytes: number): void;
  /** Reports a ping. The transport answers it. */
  pinged(): void;
  /** Reports a pong. */
  ponged(): void;
  /** Reports the end of the connection, whichever side ended it. */
  closed(): void;
}

/** The WebSocket interface without a transport: `/ws/listenKey`, `/ws-api/v3`, `/compat/ws-api/v3` and
 * `/ws/liquidity`. */
export interface SocketService {
  /** Resolves to the response that refuses an upgrade request, or to undefined if it may become a connection. */
  admit(request: WireRequest): Promise<WireResponse | undefined>;
  /** Starts a connection that was admitted. Throws for a target that was not admitted. */
  connect(peer: SocketPeer): SocketSession;
  /**
   * Frames per second allowed on one connection; above it the connection is closed. A transport that reads ahead of the
   * service stops there too.
   */
  readonly maxFramesPerSecond?: number;
  /**
   * Tells every connection that the service stops, accepts no more connections, and closes each once its requests are
   * answered.
   */
  shutdown(): void;
}

/** Settings of the WebSocket interface. Source: convention 1.2 gg and 4.2. */
export interface SocketSettings {
  /** Longest message in bytes. A longer one closes the connection with 1009. Default 65536. */
  readonly maxMessageBytes?: number;
  /** Frames per second, pings and pongs included. More close the connection with 1008. Default 1000. */
  readonly maxFramesPerSecond?: number;
  /** Pings of the peer per minute, with pongs for which no ping was sent. More close the connection with 1008. Default 120. */
  readonly maxPingsPerMinute?: number;
  /** Requests that wait for an answer. More close the connection with 1008. Default 1000. */
  readonly maxUnanswered?: number;
  /** Malformed messages per minute. More close the connection with 1008. Default 10. */
  readonly maxMalformedPerMinute?: number;
  /**
   * Bytes of events that wait for one reader. A slower reader is closed with 1008. Default 8388608: about 10,000
   * events.
   */
  readonly maxWaitingEventBytes?: number;
  /** Bytes of replies that wait for one reader. A slower reader is closed with 1008. Default 8388608. */
  readonly maxWaitingReplyBytes?: number;
  /**
   * Bytes of events, and of replies, that wait for one reader of public streams. A slower reader is closed with 1008.
   * Default 1048576: public streams need no key, and a snapshot restores whatever such a reader missed.
   */
  readonly maxWaitingMarketBytes?: number;
  /** Public streams per connection. More are refused. Default 1024. */
  readonly maxStreams?: number;
  /** Interval between pings in milliseconds; default 20000. */
  readonly pingEveryMs?: number;
  /** Time in milliseconds within which a pong must arrive; default 60000. */
  readonly pongWithinMs?: number;
  /** Lifetime of a connection in milliseconds; default 24 hours. */
  readonly lifeMs?: number;
}

/** Optional parts of the WebSocket interface. */
export interface SocketOptions {
  readonly settings?: SocketSettings;
  /** Balances, positions and risk for the private stream. */
  readonly accountEvents?: AccountEvents;
  /**
   * Resolves a session token of the host to its account, for the older push subscription. Without it that subscription
   * is not available.
   */
  readonly requestToken?: (token: string) => Awaitable<number | undefined>;
  /**
   * Clock of real time, for frame rates and for the last second that a peer gets to answer a ping. Needed if the
   * service's clock may stand still or jump, as in a sandbox. Default: the service's clock.
   */
  readonly realClock?: Clock;
}

const DEFAULTS: Required<SocketSettings> = {
  maxMessageBytes: 65_536,
  maxFramesPerSecond: 1_000,
  maxPingsPerMinute: 120,
  maxUnanswered: 1_000,
  maxMalformedPerMinute: 10,
  maxWaitingEventBytes: 8_388_608,
  maxWaitingReplyBytes: 8_388_608,
  maxWaitingMarketBytes: 1_048_576,
  maxStreams: 1_024,
  pingEveryMs: 20_000,
  pongWithinMs: 60_000,
  lifeMs: 86_400_000,
};

/** Returns the settings with their defaults. */
export function resolveSocketSettings(settings: SocketSettings = {}): Required<SocketSettings> {
  return { ...DEFAULTS, ...settings };
}
