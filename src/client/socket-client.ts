import { findSocketClass } from "#socket";
import {
  functionOption,
  type OptionChecks,
  optionalOption,
  optionsOf,
  wholeOption,
} from "../common/index.ts";
import { readsOf, sharedMethods } from "./outcome/shared-methods.ts";
import { type ClientOptions, clientChecks, type Prepared, prepared } from "./settings.ts";
import { SocketLink } from "./socket/link.ts";
import { SOCKET_ROUTES, type SocketRequests } from "./socket/methods.ts";
import { SocketCaller } from "./socket/socket-caller.ts";
import type { SocketClass } from "./socket/socket-like.ts";

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
