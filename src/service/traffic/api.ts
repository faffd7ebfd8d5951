/** Limits on bytes held at once. Above a limit, the connection that holds the most is closed. */
export interface ByteLimits {
  readonly perConnection?: number;
  readonly perAddress?: number;
  readonly inAll?: number;
}

/** Limits on public streams that are open at once. */
export interface StreamLimits {
  /** Streams of one address. Default 2048: two full connections. */
  readonly perAddress?: number;
  /**
   * Streams of all addresses together. Beyond it, only addresses from which a signed request was admitted get more.
   * Default 16384.
   */
  readonly inAll?: number;
}

/**
 * Limits on what clients may hold of a service at once, over HTTP and WebSocket together. An address is an IPv4 address or
 * an IPv6 /64. Behind trusted proxies it is the client's address.
 */
export interface TrafficLimits {
  /** Connections that one address holds at once. One more is refused with 429 -1003. Default 2000. */
  readonly connectionsPerAddress?: number;
  /**
   * Bytes of requests, messages and public events that wait for their turn, and of those received in part. Each message
   * and event counts 256 bytes besides its own, each request 8,192. Default 4,194,304 per connection, 33,554,432 per
   * address, 100,663,296 in all.
   */
  readonly unread?: ByteLimits;
  /** Bytes of requests and messages that are being answered, counted in the same way. The same defaults. */
  readonly unanswered?: ByteLimits;
  /**
   * Bytes of answers and events that wait for a peer to read them. Default 17,825,792 per connection, 33,554,432 per
   * address, 134,217,728 in all.
   */
  readonly unsent?: ByteLimits;
  /** Public streams that are open at once; more are refused with 429 -1003. */
  readonly streams?: StreamLimits;
}

/** The kinds of bytes that are held. */
export type HeldKind = "unread" | "unanswered" | "unsent";

/** The owner of the limit that was exceeded. */
export type LimitScope = "connection" | "address" | "all";

/** A connection as the traffic limits see it: its unsent bytes, and a callback that closes it. */
export interface TrafficGuest {
  /** Returns the bytes that wait for the peer now. The bytes held as unsent are never more than that. */
  readonly unsentBytes: () => number;
  /**
   * Called when the connection must be closed: it exceeds its own limit, or a limit for several connections is exceeded
   * and it holds the most bytes. Its bytes no longer count.
   */
  readonly evict: (kind: HeldKind, scope: LimitScope) => void;
}

/** The bytes that one connection holds. The connection reports every change; after its end nothing counts. */
export interface Holdings {
  /** Adds bytes, or returns them if negative. Returns false if this closed the connection. */
  hold(kind: HeldKind, bytes: number): boolean;
  /** Reports the end of the connection. */
  end(): void;
}

/** Bytes that a request or message counts besides its own. */
export const MESSAGE_COST = 256;
