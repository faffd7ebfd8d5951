import type { AccountEvents, Awaitable, Clock } from "../../ports/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import type { Front } from "../access/front-work.ts";

/** One WebSocket connection as its transport has it. Nothing of it waits or throws. */
export type SocketPeer = Readonly<{
  /** Raw target of the upgrade request, path and query. */
  target: string;
  /** Headers of the upgrade request, alternating name and value. */
  rawHeaders: readonly string[];
  /** Address of the peer, as text. */
  remoteAddress: string;
  /** Sends one text message. */
  send(text: string): void;
  /** Sends a ping frame. */
  ping(): void;
  /** Ends the connection with a close code and a reason, after what was sent before. */
  close(code: number, reason: string): void;
  /** Bytes that were sent and wait for the peer to read. */
  bufferedBytes(): number;
  /** Breaks the connection with all that waits for its peer; without it the end waits for the peer to read. */
  drop?(): void;
}>;

/** What a transport tells of a connection. */
export type SocketSession = Readonly<{
  /** A whole text message came, uncompressed. `front` is the front thread that it came through, if it did. */
  receive(text: string, front?: Front): void;
  /** A binary message came. */
  receiveBinary(): void;
  /** So many bytes have come since the last whole message, ping or pong; a transport that cannot tell says nothing. */
  arriving?(bytes: number): void;
  /** A ping came; the transport answers it. */
  pinged(): void;
  /** A pong came. */
  ponged(): void;
  /** The connection has ended, whoever ended it. */
  closed(): void;
}>;

/** The WebSocket interface without a transport: `/ws/listenKey`, `/ws-api/v3` and `/ws/liquidity`. */
export type SocketService = Readonly<{
  /** Resolves to the refusal of an upgrade request, undefined when it may become a connection. */
  admit(request: WireRequest): Promise<WireResponse | undefined>;
  /** Begins a connection that was admitted. Throws for a target that was not admitted. */
  connect(peer: SocketPeer): SocketSession;
  /** Frames a second of one connection; more end it. A transport that reads ahead of the service stops there too. */
  readonly maxFramesPerSecond?: number;
  /** Tells every connection that the service stops, takes no more, and ends each once its requests are answered. */
  shutdown(): void;
}>;

/** Settings of the WebSocket interface. Source: decision 49; convention 1.2 gg and 4.2. */
export type SocketSettings = Readonly<{
  /** Longest message in bytes; a longer one ends the connection with 1009. Default 65536. */
  maxMessageBytes?: number;
  /** Frames a second, pings and pongs included; more end the connection with 1008. Default 1000. */
  maxFramesPerSecond?: number;
  /** Requests without an answer; more end the connection with 1008. Default 1000. */
  maxUnanswered?: number;
  /** Messages a minute that are no requests; more end the connection with 1008. Default 10. */
  maxMalformedPerMinute?: number;
  /** Bytes of events that wait for one reader; a slower one ends with 1008. Default 8388608: about 10,000 events. */
  maxWaitingEventBytes?: number;
  /** Bytes of replies that wait for one reader; a slower one ends with 1008. Default 8388608. */
  maxWaitingReplyBytes?: number;
  /**
   * Bytes of events, and of replies, that wait for one reader of public streams; a slower one ends with 1008. Default
   * 1048576: it needs no key, and a snapshot makes good what it missed.
   */
  maxWaitingMarketBytes?: number;
  /** Public streams of one connection; more are refused. Default 1024. */
  maxStreams?: number;
  /** Time between two pings; default 20000. */
  pingEveryMs?: number;
  /** Time in which a pong must come; default 60000. */
  pongWithinMs?: number;
  /** How long a connection lives; default 24 hours. */
  lifeMs?: number;
}>;

/** What the WebSocket interface takes beside what the service is made of. */
export type SocketOptions = Readonly<{
  settings?: SocketSettings;
  /** Balances, positions and risk for the private stream. */
  accountEvents?: AccountEvents;
  /** The account of a session token of the host, for the older push subscription; without it there is none. */
  requestToken?: (token: string) => Awaitable<number | undefined>;
  /**
   * Time that passes by itself, for frame rates, and for the last second that a peer gets to answer a ping. Needed where the
   * service's clock may stand still or jump, as in a sandbox; default: that clock.
   */
  realClock?: Clock;
}>;
