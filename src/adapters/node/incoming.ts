import type { IncomingMessage } from "node:http";
import { isSocketTarget, REST_PATHS } from "../../service/internal.ts";
import type { WireRequest } from "../../wire/index.ts";

/** Returns a request as it was received, with its target below the host's prefix and its body. */
export function wireRequestOf(request: IncomingMessage, target: string, body: Uint8Array): WireRequest {
  return {
    method: request.method ?? "",
    target,
    rawHeaders: request.rawHeaders,
    body,
    remoteAddress: request.socket.remoteAddress ?? "",
  };
}

/** Number of names and values of headers that Node keeps, unless a server has a number of its own. */
const RETAINED_HEADERS = 2_000;

type WithServer = Readonly<{ server?: Readonly<{ maxHeadersCount?: number | null }> }>;

/**
 * Returns whether Node may have left out headers at the end of a head, which it does not tell. The address that a proxy has
 * appended could be among them, and so could a second copy of a header that may come once.
 */
export function mayLackHeaders({ rawHeaders, socket }: IncomingMessage): boolean {
  const { maxHeadersCount } = (socket as WithServer).server ?? {};
  const most = typeof maxHeadersCount === "number" ? 2 * maxHeadersCount : RETAINED_HEADERS;
  return most > 0 && rawHeaders.length >= most;
}

/** Returns whether an upgrade request asks for a WebSocket, and not for another version of HTTP. */
export function requestsUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

/** What Express and connect add to a request. They remove the path of a middleware from `url`. */
type RoutedRequest = IncomingMessage & Readonly<{ originalUrl?: unknown }>;

/** Location of a service in a host's server. */
type ServicePathsOptions = Readonly<{
  /** A path of the host in front of the service's paths. */
  prefix?: string | undefined;
  /** Paths of the service's documents. */
  documents?: readonly string[] | undefined;
}>;

/** Returns whether a text is a prefix: empty, or a path without a trailing slash. */
export function isPrefix(text: string): boolean {
  return /^(?:\/[^/?#]+)*$/.test(text);
}

/** The paths of a service in a host's server. */
export class ServicePaths {
  readonly prefix: string;
  readonly documents: readonly string[];

  constructor({ prefix = "", documents = [] }: ServicePathsOptions = {}) {
    this.prefix = prefix;
    this.documents = documents;
  }

  /**
   * Returns the raw target of a request without the host's prefix. If a framework has removed a path, that is the
   * original target if it is the service's, or else the one that the framework left.
   */
  target(request: RoutedRequest): string {
    const { url = "", originalUrl } = request;
    if (typeof originalUrl !== "string") return this.#withoutPrefix(url);
    const original = this.#withoutPrefix(originalUrl);
    return this.#isRest(original) ? original : this.#withoutPrefix(url);
  }

  /** Returns whether the path of a request is one of the service's, known or not. */
  has(request: IncomingMessage): boolean {
    return this.#isRest(this.target(request));
  }

  /** Returns whether a path in the host's server is one of the service's. */
  hasPath(path: string): boolean {
    return this.#isRest(this.#withoutPrefix(path));
  }

  /** Returns whether a request asks for a WebSocket at a path of the service, below the host's prefix. */
  hasSocket(request: IncomingMessage): boolean {
    const isBelow = request.url?.startsWith(`${this.prefix}/`) === true;
    return isBelow && requestsUpgrade(request) && isSocketTarget(this.target(request));
  }

  #withoutPrefix(target: string): string {
    const { prefix } = this;
    return prefix !== "" && target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target;
  }

  #isRest(target: string): boolean {
    return REST_PATHS.some((path) => target.startsWith(path)) || this.documents.includes(pathOf(target));
  }
}

const pathOf = (target: string): string => target.split("?", 1)[0] ?? "";
