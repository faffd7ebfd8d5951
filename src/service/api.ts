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
import type { Front } from "./access/front-work.ts";
import type { ServiceSettings } from "./rest/api.ts";
import type { SocketOptions, SocketService } from "./socket/api.ts";
import type { TrafficLimits } from "./traffic/api.ts";
import type { Traffic } from "./traffic/traffic.ts";

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

/** REST and WebSocket without a transport. */
export type Service = {
  /** Answers one request; a failure is an answer too. `front` is the front thread that it came through, if it did. */
  handle(request: WireRequest, front?: Front): Promise<WireResponse>;
  /** The same orders, and the streams, by WebSocket. */
  readonly sockets: SocketService;
  /** What all its connections hold together: a mount counts by it, and by one of its own where there is none. */
  readonly traffic?: Traffic;
};
