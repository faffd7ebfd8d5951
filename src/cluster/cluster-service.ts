import { type OptionCheck, optionalOption, optionsOf, portOption, wholeOption } from "../common/index.ts";
import {
  checkedAccounts,
  checkedClock,
  checkedEntropy,
  checkedRateLimiter,
  Questions,
  QuietTelemetry,
} from "../host-answers/index.ts";
import type { Accounts, Clock, Entropy, RateLimiter, RateLimits, Telemetry } from "../ports/index.ts";
import { accountsOption, clockOption, entropyOption, rateLimiterOption } from "../ports/internal.ts";
import type {
  Front,
  Service,
  ServiceSettings,
  SocketOptions,
  SocketService,
  TrafficLimits,
} from "../service/index.ts";
import {
  ENTRY_CHECKS,
  type EntryParts,
  entryOf,
  type ForwardedMessage,
  type NodeShare,
  receive,
  type SessionParts,
  type ShardElsewhere,
  Sockets,
  sessionPartsOf,
  Traffic,
} from "../service/internal.ts";
import type { WireRequest, WireResponse } from "../wire/index.ts";
import { ClusterAnswers } from "./cluster-answers.ts";
import { Forwarder, type ForwarderParts } from "./forwarder.ts";
import type {
  ForwardedRequest,
  OpenedStream,
  PeerAnswer,
  PeerReceiver,
  PeerRefusal,
  PeerSender,
  PeerSink,
  ShardOwners,
} from "./peers/api.ts";
import { endingOnce, ShardWatch } from "./shard-watch.ts";

/** Optional parts of the WebSocket interface of a node. */
export type NodeSocketOptions = Omit<SocketOptions, "accountEvents">;

/** Dependencies and settings of the service of one node of a cluster. */
export interface ClusterServiceOptions {
  /** What the node knows of the owners of shards: the node that `openNode` has opened. */
  readonly standby: ShardOwners;
  /** Asked for the account of a key, to find the owner of its shard. */
  readonly accounts: Accounts;
  readonly clock: Clock;
  /** Generates request ids of refusals. */
  readonly entropy: Entropy;
  /** Weighs the requests of this node's clients. The service of this node has the same one. */
  readonly rateLimiter: RateLimiter;
  /** Reaches the other nodes, such as {@link createPeerLink}. Without it, requests for them are refused. */
  readonly peers?: PeerSender;
  readonly telemetry?: Telemetry;
  /** The settings of the service of this node. */
  readonly settings?: ServiceSettings;
  readonly traffic?: TrafficLimits;
  /** The documents of the service of this node, which every node answers itself. */
  readonly documents?: Readonly<Record<string, () => string>>;
  /** WebSocket settings of the service of this node. `requestToken` leads to the owner of a token's account. */
  readonly sockets?: NodeSocketOptions;
  /**
   * Time in milliseconds to wait for the answer of another node, and for one of the host; default 10000. A forwarded
   * request is not executed after it.
   */
  readonly waitMs?: number;
}

/**
 * The service of a node: it answers requests for its own shards, and passes the others on to their owners. Which shards are
 * its own may change at any time.
 */
export interface ClusterService extends PeerReceiver {
  /** Answers one request of a client, like {@link Service}. */
  handle(request: WireRequest, front?: Front): Promise<WireResponse>;
  /**
   * WebSocket for requests, which are answered by the owners of their accounts like those of `handle`, and public streams of
   * this node's own service. While it has none, upgrades to public streams are refused with 503 -1001.
   */
  readonly sockets: SocketService;
  /** What the clients of this node hold. Pass it to `createService` as `traffic`. */
  readonly traffic: Traffic;
  /**
   * Answers the requests for the shards of this node with its service, from now on, and those that are about no account,
   * because every engine has the market. Throws a TypeError for none.
   */
  serve(service: Service): void;
  /** Like that of {@link Service}. */
  reportTo(telemetry: Telemetry): () => void;
}

const ownersOption: OptionCheck = portOption<ShardOwners>("ClusterNode (managed-orders/cluster)", {
  ...{ ownerOf: "required", readOwners: "required", status: "required" },
});

const peersOption: OptionCheck = portOption<PeerSender>("PeerSender (managed-orders/cluster)", {
  ...{ send: "required", subscribe: "optional" },
});

const servedOption: OptionCheck = portOption<Required<Pick<Service, "handle" | "forNode">>>(
  "Service (managed-orders/service)",
  { handle: "required", forNode: "required" },
);

const DEFAULT_WAIT_MS = 10_000;

const clusterServiceOption: OptionCheck = optionsOf<ClusterServiceOptions>({
  standby: ownersOption,
  accounts: accountsOption,
  clock: clockOption,
  entropy: entropyOption,
  rateLimiter: rateLimiterOption,
  peers: optionalOption(peersOption),
  ...ENTRY_CHECKS,
  waitMs: optionalOption(wholeOption({ from: 1, to: 600_000 }, " of milliseconds")),
});

/** The parts that receive requests, before and beside the service of this node. */
type NodeParts = Omit<EntryParts, "rateLimiter"> &
  Readonly<{
    owners: ShardOwners;
    telemetry: QuietTelemetry;
    rateLimiter: NodeRateLimiter;
    waitMs: number;
  }>;

/** The way to the other nodes. */
type Reach = Pick<ForwarderParts, "accounts" | "peers"> &
  Readonly<{ traffic: Traffic; sockets: NodeSocketOptions }>;

/** A telemetry that is told of problems, of the service too as soon as there is one. */
type Receiver = { readonly telemetry: Telemetry; end: (() => void) | undefined };

const answerOf = (answer: WireResponse | ShardElsewhere): PeerAnswer =>
  "elsewhere" in answer
    ? { kind: "refused", reason: "ELSEWHERE", shard: answer.elsewhere }
    : { kind: "reply", response: answer };

const messageOf = ({ remoteAddress, body, ...told }: ForwardedRequest): ForwardedMessage => ({
  ...{
    target: told.target,
    usedWeight: told.usedWeight,
    expiresAtMs: told.expiresAtMs,
    address: remoteAddress,
  },
  text: new TextDecoder().decode(body),
});

/** A node's service, its own one as soon as it has one, and the way to the others. */
class NodeService implements ClusterService {
  readonly traffic: Traffic;
  readonly sockets: Sockets;
  readonly #parts: NodeParts;
  readonly #forwarder: Forwarder;
  readonly #watch: ShardWatch;
  readonly #receivers: Map<object, Receiver> = new Map();
  #own: Service | undefined;
  #share: NodeShare | undefined;

  constructor(parts: NodeParts, reach: Reach) {
    this.#parts = parts;
    this.traffic = reach.traffic;
    this.#forwarder = new Forwarder({
      ...parts,
      ...reach,
      here: (request) => this.receive(request),
      serves: () => this.#share !== undefined,
    });
    this.#watch = new ShardWatch(parts.owners, parts.clock);
    const sessions = this.#sessionParts(reach);
    this.sockets = new Sockets(() => sessions, reach.sockets.settings);
  }

  async handle(arrived: WireRequest, front?: Front): Promise<WireResponse> {
    const share = this.#share;
    const forwarder = this.#forwarder;
    if (share !== undefined) return await share.handle(arrived, { front, forwarder });
    return await receive(this.#parts, arrived, (routed) => forwarder.forward(routed));
  }

  async receive(request: ForwardedRequest): Promise<PeerAnswer> {
    const reason = this.#objection(request);
    const share = this.#share;
    if (reason !== undefined || share === undefined)
      return { kind: "refused", reason: reason ?? "ELSEWHERE" };
    const { form } = request;
    if (form === "REST") return answerOf(await share.handleForwarded(request, request));
    if (form !== "MESSAGE") return { kind: "refused", reason: "MALFORMED" };
    const reply = await share.message(messageOf(request));
    return answerOf("elsewhere" in reply ? reply : { status: 200, headers: {}, body: reply.text });
  }

  async subscribe(request: ForwardedRequest, to: PeerSink): Promise<PeerAnswer | OpenedStream> {
    const reason = this.#objection(request);
    const share = this.#share;
    if (reason !== undefined || share === undefined)
      return { kind: "refused", reason: reason ?? "ELSEWHERE" };
    const ending = endingOnce({ send: (event) => to.event(event), ended: () => to.ended() });
    const reply = await share.message(messageOf(request), ending.sink);
    if ("elsewhere" in reply) return answerOf(reply);
    const { stream, text: body } = reply;
    if (stream === undefined) return answerOf({ status: 400, headers: {}, body });
    const unwatch = this.#watch.watch(
      { accountId: stream.accountId, incarnation: request.incarnation, isSelf: true },
      () => {
        stream.end();
        ending.sink.ended("moved");
      },
    );
    ending.atEnd(unwatch);
    const end = (): void => {
      unwatch();
      stream.end();
    };
    return { kind: "stream", response: { status: 200, headers: {}, body }, start: stream.start, end };
  }

  serve(service: Service): void {
    servedOption(service, "serve.service");
    const { owners } = this.#parts;
    this.#own = service;
    this.#share = service.forNode?.((shard) => owners.ownerOf(shard)?.isSelf === true);
    this.#parts.rateLimiter.use(this.#share?.rateLimiter);
    this.sockets.serve(service.sockets);
    for (const receiver of this.#receivers.values()) receiver.end = service.reportTo?.(receiver.telemetry);
  }

  reportTo(telemetry: Telemetry): () => void {
    const key = {};
    const end = this.#parts.telemetry.reportTo(telemetry);
    this.#receivers.set(key, { telemetry, end: this.#own?.reportTo?.(telemetry) });
    return () => {
      end();
      this.#receivers.get(key)?.end?.();
      this.#receivers.delete(key);
    };
  }

  /** Returns why a request of another node must not be executed. */
  #objection({ incarnation, expiresAtMs }: ForwardedRequest): PeerRefusal | undefined {
    const { owners, clock, waitMs } = this.#parts;
    if (incarnation !== owners.status().incarnation) return "WRONG_NODE";
    const leftMs = expiresAtMs - clock.nowMs();
    // Twice the wait leaves room for clocks that are apart, and for nodes with another setting.
    if (leftMs < 0 || leftMs > 2 * waitMs) return "EXPIRED";
    return this.#share === undefined ? "ELSEWHERE" : undefined;
  }

  #sessionParts({ accounts, peers, sockets }: Reach): SessionParts {
    return sessionPartsOf(
      this.#parts,
      sockets,
      ({ maxWaitingEventBytes: maxWaitingBytes }) =>
        new ClusterAnswers({
          ...{ forwarder: this.#forwarder, accounts, peers, watch: this.#watch, maxWaitingBytes },
          ...{ requestToken: sockets.requestToken, own: () => this.#share?.answers },
        }),
    );
  }
}

/**
 * Creates the service of one node of a cluster. It weighs the requests of its clients and forwards them to the owner of
 * their shard, and once `serve` was called it answers those for its own shards itself. A node may serve from the start,
 * whether or not it owns shards. An answer that is lost after a write was handed over is 500 -1006, everything else that
 * cannot be delivered 503 -1001. Throws a TypeError or RangeError that names an option that is missing, unknown, of the
 * wrong type or out of range.
 *
 * @example
 * ```ts
 * import { type ClusterNode, createClusterService, type PeerLink } from "managed-orders/cluster";
 * import { createNodeServer, type NodeServer } from "managed-orders/node";
 * import { createService, type ServiceOptions } from "managed-orders/service";
 * const serve = async (
 *   node: ClusterNode,
 *   link: PeerLink,
 *   parts: Omit<ServiceOptions, "engine" | "traffic">,
 * ): Promise<NodeServer> => {
 *   const { accounts, clock, entropy, rateLimiter } = parts;
 *   const service = createClusterService({ standby: node, accounts, clock, entropy, rateLimiter, peers: link });
 *   service.serve(createService({ ...parts, engine: node.engine, traffic: service.traffic }));
 *   link.serve(service);
 *   const server = createNodeServer({ service, sockets: service.sockets });
 *   await server.listen({ host: "0.0.0.0", port: 8080 });
 *   return server;
 * };
 * ```
 */
export function createClusterService(given: ClusterServiceOptions): ClusterService {
  clusterServiceOption(given, "createClusterService");
  const { standby, peers, settings = {}, sockets = {}, documents, waitMs = DEFAULT_WAIT_MS } = given;
  const telemetry = new QuietTelemetry(given.telemetry);
  const clock = checkedClock(given.clock, telemetry);
  const questions = new Questions({ clock, telemetry, timeoutMs: waitMs });
  const traffic = new Traffic(given.traffic, settings.trustedProxies);
  const accounts = checkedAccounts(given.accounts, questions);
  const parts: NodeParts = {
    ...entryOf({ settings, traffic, documents, clock }),
    ...{ clock, telemetry, owners: standby, waitMs },
    entropy: checkedEntropy(given.entropy, questions),
    rateLimiter: new NodeRateLimiter(checkedRateLimiter(given.rateLimiter, questions)),
  };
  return new NodeService(parts, { traffic, accounts, peers, sockets });
}

/** The part of a rate limiter that counts requests of addresses. */
type Weigher = Pick<RateLimiter, "limits" | "weigh" | "connect">;

/** Weighs with the rate limiter of a node, and from the time at which it has a service, with that of the service. */
class NodeRateLimiter implements Weigher {
  #used: Weigher;

  constructor(first: Weigher) {
    this.#used = first;
  }

  /** Weighs with this one from now on. */
  use(next: Weigher = this.#used): void {
    this.#used = next;
  }

  get limits(): RateLimits | undefined {
    return this.#used.limits;
  }

  weigh(request: Parameters<Weigher["weigh"]>[0]): ReturnType<Weigher["weigh"]> {
    return this.#used.weigh(request);
  }

  connect(
    request: Parameters<NonNullable<Weigher["connect"]>>[0],
  ): ReturnType<NonNullable<Weigher["connect"]>> {
    return this.#used.connect?.(request) ?? {};
  }
}
