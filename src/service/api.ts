import type { Engine } from "../engine/index.ts";
import type {
  Accounts,
  Balances,
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
import type { Arrival, ShardElsewhere } from "./rest/rest-service.ts";
import type { MessageAnswers, StreamSink } from "./socket/answers.ts";
import type { SocketOptions, SocketService } from "./socket/api.ts";
import type { ForwardedMessage, ForwardedReply } from "./socket/forwarded-messages.ts";
import type { TrafficLimits } from "./traffic/api.ts";
import type { Traffic } from "./traffic/traffic.ts";

/** Dependencies and settings of a service. */
export interface ServiceOptions {
  readonly engine: Engine;
  readonly accounts: Accounts;
  readonly instruments: Instruments;
  readonly clock: Clock;
  /** Generates request ids. */
  readonly entropy: Entropy;
  readonly rateLimiter: RateLimiter;
  /** The host's ordinary order flow; without it native orders and their history answer 404 -1020. */
  readonly nativeOrders?: NativeOrders;
  /** Balances of the accounts; without them GET /compat/api/v3/account answers 404 -1020. */
  readonly balances?: Balances;
  /** Store of early business rejections; default {@link createRejectionBuffer}: 16 per account, in memory. */
  readonly rejections?: Rejections;
  /** Limits of the replay guard; `false` turns it off (decision 41). */
  readonly replayGuard?: ReplayGuardOptions | false;
  readonly telemetry?: Telemetry;
  readonly settings?: ServiceSettings;
  /**
   * Limits on what clients may hold at once: connections, and bytes of requests and answers. In a cluster, `traffic` of
   * the node's {@link createClusterService}, which counts what its clients hold before and after a takeover.
   */
  readonly traffic?: TrafficLimits | Traffic;
  /**
   * Documents that GET serves without authentication, as JSON text by path, such as `/openapi.json`. Each is made on
   * its first request and has weight 20.
   */
  readonly documents?: Readonly<Record<string, () => string>>;
  /** Optional settings of the WebSocket interface. */
  readonly sockets?: SocketOptions;
}

/**
 * The service of one node of a cluster: it executes nothing for accounts of the shards of other nodes.
 *
 * @internal
 */
export interface NodeShare {
  /**
   * Answers one request of a client, like that of {@link Service}. A request that is allowed, but about an account of
   * another node, goes to `elsewhere` after it was weighed.
   */
  handle(request: WireRequest, arrival: Arrival): Promise<WireResponse>;
  /**
   * Answers one request that another node has received, weighed and sealed. `remoteAddress` is the client's, and
   * X-Forwarded-For is not read. `usedWeight` goes into the headers of the reply, and after `expiresAtMs` nothing is
   * decided. Returns the shard of an account that this node does not own.
   */
  handleForwarded(
    request: WireRequest,
    told: Readonly<{ usedWeight: number; expiresAtMs: number }>,
  ): Promise<WireResponse | ShardElsewhere>;
  /** Answers the messages of this node's own connections. Throws as soon as an account turns out to be elsewhere. */
  readonly answers: MessageAnswers;
  /** Answers one message that another node has received, and opens the stream that it asks for if there is a sink. */
  message(message: ForwardedMessage, sink?: StreamSink): Promise<ForwardedReply | ShardElsewhere>;
  /** The rate limiter of the service. */
  readonly rateLimiter: RateLimiter;
}

/** REST and WebSocket without a transport. */
export interface Service {
  /**
   * Answers one request. A failure is also returned as a response. `front` is the front thread that the request came
   * through, if any.
   */
  handle(request: WireRequest, front?: Front): Promise<WireResponse>;
  /**
   * Returns the service as a node of a cluster uses it. `owns` says whether the node owns a shard. `createClusterService`
   * calls it.
   *
   * @internal
   */
  forNode?(owns: (shard: number) => boolean): NodeShare;
  /** Paths of the documents that the service serves besides its routes below `/api/`. */
  readonly documents?: readonly string[];
  /** The same orders over WebSocket, and the streams. */
  readonly sockets: SocketService;
  /**
   * The bytes and connections that all clients of the service hold together. A mount counts with it, or with one of its
   * own if it is missing.
   */
  readonly traffic?: Traffic;
  /**
   * Reports warnings and errors of the service, and of its engine, to a telemetry if they have none of their own, until
   * the returned function is called. A mount passes its own telemetry. Of several telemetries the first is told.
   */
  reportTo?(telemetry: Telemetry): () => void;
}
