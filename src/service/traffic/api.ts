/** Bytes that may be held at once; more put out whoever holds the most. */
export type ByteLimits = Readonly<{ perConnection?: number; perAddress?: number; inAll?: number }>;

/**
 * What strangers may hold of a service at once, over HTTP and WebSocket together. An address is an IPv4 address or a /64
 * of IPv6; behind trusted proxies it is the client's. Source: decisions GC and GD.
 */
export type TrafficLimits = Readonly<{
  /** Connections that one address holds at once; one more is refused, 429 -1003. Default 2000. */
  connectionsPerAddress?: number;
  /**
   * Requests and messages whose turn has not come, and what has come of those that are not whole, each message with 256
   * bytes beside its own, each request with 8,192. Default 4,194,304 a connection, 33,554,432 an address, 100,663,296 in all.
   */
  unread?: ByteLimits;
  /** Requests and messages that are being answered, counted alike. The same defaults. */
  unanswered?: ByteLimits;
  /**
   * Answers and events that wait for a peer to read them. Default 17,825,792 a connection, 33,554,432 an address,
   * 134,217,728 in all.
   */
  unsent?: ByteLimits;
}>;

/** What is held in bytes. */
export type HeldKind = "unread" | "unanswered" | "unsent";

/** Whose limit was broken. */
export type LimitScope = "connection" | "address" | "all";

/** What of a connection is held, and who is told when it must end because of that. */
export type TrafficGuest = Readonly<{
  /** The bytes that wait for its peer now; what is held as unsent is never more than that. */
  unsentBytes: () => number;
  /** It holds more than it may, or more than any other when all of them together do; nothing of it is counted any more. */
  putOut: (kind: HeldKind, scope: LimitScope) => void;
}>;

/** What one connection holds. Every change is told; after its end nothing counts. */
export type Holdings = {
  /** Takes or, below 0, gives back. False: the connection was put out by this. */
  hold(kind: HeldKind, bytes: number): boolean;
  /** The connection has ended. */
  end(): void;
};

/** Bytes that a request or message costs beside its own. */
export const MESSAGE_COST = 256;
