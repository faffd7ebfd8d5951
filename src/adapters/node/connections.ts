import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { OrderError } from "../../errors/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { Holdings, TrafficGuest } from "../../service/index.ts";
import { MESSAGE_COST, type Traffic } from "../../service/internal.ts";
import type { WireResponse } from "../../wire/index.ts";
import { rawReply, refusal, sendLastReply } from "./refusals.ts";

/** Reverts the count of a connection. */
export type Leave = () => void;

/**
 * Counts what clients hold of a server: either the service's own {@link Traffic}, or in a front thread a stand-in for
 * the main thread's, which answers a moment later.
 */
export type TrafficGate = Readonly<
  Pick<Traffic, "networkOf" | "peerOf" | "arrivals" | "isProved"> & {
    /** The refusal of a connection above the limit of its address. */
    tooMany: OrderError;
    /**
     * Counts an opened connection. If its network is undefined, it is not counted for any network yet. Returns "full"
     * at the total limit, and undefined at the limit of its network.
     */
    open(network: string | undefined): Awaitable<Leave | "full" | undefined>;
    /**
     * Counts a request as a connection, because it came over a proxy's connection. Returns undefined at the limit of
     * its network.
     */
    enter(network: string): Awaitable<Leave | undefined>;
    guest(network: string, guest: TrafficGuest): Holdings;
  }
>;

/** Returns the gate of a service in the same thread. Node itself counts the total number of connections. */
export function gateOf(traffic: Traffic): TrafficGate {
  return {
    tooMany: traffic.tooMany,
    get arrivals() {
      return traffic.arrivals;
    },
    isProved: (network) => traffic.isProved(network),
    networkOf: (arrived) => traffic.networkOf(arrived),
    peerOf: (remoteAddress) => traffic.peerOf(remoteAddress),
    open: (network) => {
      traffic.arrived();
      return network === undefined ? () => undefined : traffic.enter(network);
    },
    enter: (network) => traffic.enter(network),
    guest: (network, guest) => traffic.guest(network, guest),
  };
}

/** Memory that Node needs for a request and its answer besides their bytes. */
export const REQUEST_COST: number = 32 * MESSAGE_COST;

/** Counts the requests of one connection by network: a proxy's connection carries requests of many clients. */
class HeldConnection {
  readonly #gate: TrafficGate;
  readonly #socket: Duplex;
  readonly #shared: Map<string, { readonly holdings: Holdings; requests: number }> = new Map();

  constructor(gate: TrafficGate, socket: Duplex) {
    this.#gate = gate;
    this.#socket = socket;
  }

  /** Starts counting a request of a network. */
  request(network: string, request: IncomingMessage): HeldRequest {
    const socket = this.#socket;
    const shared = this.#shared.get(network) ?? {
      holdings: this.#gate.guest(network, {
        unsentBytes: () => socket.writableLength,
        evict: () => socket.destroy(),
      }),
      requests: 0,
    };
    this.#shared.set(network, shared);
    shared.requests++;
    return new HeldRequest(shared.holdings, headBytes(request) + REQUEST_COST, () => {
      shared.requests--;
      if (shared.requests > 0) return;
      shared.holdings.end();
      this.#shared.delete(network);
    });
  }
}

/** Counts the bytes of one request, from its head to the end of its answer. */
export class HeldRequest {
  readonly #holdings: Holdings;
  readonly #ended: () => void;
  #unread = 0;
  #unanswered = 0;
  #unsent = 0;

  constructor(holdings: Holdings, bytes: number, ended: () => void) {
    this.#holdings = holdings;
    this.#ended = ended;
    this.arrived(bytes);
  }

  /** Counts further bytes of the request. */
  arrived(bytes: number): void {
    this.#unread += bytes;
    this.#holdings.hold("unread", bytes);
  }

  /** Counts the request as being answered from now on. */
  begun(): void {
    this.#unanswered = this.#unread;
    this.#unread = 0;
    this.#holdings.hold("unread", -this.#unanswered);
    this.#holdings.hold("unanswered", this.#unanswered);
  }

  /** Counts the bytes of the answer that goes out. */
  answered(bytes: number): void {
    this.#unsent = bytes;
    this.#holdings.hold("unsent", bytes);
  }

  /** Ends the count: the answer has gone out, or never will. */
  end(): void {
    this.#holdings.hold("unread", -this.#unread);
    this.#holdings.hold("unanswered", -this.#unanswered);
    this.#holdings.hold("unsent", -this.#unsent);
    this.#ended();
  }
}

function headBytes({ url = "", rawHeaders }: IncomingMessage): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** A set of open items that reports when the last of them has ended. */
export class OpenSet<T> {
  readonly #open: Set<T> = new Set();
  readonly #waiting: Set<() => void> = new Set();

  add(item: T): void {
    this.#open.add(item);
  }

  delete(item: T): void {
    this.#open.delete(item);
    if (this.#open.size > 0) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Resolves when nothing is open; immediately if nothing is. */
  async empty(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#open.values();
  }
}

/** Number of requests of one connection that may wait for their turn before reading from it stops. */
export const MOST_WAITING = 4;

/** Number of unanswered requests above which a connection is closed. A client that sends more at once is hostile. */
const MOST_UNANSWERED = 1_000;

/** Stops reading a connection, and resumes it. */
type Flow = Readonly<{ stop: () => void; resume: () => void }>;

/**
 * The flow of a connection that Node reads: a listener of "readable" stops it. Node resumes a connection that is only paused
 * after every request.
 */
function flowOf(socket: Duplex): Flow {
  const stopped = (): void => undefined;
  return {
    stop: () => void socket.on("readable", stopped),
    resume: () => void socket.off("readable", stopped),
  };
}

/**
 * One connection: the number of answers due, the steps that wait for them, the request that is arriving, and the
 * refusal that ends it.
 */
export type HttpConnection = {
  due: number;
  /** The newest request, of which the body may still arrive. */
  newest: IncomingMessage | undefined;
  flow: Flow;
  /** Resolves when the latest request has been answered. */
  last: Promise<void>;
  next: (() => void) | undefined;
  arriving: Readonly<{ request: IncomingMessage; abandon: (reason: Error) => void }> | undefined;
  refused: WireResponse | undefined;
  /**
   * Whether its last answer has been sent. No request after it is served: its answer would be lost (RFC 9112, 9.6).
   */
  closes: boolean;
  /** The network under which it was counted when it was opened. */
  network: string | undefined;
  /** Resolves when the connection has been counted, if that takes time. None of its requests is served before. */
  entering: Promise<void> | undefined;
  readonly held: HeldConnection;
  /**
   * Functions that end unanswered requests when the connection has ended. Node closes only the answer that is going
   * out.
   */
  readonly unanswered: Set<() => void>;
};

/** A request that was counted, and the conditions for serving it. */
type StartedRequest = Readonly<{
  connection: HttpConnection;
  /** Resolves when the requests before it on its connection have been answered. Undefined if there are none. */
  earlier: Promise<void> | undefined;
  /** Resolves when its answer has gone out or its connection has ended. */
  ended: Promise<void>;
  held: HeldRequest;
  /** The reason not to serve it, if there is one. */
  refused: Awaitable<WireResponse | undefined>;
}>;

/** A request that counts for its connection's network, and is not refused. */
const NO_ENTRY = { leave: (): void => undefined, refused: undefined };

/** Counts the connections of node:http servers and their requests. */
export class Connections {
  /** Counts what clients hold of the server. */
  readonly gate: TrafficGate;
  /** The answer to a connection above the limit of its address. */
  readonly tooMany: WireResponse;
  readonly #known: WeakMap<Duplex, HttpConnection> = new WeakMap();
  readonly #open: OpenSet<ServerResponse> = new OpenSet();

  constructor(gate: TrafficGate) {
    this.gate = gate;
    this.tooMany = refusal(gate.tooMany);
  }

  /** Resolves when every request has been answered. */
  idle(): Promise<void> {
    return this.#open.empty();
  }

  /** Cuts off everything that is not answered yet. */
  terminate(): void {
    for (const response of this.#open) response.destroy();
  }

  /** Returns the network under which a request is counted. */
  networkOf({ socket, rawHeaders }: IncomingMessage): string {
    return this.gate.networkOf({ remoteAddress: socket.remoteAddress ?? "", rawHeaders });
  }

  /** Returns the state of a connection, which begins with its first use. */
  of(socket: Duplex): HttpConnection {
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    const connection: HttpConnection = {
      due: 0,
      newest: undefined,
      flow: flowOf(socket),
      last: Promise.resolve(),
      next: undefined,
      arriving: undefined,
      refused: undefined,
      closes: false,
      network: undefined,
      entering: undefined,
      held: new HeldConnection(this.gate, socket),
      unanswered: new Set(),
    };
    this.#known.set(socket, connection);
    socket.once("close", () => {
      for (const end of [...connection.unanswered]) end();
    });
    return connection;
  }

  /**
   * Counts a connection for its peer before it sends anything. Above the limit the connection is refused and closed at
   * once.
   */
  opened(socket: Socket): void {
    const network = this.gate.peerOf(socket.remoteAddress ?? "");
    const connection = this.of(socket);
    connection.network = network;
    const entered = (entry: Leave | "full" | undefined): void => {
      // Requests may have arrived before the verdict.
      connection.closes = entry === "full" || entry === undefined;
      if (entry === "full") socket.destroy();
      else if (entry === undefined) socket.end(rawReply(this.tooMany), () => socket.destroy());
      else if (socket.destroyed) entry();
      else socket.on("close", entry);
    };
    const entry = this.gate.open(network);
    if (!(entry instanceof Promise)) return entered(entry);
    connection.entering = entry.then((one) => {
      entered(one);
      connection.entering = undefined;
    });
  }

  /** Resolves once a connection has been counted or refused. */
  async entered(socket: Duplex): Promise<void> {
    await this.#known.get(socket)?.entering;
  }

  /** Returns whether a connection was already counted under a network. */
  isCounted(socket: Duplex, network: string): boolean {
    return this.#known.get(socket)?.network === network;
  }

  /** Runs `next` once every request of a connection has been answered. */
  afterAnswers(socket: Duplex, next: () => void): void {
    const connection = this.of(socket);
    if (connection.due === 0) next();
    else connection.next = next;
  }

  /**
   * Counts a request. Requests of one connection are served in sequence, each after `earlier` has resolved, because
   * their answers go out in that order anyway. So a flooding client delays only itself (hostile input 53).
   */
  begin(request: IncomingMessage, response: ServerResponse): StartedRequest {
    const { socket } = request;
    const connection = this.of(socket);
    const network = this.networkOf(request);
    const { leave, refused } = this.#enter(connection, network);
    const earlier = connection.due > 0 ? connection.last : undefined;
    connection.due++;
    connection.newest = request;
    this.#open.add(response);
    const held = connection.held.request(network, request);
    const ended = new Promise<void>((resolve) => {
      const end = (): void => {
        if (!connection.unanswered.delete(end)) return;
        this.#open.delete(response);
        if (socket.destroyed) response.destroy();
        leave();
        held.end();
        answered(socket, connection);
        resolve();
      };
      connection.unanswered.add(end);
      response.on("close", end);
    });
    connection.last = ended;
    if (connection.due > MOST_UNANSWERED) socket.destroy();
    else if (connection.due === MOST_WAITING + 1) connection.flow.stop();
    return { connection, earlier, ended, held, refused };
  }

  /** Counts a request over the connection of another network, a proxy's, as a connection of its own client. */
  #enter(
    connection: HttpConnection,
    network: string,
  ): Readonly<{ leave: Leave; refused: Awaitable<WireResponse | undefined> }> {
    if (network === "" || connection.network === network) return NO_ENTRY;
    const entry = this.gate.enter(network);
    const refusedBy = (leave: Leave | undefined): WireResponse | undefined =>
      leave === undefined ? this.tooMany : undefined;
    if (!(entry instanceof Promise)) return { leave: entry ?? NO_ENTRY.leave, refused: refusedBy(entry) };
    return { leave: () => void entry.then((leave) => leave?.()), refused: entry.then(refusedBy) };
  }
}

/** Counts an answer, and takes the steps that waited for the last one due. */
function answered(socket: Duplex, connection: HttpConnection): void {
  connection.due--;
  const { due, refused, next } = connection;
  if (due === MOST_WAITING) connection.flow.resume();
  if (due > 0) return;
  if (refused !== undefined && socket.writable) sendLastReply(socket, refused);
  connection.next = undefined;
  next?.();
}
