import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Awaitable } from "../../ports/index.ts";
import type { WireResponse } from "../../wire/index.ts";
import type { Leave, TrafficGate } from "./gate.ts";
import { HeldConnection, type HeldRequest } from "./held-request.ts";
import { sendLastReply } from "./last-reply.ts";
import { OpenSet } from "./open-set.ts";
import { rawReply, refusal } from "./refusals.ts";
import type { AbandonRequest } from "./request-body.ts";

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
  arriving: Readonly<{ request: IncomingMessage; abandon: AbandonRequest }> | undefined;
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
export type StartedRequest = Readonly<{
  connection: HttpConnection;
  /** Resolves when the requests before it on its connection have been answered. Undefined if there are none. */
  earlier: Promise<void> | undefined;
  /** Resolves when its answer has gone out or its connection has ended. */
  ended: Promise<void>;
  held: HeldRequest;
  /** The reason not to serve it, if there is one. */
  refused: Awaitable<WireResponse | undefined>;
}>;

const NOTHING: Leave = () => undefined;

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
    if (network === "" || connection.network === network) return { leave: NOTHING, refused: undefined };
    const entry = this.gate.enter(network);
    const refusedBy = (leave: Leave | undefined): WireResponse | undefined =>
      leave === undefined ? this.tooMany : undefined;
    if (!(entry instanceof Promise)) return { leave: entry ?? NOTHING, refused: refusedBy(entry) };
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
