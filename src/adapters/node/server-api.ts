import type { Server } from "node:http";
import {
  nameOption,
  type OptionCheck,
  optionalOption,
  optionsOf,
  portOption,
  wholeOption,
} from "../../common/index.ts";
import type { Service, SocketService } from "../../service/index.ts";

/// <reference lib="esnext.disposable" preserve="true" />

/** Limits of a server. The limits of the service apply in addition. */
export interface NodeServerLimits {
  /** Time in milliseconds for a request's line and headers to arrive; default 10000. */
  readonly headTimeoutMs?: number;
  /** Time in milliseconds for a whole request to arrive; default 30000. */
  readonly requestTimeoutMs?: number;
  /** Request line and headers together, in bytes; default 16384. */
  readonly maxHeadBytes?: number;
  /**
   * How long an unused connection is kept, in milliseconds; default 65000, longer than the minute that load balancers
   * commonly use.
   */
  readonly keepAliveMs?: number;
  /**
   * How long a connection may make no progress while an answer is due, in milliseconds; then it is closed. The cause
   * may be that the peer does not read or that the service does not answer. Default 120000.
   */
  readonly stallMs?: number;
  /** Maximum number of connections. Further connections are closed immediately. Default 10000. */
  readonly maxConnections?: number;
  /** Number of connections that may wait to be accepted. The system may allow fewer. Default 2048. */
  readonly backlog?: number;
}

const limit = optionalOption(wholeOption({ from: 1 }));
const limitMs = optionalOption(wholeOption({ from: 1 }, " of milliseconds"));

/** Checks the limits of a server. */
export const limitsOption: OptionCheck = optionsOf<NodeServerLimits>({
  headTimeoutMs: limitMs,
  requestTimeoutMs: limitMs,
  maxHeadBytes: limit,
  keepAliveMs: limitMs,
  stallMs: limitMs,
  maxConnections: limit,
  backlog: limit,
});

/** Address and port of a server. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Checks an address to listen on. */
export const addressOption: OptionCheck = optionsOf<ListenAddress>({
  host: nameOption,
  port: wholeOption({ from: 0, to: 65_535 }),
});

/** How long open work may take in milliseconds when a server or mount ends. */
export const DEFAULT_GRACE_MS = 10_000;

/** Checks how long open work may take when a server or mount ends. */
export const graceOption: OptionCheck = optionsOf<Readonly<{ graceMs?: number }>>({
  graceMs: optionalOption(wholeOption({ from: 0 }, " of milliseconds")),
});

/** A server over node:http. */
export interface NodeServer extends AsyncDisposable {
  /** The server itself, for a host that attaches more to it. With front threads it receives no connections. */
  readonly server: Server;
  /** Returns the number of open connections, including those of front threads. */
  connections(): number;
  /** Starts listening; port 0 selects a free one. Rejects if the address is in use. */
  listen(address: ListenAddress): Promise<ListenAddress>;
  /**
   * Stops accepting connections, answers pending requests, and tells WebSocket clients that the service stops. Resolves
   * when every connection has ended. Work that is not done after `graceMs` (default 10000) is cut off. `await using`
   * closes the server at the end of a block.
   */
  close(options?: Readonly<{ graceMs?: number }>): Promise<void>;
}

const DEFAULTS: Required<NodeServerLimits> = {
  headTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxHeadBytes: 16_384,
  keepAliveMs: 65_000,
  stallMs: 120_000,
  maxConnections: 10_000,
  backlog: 2_048,
};

/** Returns the limits with their defaults. */
export function resolveLimits(limits: NodeServerLimits = {}): Required<NodeServerLimits> {
  return { ...DEFAULTS, ...limits };
}

/** Checks a service. */
export const serviceOption: OptionCheck = portOption<Pick<Service, "handle" | "reportTo">>(
  "Service (managed-orders/service)",
  { handle: "required", reportTo: "optional" },
);

/** Checks the WebSocket interface of a service. */
export const socketsOption: OptionCheck = portOption<SocketService>(
  "SocketService (`service.sockets`, managed-orders/service)",
  { admit: "required", connect: "required", shutdown: "required" },
);
