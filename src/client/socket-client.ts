import { findSocketClass } from "#socket";
import {
  functionOption,
  type OptionChecks,
  optionalOption,
  optionsOf,
  wholeOption,
} from "../common/index.ts";
import {
  type EmptyReply,
  list,
  members,
  object,
  type Reader,
  SUBSCRIBED,
  SUBSCRIPTION,
  type SubscribedReply,
  type SubscriptionReply,
} from "../replies/index.ts";
import { type RequestParameters, signSocketParameters } from "../signing/index.ts";
import type { ActorParameters, CallOptions } from "./api.ts";
import { type Call, Caller, type CallerSettings } from "./caller.ts";
import type { Redact } from "./errors.ts";
import type { Platform } from "./http.ts";
import { interpretValue } from "./replies.ts";
import { CLIENT_ROUTES, type Client, type Route } from "./routes.ts";
import { type ClientOptions, clientChecks, type Prepared, prepared } from "./settings.ts";
import { type Members, type SocketClass, SocketLink } from "./socket.ts";
import { readsOf, type SharedMethod, sharedMethods } from "./writes.ts";

/** Options of {@link createSocketClient}. */
export interface SocketClientOptions extends ClientOptions {
  /** The class of the connection; default that of the platform, on Node.js 20 that of the package `ws`. */
  readonly WebSocket?: SocketClass;
  /**
   * Maximum number of requests that wait for their replies at the same time; default 500. Further requests are refused.
   */
  readonly maxInFlight?: number;
}

/**
 * A client of the private WebSocket. It connects when the first request is sent. After a lost connection, it connects
 * again when the next request is sent, without the subscriptions of the lost one. A placement or cancel whose connection is lost rejects with an
 * `UncertainOutcome`, which looks the outcome up over REST.
 */
export interface SocketClient extends SocketRequests {
  /** Calls a function with each message that is not a reply. The returned function unsubscribes it. */
  onMessage(listener: (message: Readonly<Record<string, unknown>>) => void): () => void;
  /** Ends the connection permanently. */
  close(): void;
}

/** Checks of the options that every function with a connection takes. */
export const socketChecks = (): OptionChecks<SocketClientOptions> => ({
  ...clientChecks(),
  WebSocket: optionalOption(functionOption("creates a connection to an address")),
  maxInFlight: optionalOption(wholeOption({ from: 1 })),
});

const OPTIONS = /* @__PURE__ */ (() => optionsOf<SocketClientOptions>(socketChecks()))();

/** A connection and what calls over it. */
export type SocketWorks = Readonly<{ link: SocketLink; caller: SocketCaller }> & Prepared;

/** Makes the parts of a connection from checked options. `path` is that of the connection. */
export function socketWorks(
  { WebSocket, maxInFlight, ...options }: SocketClientOptions,
  { name, path }: Readonly<{ name: string; path: string }>,
): SocketWorks {
  const made = prepared(options, name);
  const { settings, platform, redact } = made;
  const parts = {
    url: `${settings.baseUrl.replace(/^http/, "ws")}${path}`,
    findSocketClass: WebSocket === undefined ? findSocketClass : async () => WebSocket,
    clock: platform.clock,
    maxReplyBytes: settings.maxReplyBytes,
    timeoutMs: settings.timeoutMs,
    redact,
  };
  const link = new SocketLink(parts, maxInFlight ?? 500);
  return { ...made, link, caller: new SocketCaller(link, made) };
}

/** Path of the private WebSocket. The rate limits in replies would only take space. */
export const PRIVATE_PATH = "/ws/listenKey?returnRateLimits=false";

/**
 * Creates a client of the private WebSocket. It sends nothing by itself. Throws a TypeError for an option that cannot be
 * used.
 *
 * @example
 * ```ts
 * import { createSocketClient } from "managed-orders/client";
 * const socket = createSocketClient({ baseUrl: "http://127.0.0.1:8080", apiKey: "key", secret: "secret" });
 * export async function openCount(): Promise<number> {
 *   const { total } = await socket.openOrders();
 *   return total;
 * }
 * ```
 */
export function createSocketClient(options: SocketClientOptions): SocketClient {
  OPTIONS(options, "createSocketClient");
  const { link, caller } = socketWorks(options, { name: "createSocketClient", path: PRIVATE_PATH });
  const reads = readsOf(caller);
  return Object.freeze<SocketClient>({
    ...sharedMethods({ caller, checks: options.checks }, SOCKET_ROUTES),
    subscribe: reads(SOCKET_ROUTES.subscribe),
    subscribeByToken: reads(SOCKET_ROUTES.subscribeByToken),
    unsubscribe: reads(SOCKET_ROUTES.unsubscribe),
    subscriptions: (callOptions) => reads(SOCKET_ROUTES.subscriptions)({}, callOptions),
    onMessage: (listener) => link.onMessage(listener),
    close: () => link.close(),
  });
}

/** Requests over one WebSocket connection. Errors are those of {@link Client}. */
export interface SocketRequests extends Pick<Client, SharedMethod> {
  /** Subscribes this connection to the events of an account. */
  subscribe(parameters?: ActorParameters, options?: CallOptions): Promise<SubscribedReply>;
  /** Subscribes this connection to the events of an account with a session token of the host, without a key. */
  subscribeByToken(
    parameters: Readonly<{ requestToken: string }>,
    options?: CallOptions,
  ): Promise<SubscribedReply>;
  /** Ends one subscription of this connection, or all of them. */
  unsubscribe(parameters?: Readonly<{ subscriptionId?: number }>, options?: CallOptions): Promise<EmptyReply>;
  /** Reads the subscriptions of this connection. */
  subscriptions(options?: CallOptions): Promise<readonly SubscriptionReply[]>;
}

/** A route that is called by a method of the private WebSocket. */
type SocketRoute<Reply> = Route<Reply> & Readonly<{ method: string }>;

const over = <T>(route: Route<T>, method: string): SocketRoute<T> => ({ ...route, method });

/** An act of the connection itself. Sent once: a subscription that is asked for twice is refused. */
const act = <T>(method: string, read: Reader<T>, scheme: "NONE" | "V3" = "NONE"): SocketRoute<T> => ({
  ...{ verb: "GET", path: "", access: "TRADE", scheme, read, method },
});

const subscribed = /* @__PURE__ */ object(SUBSCRIBED);

/** Every method of the private WebSocket by the name that it has in the client. Source: contract, WebSocket. */
export const SOCKET_ROUTES: {
  readonly [Method in keyof SocketRequests]: SocketRoute<Awaited<ReturnType<SocketRequests[Method]>>>;
} = /* @__PURE__ */ (() => ({
  placeOrder: over(CLIENT_ROUTES.placeOrder, "order.place"),
  order: over(CLIENT_ROUTES.order, "order.status"),
  cancelOrder: over(CLIENT_ROUTES.cancelOrder, "order.cancel"),
  amendOrder: over(CLIENT_ROUTES.amendOrder, "order.amend"),
  replaceOrder: over(CLIENT_ROUTES.replaceOrder, "order.cancelReplace"),
  nativeOrders: over(CLIENT_ROUTES.nativeOrders, "allOrders"),
  openOrders: over(CLIENT_ROUTES.openOrders, "openOrders.status"),
  cancelOpenOrders: over(CLIENT_ROUTES.cancelOpenOrders, "openOrders.cancelAll"),
  placeOco: over(CLIENT_ROUTES.placeOco, "orderList.place.oco"),
  placeOto: over(CLIENT_ROUTES.placeOto, "orderList.place.oto"),
  placeOtoco: over(CLIENT_ROUTES.placeOtoco, "orderList.place.otoco"),
  placeBracket: over(CLIENT_ROUTES.placeBracket, "orderList.place.bracket"),
  placeOca: over(CLIENT_ROUTES.placeOca, "orderList.place.oca"),
  orderList: over(CLIENT_ROUTES.orderList, "orderList.status"),
  cancelOrderList: over(CLIENT_ROUTES.cancelOrderList, "orderList.cancel"),
  openOrderLists: over(CLIENT_ROUTES.openOrderLists, "openOrderLists.status"),
  allOrderLists: over(CLIENT_ROUTES.allOrderLists, "allOrderLists"),
  subscribe: act("userDataStream.subscribe.signature", subscribed, "V3"),
  subscribeByToken: act("SUBSCRIBE", subscribed),
  unsubscribe: act("userDataStream.unsubscribe", members as Reader<EmptyReply>),
  subscriptions: act("session.subscriptions", list(object(SUBSCRIPTION))),
}))();

/** What a caller is made of. */
type CallerParts = Readonly<{ settings: CallerSettings; platform: Platform; redact: Redact }>;

/**
 * Calls routes over a WebSocket connection. A route without a method of its own goes by REST: the server's clock, and
 * the look-ups of an uncertain outcome, which must not depend on the connection that was lost.
 */
export class SocketCaller extends Caller {
  readonly #link: SocketLink;

  constructor(link: SocketLink, { settings, platform, redact }: CallerParts) {
    super(settings, platform, redact);
    this.#link = link;
  }

  protected override async send<T>(call: Call<T>): Promise<T> {
    const { route, parameters, options, onSend } = call;
    if (!("method" in route)) return await super.send(call);
    const { method, scheme } = route as SocketRoute<T>;
    const { timeoutMs = this.settings.timeoutMs, signal } = options;
    const params = (): RequestParameters => {
      const nowMs = this.serverClock.nowMs();
      const made = scheme === "NONE" ? parameters : this.#signedParameters(parameters, nowMs);
      onSend?.(nowMs);
      return made;
    };
    const reply = await this.#link.request({ method, params }, { timeoutMs, signal });
    const { status, error, result } = reply;
    const head = { status: typeof status === "number" ? status : 0, ...waitIn(error) };
    return interpretValue(error ?? result, head, route.read, this.redact);
  }

  #signedParameters(parameters: RequestParameters, nowMs: number): RequestParameters {
    const { apiKey, secret } = this.requireCredentials();
    const stamp = this.stamps.next(nowMs, this.settings.recvWindowMs);
    return signSocketParameters({ secret, parameters: { ...parameters, apiKey, ...stamp } });
  }
}

/** Returns the wait that a refusal demands. */
function waitIn(error: unknown): Readonly<{ retryAfterMs?: number }> {
  const data = (error as Members | undefined)?.data;
  const { serverTime, retryAfter } = (data ?? {}) as Members;
  if (typeof serverTime !== "number" || typeof retryAfter !== "number") return {};
  return { retryAfterMs: Math.max(0, retryAfter - serverTime) };
}
