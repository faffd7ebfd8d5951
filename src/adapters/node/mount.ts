import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errorName } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import { MOUNT_FAULTS, type MountFault, type Service } from "../../service/index.ts";
import { FAULT_HEADER } from "../../service/internal.ts";
import type { WireResponse } from "../../wire/index.ts";
import type { Connections } from "./connections.ts";
import { announcesBody, mayLackHeaders, wireRequestOf } from "./incoming.ts";
import { linger, sendLastReply } from "./last-reply.ts";
import { type AnswerOptions, BodyLost, bodyOf } from "./mount-body.ts";
import { Evicted, parserRefusal, Refused, refusal } from "./refusals.ts";
import type { ServicePaths } from "./service-paths.ts";

/** Dependencies and settings of a mount. */
export type MountParts = Readonly<{
  service: Pick<Service, "handle">;
  /** Counts the connections and requests of the same server. */
  connections: Connections;
  paths: ServicePaths;
  telemetry?: Telemetry | undefined;
}>;

/** Lets pending events of other connections be handled first. */
const otherConnectionsTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Most characters of a body that is written as a text, in one piece with its headers, and of a part of a longer one. */
const LONG_BODY = 65_536;

/** Encodes a long body part by part, so that others are answered meanwhile. */
async function encoded(text: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let from = 0; from < text.length; ) {
    if (from > 0) await otherConnectionsTurn();
    let to = from + LONG_BODY;
    // Both halves of a character are encoded together.
    if ((text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to++;
    parts.push(Buffer.from(text.slice(from, to)));
    from = to;
  }
  return Buffer.concat(parts);
}

/** Passes requests of node:http servers to a service unchanged, and sends the answers back. */
export class Mount {
  readonly #service: Pick<Service, "handle">;
  readonly #connections: Connections;
  readonly #paths: ServicePaths;
  readonly #telemetry: Telemetry | undefined;
  /** Whether each connection is closed after its next answer. */
  draining = false;

  constructor({ service, connections, paths, telemetry }: MountParts) {
    this.#service = service;
    this.#connections = connections;
    this.#paths = paths;
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
    if (response.writableEnded) return this.#report("REPLY_TAKEN");
    if (response.destroyed) return;
    const started = this.#connections.begin(request, response);
    const { connection, earlier, ended, held } = started;
    if (connection.entering !== undefined) await connection.entering;
    if (earlier !== undefined) await earlier.then(otherConnectionsTurn);
    const refused = started.refused instanceof Promise ? await started.refused : started.refused;
    if (response.destroyed || connection.closes) return await ended;
    // Keep the connection unless a body is left on it: it may belong to a proxy and carry other clients.
    if (refused !== undefined) {
      this.#send(response, refused, announcesBody(request));
      return await ended;
    }
    try {
      // Its connection is closed, as after other heads that are too large: such requests are not weighed.
      if (mayLackHeaders(request)) throw new Refused(parserRefusal("HPE_HEADER_OVERFLOW"));
      const body = await bodyOf({ connection, request, response, held }, options);
      held.begun();
      const reply = await this.#serve(request, body.bytes);
      const long = reply.body.length > LONG_BODY ? await encoded(reply.body) : undefined;
      this.#send(response, reply, body.cut, long);
      held.answered(reply.body.length);
    } catch (error) {
      if (error instanceof Refused) this.#send(response, error.reply, true);
      else if (error instanceof BodyLost) this.#send(response, this.#faultReply(error.fault), true);
      else response.destroy();
    }
    await ended;
  }

  /** Refuses a request whose Expect header has an unknown value, once those before it are answered: it is the last. */
  async refuseExpectation(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const error = new OrderError("INVALID_PARAMETER", { field: "Expect", advice: "Omit this header." });
    const { connection, earlier } = this.#connections.begin(request, response);
    if (connection.entering !== undefined) await connection.entering;
    if (earlier !== undefined) await earlier;
    if (!connection.closes) this.#send(response, refusal(error, 417), true);
  }

  /**
   * Ends a connection that sent invalid HTTP, too much of it, or sent it too slowly. The refusal answers the request
   * that is arriving, or else is written as text once earlier requests of the connection are answered.
   */
  refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.of(socket);
    if (connection.refused !== undefined) return;
    connection.refused = parserRefusal(error.code);
    if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
    else if (connection.arriving?.request.complete === false) {
      connection.arriving.abandon(new Refused(connection.refused));
    } else if (connection.due === 0) sendLastReply(socket, connection.refused);
  }

  /** Reports a fault of the host by name. The service never receives the request, so nothing is done. */
  #faultReply(fault: MountFault): WireResponse {
    this.#report(fault);
    const { headers, ...reply } = refusal(new OrderError("UNKNOWN"));
    return { ...reply, headers: { ...headers, [FAULT_HEADER]: fault } };
  }

  #report(fault: MountFault): void {
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
      return await this.#service.handle(wireRequestOf(request, this.#paths.target(request), body));
    } catch (error) {
      if (error instanceof Evicted) throw error;
      this.#telemetry?.event("error", "service.threw", { error: errorName(error) });
      return refusal(new OrderError(request.method === "GET" ? "UNKNOWN" : "UNEXPECTED_RESPONSE"));
    }
  }

  #send(
    response: ServerResponse,
    reply: WireResponse,
    last: boolean,
    body: string | Buffer = reply.body,
  ): void {
    if (response.headersSent) return this.#report("REPLY_TAKEN");
    if (response.destroyed) return;
    const headers: Record<string, string | number> = { ...reply.headers };
    // A reply whose status allows no body must not state a length (RFC 9110, 8.6).
    if (reply.status !== 204) headers["Content-Length"] = Buffer.byteLength(body);
    const { socket } = response.req;
    const connection = this.#connections.of(socket);
    // Requests that have arrived before a drain are answered, too.
    if (last || (this.draining && connection.due <= 1)) {
      headers["Connection"] = "close";
      connection.closes = true;
    }
    if (last && !response.req.complete) linger(socket);
    response.writeHead(reply.status, headers);
    response.end(body);
  }
}
