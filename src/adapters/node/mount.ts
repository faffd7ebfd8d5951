import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorName } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Awaitable, Telemetry } from "../../ports/index.ts";
import { MOUNT_FAULTS, type MountFault, type Service } from "../../service/index.ts";
import { FAULT_HEADER } from "../../service/internal.ts";
import type { WireResponse } from "../../wire/index.ts";
import type { Gate, Leave } from "./gate.ts";
import { HeldConnection, type HeldRequest } from "./held-request.ts";
import { announcesBody, bodyFaultOf, wireRequestOf } from "./incoming.ts";
import { OpenSet } from "./open-set.ts";
import { readFlowOf } from "./read-flow.ts";
import { parserRefusal, rawReply, refusal } from "./refusals.ts";
import {
  announcesTooMuch,
  type GiveUp,
  NO_BODY,
  type RequestBody,
  readRequestBody,
  UNREAD_BODY,
} from "./request-body.ts";

/** How long a refused connection stays open in milliseconds, so that its peer can read the reason. */
const LINGER_MS = 1_000;

/** Number of requests of one connection that may wait for their turn before reading from it stops. */
const MOST_WAITING = 4;

/** Number of unanswered requests above which a connection is closed. A client that sends more at once is hostile. */
const MOST_UNANSWERED = 1_000;

/**
 * One connection: the number of answers due, the steps that wait for them, the request that is arriving, and the
 * refusal that ends it.
 */
type Connection = {
  due: number;
  /** Resolves when the latest request has been answered. */
  last: Promise<void>;
  next: (() => void) | undefined;
  arriving: Readonly<{ request: IncomingMessage; giveUp: GiveUp }> | undefined;
  refused: WireResponse | undefined;
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

/** Thrown to end a request with a reply before the service is asked. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly reply: WireResponse;

  constructor(reply: WireResponse) {
    super(`refused with ${reply.status}`);
    this.reply = reply;
  }
}

/** Thrown in place of a reply when a request's connection must be closed, because its requests hold too much. */
export class PutOut extends Error {
  override readonly name = "PutOut";
}

/** Dependencies and settings of a mount. */
export type MountParts = Readonly<{
  service: Pick<Service, "handle">;
  gate: Gate;
  /** Prefix of the host that is removed from every target. */
  prefix?: string | undefined;
  telemetry?: Telemetry | undefined;
}>;

/** Options for answering one request. */
export type AnswerOptions = Readonly<{
  /** The client waits for permission to send its body (`Expect: 100-continue`). */
  asksFirst?: boolean;
  /** The body as received, if the host has read it. Anything but bytes is refused with a named fault. */
  body?: unknown;
}>;

/** A request that was counted, and the conditions for serving it. */
type StartedRequest = Readonly<{
  earlier: Promise<void> | undefined;
  ended: Promise<void>;
  held: HeldRequest;
  /** The reason not to serve it, if there is one. */
  refused: Awaitable<WireResponse | undefined>;
}>;

/** A request whose body has not arrived yet. */
type IncomingRequest = Readonly<{
  connection: Connection;
  request: IncomingMessage;
  response: ServerResponse;
  held: HeldRequest;
}>;

const NOTHING: Leave = () => undefined;

/** Lets pending events of other connections be handled first. */
const otherConnectionsTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Passes requests of node:http servers to a service unchanged, and sends the answers back. */
export class Mount {
  readonly #service: Pick<Service, "handle">;
  readonly #prefix: string;
  readonly #telemetry: Telemetry | undefined;
  /** Counts what clients hold of the server. */
  readonly gate: Gate;
  /** The answer to a connection above the limit of its address. */
  readonly tooMany: WireResponse;
  readonly #connections: WeakMap<Duplex, Connection> = new WeakMap();
  readonly #open: OpenSet<ServerResponse> = new OpenSet();
  /** Whether each connection is closed after its next answer. */
  draining = false;

  constructor({ service, gate, prefix = "", telemetry }: MountParts) {
    this.#service = service;
    this.gate = gate;
    this.tooMany = refusal(gate.tooMany);
    this.#prefix = prefix;
    this.#telemetry = telemetry;
  }

  /**
   * Answers one request. Resolves when the answer has gone out or the connection has ended. A client that asks first is
   * told to continue, unless the body it announces is too large.
   */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    options: AnswerOptions = {},
  ): Promise<void> {
    if (response.writableEnded) return this.#tell("REPLY_TAKEN");
    if (response.destroyed) return;
    const connection = this.#connection(request.socket);
    const started = this.#begin(connection, request, response);
    const { earlier, ended, held } = started;
    if (connection.entering !== undefined) await connection.entering;
    if (earlier !== undefined) await earlier.then(otherConnectionsTurn);
    const refused = started.refused instanceof Promise ? await started.refused : started.refused;
    if (response.destroyed) return await ended;
    // Keep the connection unless a body is left on it: it may belong to a proxy and carry other clients.
    if (refused !== undefined) {
      this.#send(response, refused, announcesBody(request));
      return await ended;
    }
    try {
      const body = await this.#bodyOf({ connection, request, response, held }, options);
      held.begun();
      const reply = await this.#serve(request, body.bytes);
      this.#send(response, reply, body.cut);
      held.answered(reply.body.length);
    } catch (error) {
      if (error instanceof Refused) this.#send(response, error.reply, true);
      else response.destroy();
    }
    await ended;
  }

  /** Resolves when every request has been answered. */
  idle(): Promise<void> {
    return this.#open.empty();
  }

  /** Cuts off everything that is not answered yet. */
  terminate(): void {
    for (const response of this.#open) response.destroy();
  }

  /** Refuses a request whose Expect header has an unknown value. */
  refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const error = new OrderError("INVALID_PARAMETER", { field: "Expect", advice: "Omit this header." });
    this.#begin(this.#connection(request.socket), request, response);
    this.#send(response, refusal(error, 417), true);
  }

  /**
   * Ends a connection that sent invalid HTTP, too much of it, or sent it too slowly. The refusal answers the request
   * that is arriving, or else is written as text once earlier requests of the connection are answered.
   */
  refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connection(socket);
    if (connection.refused !== undefined) return;
    connection.refused = parserRefusal(error.code);
    if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
    else if (connection.arriving?.request.complete === false) {
      connection.arriving.giveUp(new Refused(connection.refused));
    } else if (connection.due === 0) sendRaw(socket, connection.refused);
  }

  /** Runs `next` once every request of a connection has been answered. */
  afterAnswers(socket: Duplex, next: () => void): void {
    const connection = this.#connection(socket);
    if (connection.due === 0) next();
    else connection.next = next;
  }

  /**
   * Counts a request. `ended` resolves when its answer has gone out or its connection has ended. Requests of one
   * connection are served in sequence, each after `earlier` has resolved, because their answers go out in that order
   * anyway. So a flooding client delays only itself (hostile input 53).
   */
  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): StartedRequest {
    const { socket } = request;
    const network = this.networkOf(request);
    const { leave, refused } = this.#entered(connection, network);
    const earlier = connection.due > 0 ? connection.last : undefined;
    connection.due++;
    this.#open.add(response);
    const held = connection.held.request(network, request);
    const ended = new Promise<void>((resolve) => {
      const end = (): void => {
        if (!connection.unanswered.delete(end)) return;
        this.#open.delete(response);
        if (socket.destroyed) response.destroy();
        leave();
        held.end();
        this.#answered(socket, connection);
        resolve();
      };
      connection.unanswered.add(end);
      response.on("close", end);
    });
    connection.last = ended;
    if (connection.due > MOST_UNANSWERED) socket.destroy();
    else if (connection.due > MOST_WAITING) readFlowOf(socket).pause("waiting");
    return { earlier, ended, held, refused };
  }

  /** Returns the network under which a request is counted. */
  networkOf({ socket, rawHeaders }: IncomingMessage): string {
    return this.gate.networkOf({ remoteAddress: socket.remoteAddress ?? "", rawHeaders });
  }

  /**
   * Counts a connection for its peer before it sends anything. Above the limit the connection is refused and closed at
   * once.
   */
  opened(socket: Socket): void {
    const network = this.gate.peerOf(socket.remoteAddress ?? "");
    const connection = this.#connection(socket);
    connection.network = network;
    const entered = (entry: Leave | "full" | undefined): void => {
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
    await this.#connections.get(socket)?.entering;
  }

  /** Returns whether a connection was already counted under a network. */
  isCounted(socket: Duplex, network: string): boolean {
    return this.#connections.get(socket)?.network === network;
  }

  /** Counts a request over the connection of another network, a proxy's, as a connection of its own client. */
  #entered(
    connection: Connection,
    network: string,
  ): Readonly<{ leave: Leave; refused: Awaitable<WireResponse | undefined> }> {
    if (network === "" || connection.network === network) return { leave: NOTHING, refused: undefined };
    const entry = this.gate.enter(network);
    const refusedBy = (leave: Leave | undefined): WireResponse | undefined =>
      leave === undefined ? this.tooMany : undefined;
    if (!(entry instanceof Promise)) return { leave: entry ?? NOTHING, refused: refusedBy(entry) };
    return { leave: () => void entry.then((leave) => leave?.()), refused: entry.then(refusedBy) };
  }

  #connection(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = {
      due: 0,
      last: Promise.resolve(),
      next: undefined,
      arriving: undefined,
      refused: undefined,
      network: undefined,
      entering: undefined,
      held: new HeldConnection(this.gate, socket),
      unanswered: new Set(),
    };
    this.#connections.set(socket, connection);
    socket.once("close", () => {
      for (const end of [...connection.unanswered]) end();
    });
    return connection;
  }

  #answered(socket: Duplex, connection: Connection): void {
    connection.due--;
    const { due, refused, next } = connection;
    if (due === MOST_WAITING) readFlowOf(socket).resume("waiting");
    if (due > 0) return;
    if (refused !== undefined && socket.writable) sendRaw(socket, refused);
    connection.next = undefined;
    next?.();
  }

  /**
   * Returns the body as the host kept it, or else reads it. Throws or rejects with {@link Refused} if the bytes are
   * lost.
   */
  #bodyOf(
    { connection, request, response, held }: IncomingRequest,
    { asksFirst = false, body }: AnswerOptions,
  ): RequestBody | Promise<RequestBody> {
    if (body instanceof Uint8Array) return { bytes: body, cut: false };
    if (body !== undefined) throw this.#faulty("BODY_NOT_BYTES");
    const fault = bodyFaultOf(request);
    if (fault !== undefined) throw this.#faulty(fault);
    const tooMuch = announcesTooMuch(request, asksFirst);
    if (asksFirst && !tooMuch) response.writeContinue();
    if (tooMuch) return UNREAD_BODY;
    const arrives = announcesBody(request) && !request.readableEnded;
    return arrives ? arrivingBody({ connection, request, held }) : NO_BODY;
  }

  /** Reports a fault of the host by name. The service never receives the request, so nothing is done. */
  #faulty(fault: MountFault): Refused {
    this.#tell(fault);
    const { headers, ...reply } = refusal(new OrderError("UNKNOWN"));
    return new Refused({ ...reply, headers: { ...headers, [FAULT_HEADER]: fault } });
  }

  #tell(fault: MountFault): void {
    this.#telemetry?.event("error", "mount.fault", { fault, ...MOUNT_FAULTS[fault] });
  }

  async #serve(request: IncomingMessage, body: Uint8Array): Promise<WireResponse> {
    const { headers, httpVersion } = request;
    // Node accepts a request line without a version, as in HTTP of 1991.
    if (httpVersion !== "1.1" && httpVersion !== "1.0") return parserRefusal(undefined);
    if (headers.host === undefined && httpVersion === "1.1") {
      return refusal(new OrderError("PARAMETER_MISSING", { field: "Host" }));
    }
    try {
      return await this.#service.handle(wireRequestOf(request, { prefix: this.#prefix, body }));
    } catch (error) {
      if (error instanceof PutOut) throw error;
      this.#telemetry?.event("error", "service.threw", { error: errorName(error) });
      return refusal(new OrderError(request.method === "GET" ? "UNKNOWN" : "UNEXPECTED_RESPONSE"));
    }
  }

  #send(response: ServerResponse, reply: WireResponse, last: boolean): void {
    if (response.headersSent) return this.#tell("REPLY_TAKEN");
    if (response.destroyed) return;
    const headers: Record<string, string | number> = { ...reply.headers };
    // A reply whose status allows no body must not state a length (RFC 9110, 8.6).
    if (reply.status !== 204) headers["Content-Length"] = Buffer.byteLength(reply.body);
    if (last || this.draining) headers["Connection"] = "close";
    if (last && !response.req.complete) linger(response.req.socket);
    response.writeHead(reply.status, headers);
    response.end(reply.body);
  }
}

/** Reads the body of a request from its connection. */
async function arrivingBody({
  connection,
  request,
  held,
}: Omit<IncomingRequest, "response">): Promise<RequestBody> {
  if (connection.refused !== undefined && !request.complete) throw new Refused(connection.refused);
  try {
    return await readRequestBody(request, {
      begun: (giveUp) => {
        connection.arriving = { request, giveUp };
      },
      kept: (bytes) => held.arrived(bytes),
    });
  } finally {
    if (connection.arriving?.request === request) connection.arriving = undefined;
  }
}

/**
 * Delays the close of a connection. Node closes it right after its last reply; a peer that still sends its body would
 * lose the reply.
 */
function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/**
 * Writes a last reply. The peer may still be sending, and would lose the reply if the connection were closed at once.
 */
function sendRaw(socket: Duplex, reply: WireResponse): void {
  socket.end(rawReply(reply));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
