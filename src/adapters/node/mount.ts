import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { OrderError } from "../../errors/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import type { Service } from "../../service/index.ts";
import type { WireResponse } from "../../wire/index.ts";
import { parserRefusal, rawReply, refusal } from "./refusals.ts";
import { announcesTooMuch, type RequestBody, readRequestBody, UNREAD_BODY } from "./request-body.ts";

/** How long a connection that was refused stays open for its peer to read why. */
const LINGER_MS = 1_000;

/** One connection: answers that are due on it, the request that is arriving, and why it must end. */
type Connection = {
  due: number;
  arriving?: Readonly<{ request: IncomingMessage; controller: AbortController }>;
  refused?: WireResponse;
};

/** A reply that is thrown to end a request whose service was never asked. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly reply: WireResponse;

  constructor(reply: WireResponse) {
    super(`refused with ${reply.status}`);
    this.reply = reply;
  }
}

/** Passes the requests of node:http servers to a service, unchanged, and its answers back. */
export class Mount {
  readonly #service: Service;
  readonly #telemetry: Telemetry | undefined;
  readonly #connections: WeakMap<Duplex, Connection> = new WeakMap();
  /** Ends each connection after its next answer. */
  draining = false;

  constructor(parts: Readonly<{ service: Service; telemetry?: Telemetry | undefined }>) {
    this.#service = parts.service;
    this.#telemetry = parts.telemetry;
  }

  /** Answers one request. A client that `asksFirst` is told to go on, unless the body it announces is too large. */
  answer(request: IncomingMessage, response: ServerResponse, asksFirst = false): void {
    const connection = this.#connection(request.socket);
    connection.due++;
    response.on("close", () => this.#answered(request.socket, connection));
    const tooMuch = announcesTooMuch(request, asksFirst);
    if (asksFirst && !tooMuch) response.writeContinue();
    const exchange = async (): Promise<void> => {
      const body = tooMuch ? UNREAD_BODY : await this.#body(request, connection);
      this.#send(response, await this.#serve(request, body.bytes), body.cut);
    };
    exchange().catch((error: unknown) => {
      if (error instanceof Refused) this.#send(response, error.reply, true);
      else response.destroy();
    });
  }

  /** Answers a request whose Expect header asks for something unknown. */
  refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    const error = new OrderError("INVALID_PARAMETER", { field: "Expect", advice: "Leave it out." });
    const connection = this.#connection(request.socket);
    connection.due++;
    response.on("close", () => this.#answered(request.socket, connection));
    this.#send(response, refusal(error, 417), true);
  }

  /**
   * Ends a connection on which something came that is no HTTP, too much of it, or too slowly: through the answer to
   * the request that is arriving, else as text once earlier requests of the connection are answered.
   */
  refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connection(socket);
    if (connection.refused !== undefined) return;
    connection.refused = parserRefusal(error.code);
    if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
    else if (connection.arriving?.request.complete === false) {
      connection.arriving.controller.abort(new Refused(connection.refused));
    } else if (connection.due === 0) sendRaw(socket, connection.refused);
  }

  #connection(socket: Duplex): Connection {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { due: 0 };
    this.#connections.set(socket, connection);
    return connection;
  }

  #answered(socket: Duplex, connection: Connection): void {
    connection.due--;
    const { due, refused } = connection;
    if (due === 0 && refused !== undefined && socket.writable) sendRaw(socket, refused);
  }

  async #body(request: IncomingMessage, connection: Connection): Promise<RequestBody> {
    const arriving = { request, controller: new AbortController() };
    connection.arriving = arriving;
    try {
      return await readRequestBody(request, arriving.controller.signal);
    } finally {
      if (connection.arriving === arriving) delete connection.arriving;
    }
  }

  async #serve(request: IncomingMessage, body: Uint8Array): Promise<WireResponse> {
    if (request.headers.host === undefined && request.httpVersion === "1.1") {
      return refusal(new OrderError("PARAMETER_MISSING", { field: "Host" }));
    }
    try {
      return await this.#service.handle({
        method: request.method ?? "",
        target: request.url ?? "",
        rawHeaders: request.rawHeaders,
        body,
        remoteAddress: request.socket.remoteAddress ?? "",
      });
    } catch (error) {
      const name = error instanceof Error ? error.name : typeof error;
      this.#telemetry?.event("error", "service.threw", { error: name });
      return refusal(new OrderError(request.method === "GET" ? "UNKNOWN" : "UNEXPECTED_RESPONSE"));
    }
  }

  #send(response: ServerResponse, reply: WireResponse, last: boolean): void {
    if (response.headersSent || response.destroyed) return;
    response.writeHead(reply.status, {
      ...reply.headers,
      "Content-Length": Buffer.byteLength(reply.body),
      ...(last || this.draining ? { Connection: "close" } : {}),
    });
    response.end(reply.body);
  }
}

/** Writes a last reply. The peer may still be sending, and would lose the reply if the connection broke at once. */
function sendRaw(socket: Duplex, reply: WireResponse): void {
  socket.end(rawReply(reply));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
