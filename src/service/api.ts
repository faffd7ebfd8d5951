import type { Engine } from "../engine/index.ts";
import type {
  Accounts,
  Clock,
  Entropy,
  Instruments,
  NativeOrders,
  RateLimiter,
  Rejections,
  Telemetry,
} from "../ports/index.ts";
import type { ReplayGuardOptions } from "../signing/index.ts";
import type { WireRequest, WireResponse } from "../wire/index.ts";
import type { SocketOptions, SocketService } from "./socket/api.ts";
import type { TrafficLimits } from "./traffic/api.ts";
import type { Traffic } from "./traffic/traffic.ts";

/** What the host offers beside; GET /api/status tells it. Each is false unless said. Source: contract, Status. */
export type HostFeatures = Readonly<{
  leveraged_trading?: boolean;
  dark_pool_mode?: boolean;
  bridge_required?: boolean;
}>;

/** Settings of a service. */
export type ServiceSettings = Readonly<{
  /** Told by GET /api/status. */
  features?: HostFeatures;
  /** Business errors of signed routes come with HTTP 200 in place of 400; default false (decision 37). */
  businessErrorsAs200?: boolean;
  /**
   * Last path segments that GET may serve, such as `orderStatus`; any other route answers like an unknown one.
   * Without a list every route is served (contract, Versioning; decision 44).
   */
  getAllowlist?: readonly string[];
  /** The same for POST. */
  postAllowlist?: readonly string[];
  /**
   * Web origins whose scripts may read replies and open WebSockets, such as `https://desk.example.com`, or `*` for every
   * one; default none. Credentials of the browser are never allowed (decision 47).
   */
  allowedOrigins?: readonly string[];
  /**
   * Proxies in front of the service, addresses or CIDR blocks of either family, whose X-Forwarded-For tells the address of
   * the client; default none, and the header is not read. Each of them must add the address of its own peer.
   */
  trustedProxies?: readonly string[];
}>;

/** What a service is made of. */
export type ServiceOptions = Readonly<{
  engine: Engine;
  accounts: Accounts;
  instruments: Instruments;
  clock: Clock;
  /** Makes request ids. */
  entropy: Entropy;
  rateLimiter: RateLimiter;
  /** The host's ordinary order flow; without it native orders and their history answer 404 -1020. */
  nativeOrders?: NativeOrders;
  /** Where early business rejections are kept; default {@link createRejectionBuffer}: 16 per account, in memory. */
  rejections?: Rejections;
  /** Limits of the replay guard; false turns it off (decision 41). */
  replayGuard?: ReplayGuardOptions | false;
  telemetry?: Telemetry;
  settings?: ServiceSettings;
  /** What strangers may hold at once: connections, and bytes of requests and answers. */
  traffic?: TrafficLimits;
  /**
   * Documents that GET shows to anybody, JSON text by path, such as `/openapi.json`: each is made when it is first asked
   * for, and weighs 20.
   */
  documents?: Readonly<Record<string, () => string>>;
  /** What the WebSocket interface takes beside; nothing of it is needed. */
  sockets?: SocketOptions;
}>;

/**
 * Largest body of any route, in bytes. A mount need not read further: one byte more is refused as too large.
 * Source: contract, Version 3 REST 3.
 */
export const MAX_BODY_BYTES = 32_768;

/** REST and WebSocket without a transport. */
export type Service = {
  /** Answers one request; a failure is an answer too. */
  handle(request: WireRequest): Promise<WireResponse>;
  /** The same orders, and the streams, by WebSocket. */
  readonly sockets: SocketService;
  /** What all its connections hold together: a mount counts by it, and by one of its own where there is none. */
  readonly traffic?: Traffic;
};
