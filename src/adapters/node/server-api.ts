import type { Server } from "node:http";

/** Limits of a server; those of the service come on top. */
export type NodeServerLimits = Readonly<{
  /** Time for a request's line and headers to arrive; default 10000. */
  headTimeoutMs?: number;
  /** Time for a whole request to arrive; default 30000. */
  requestTimeoutMs?: number;
  /** Request line and headers together, in bytes; default 16384. */
  maxHeadBytes?: number;
  /** How long an unused connection is kept; default 65000, longer than the minute that balancers commonly use. */
  keepAliveMs?: number;
  /**
   * How long a connection may stand still with an answer due, because its peer does not read or the service does not
   * answer; then it is closed. Default 120000.
   */
  stallMs?: number;
  /** Connections at once; more are closed at once. Default 10000. */
  maxConnections?: number;
  /** Connections that wait to be accepted; the system may allow fewer. Default 2048. */
  backlog?: number;
}>;

/** Where a server listens. */
export type ListenAddress = Readonly<{ host: string; port: number }>;

/** A server over node:http. */
export type NodeServer = Readonly<{
  /** The server itself, for a host that attaches more to it; with front threads it hears of no connection. */
  server: Server;
  /** Connections that are open now, those of front threads too. */
  connections(): number;
  /** Begins to listen, port 0 for a free one; rejects when the address is in use. */
  listen(address: ListenAddress): Promise<ListenAddress>;
  /**
   * Takes no more connections, answers what has been asked, tells WebSocket clients that the service stops, and resolves
   * when every connection has ended. What is not done after `graceMs` (default 10000) is cut off.
   */
  close(options?: Readonly<{ graceMs?: number }>): Promise<void>;
}>;

const DEFAULTS: Required<NodeServerLimits> = {
  headTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxHeadBytes: 16_384,
  keepAliveMs: 65_000,
  stallMs: 120_000,
  maxConnections: 10_000,
  backlog: 2_048,
};

/** Limits with their defaults. */
export function resolveLimits(limits: NodeServerLimits = {}): Required<NodeServerLimits> {
  return { ...DEFAULTS, ...limits };
}
