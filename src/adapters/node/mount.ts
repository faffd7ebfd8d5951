import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { errorName } from "../../common/index.ts";
import { OrderError } from "../../errors/index.ts";
import type { Telemetry } from "../../ports/index.ts";
import { MAX_BODY_BYTES, MOUNT_FAULTS, type MountFault, type Service } from "../../service/index.ts";
import { FAULT_HEADER } from "../../service/internal.ts";
import type { WireResponse } from "../../wire/index.ts";
import type { Connections, HeldRequest, HttpConnection } from "./connections.ts";
import { mayLackHeaders, type ServicePaths, wireRequestOf } from "./incoming.ts";
import { Evicted, linger, parserRefusal, refusal, sendLastReply } from "./refusals.ts";

/**
 * Returns the length of the body that the head announces, or 0 if it announces none. A length above 2^53 is not exact.
 */
function announcedBytes({ headers }: IncomingMessage): number {
  return Number.parseInt(headers["content-length"] ?? "0", 10);
}

/** Returns whether the head announces a body. */
function announcesBody(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined || announcedBytes(request) > 0;
}

/** Returns why the bytes of a body are lost, or undefined if they can be read. */
function bodyFaultOf(request: IncomingMessage): MountFault | undefined {
  if (!announcesBody(request)) return undefined;
  if (request.readableDidRead || request.listenerCount("readable") > 0) return "BODY_CONSUMED";
  return request.readableEncoding === null ? undefined : "BODY_DECODED";
}

/** What body parsers add to a request: the bytes, or the result of parsing them. */
type ParsedRequest = IncomingMessage & Readonly<{ rawBody?: unknown; body?: unknown }>;

/**
 * Returns the body that other code kept after reading it: `rawBody`, or a `body` of bytes. Returns undefined if nothing
 * was kept, and if the body can still be read, because only the connection has the bytes for certain.
 */
function retainedBodyOf(request: ParsedRequest): unknown {
  if (bodyFaultOf(request) !== "BODY_CONSUMED") return undefined;
  const { rawBody, body } = request;
  return rawBody ?? (body instanceof Uint8Array ? body : undefined);
}

/**
 * Returns why kept bytes cannot be the body as received, or undefined if they may be. The service refuses a compressed
 * body, and a body that is too large, which the host need not keep as a whole.
 */
function retainedFaultOf(request: IncomingMessage, bytes: Uint8Array): MountFault | undefined {
  const { "transfer-encoding": chunked, "content-encoding": compressed } = request.headers;
  if (chunked !== undefined || compressed !== undefined || bytes.length > MAX_BODY_BYTES) return undefined;
  return bytes.length === announcedBytes(request) ? undefined : "BODY_CHANGED";
}

/** Number of bytes of an oversized body that are read and dropped, so that its sender can read the answer. */
const READ_AWAY_BYTES = 262_144;

/** A body, and whether part of it is left on the connection, which must then be closed. */
type RequestBody = Readonly<{ bytes: Uint8Array; cut: boolean }>;

/**
 * Returns whether the head of a request announces a body that is not read at all. A body that is slightly too large is
 * read and dropped, unless its sender asks first (`Expect: 100-continue`).
 */
function announcesTooMuch(request: IncomingMessage, expectsContinue: boolean): boolean {
  const limit = expectsContinue ? MAX_BODY_BYTES : MAX_BODY_BYTES + READ_AWAY_BYTES;
  return announcedBytes(request) > limit;
}

/** The body of a request without one. */
const NO_BODY: RequestBody = { bytes: new Uint8Array(), cut: false };

/** What the service gets in place of an oversized body: one byte too much. */
const OVERSIZED_BODY: RequestBody = { bytes: new Uint8Array(MAX_BODY_BYTES + 1), cut: true };

/** Thrown to end a request with a reply before the service is asked. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly reply: WireResponse;

  constructor(reply: WireResponse) {
    super(`refused with ${reply.status}`);
    this.reply = reply;
  }
}

/** Thrown if the bytes of a body are lost: the host made a mistake. */
class BodyLost extends Error {
  override readonly name = "BodyLost";
  readonly fault: MountFault;

  constructor(fault: MountFault) {
    super(fault);
    this.fault = fault;
  }
}

/** A request whose body has not arrived yet. */
type IncomingRequest = Readonly<{ connection: HttpConnection; request: IncomingMessage; held: HeldRequest }>;

/** Options for answering one request. */
type AnswerOptions = Readonly<{
  /** The client waits for permission to send its body (`Expect: 100-continue`). */
  expectsContinue?: boolean;
  /** The body as received, if the host has read it. Anything but bytes is refused with a named fault. */
  body?: unknown;
}>;

/**
 * Returns the body as the host kept it, or else reads it. Throws {@link BodyLost} if the bytes are lost. Rejects with
 * {@link Refused} if the connection is refused before the body has arrived.
 */
function bodyOf(
  incoming: IncomingRequest,
  response: ServerResponse,
  { expectsContinue = false, body = retainedBodyOf(incoming.request) }: AnswerOptions,
): RequestBody | Promise<RequestBody> {
  const { request, held } = incoming;
  if (body !== undefined) return retainedBody(request, body, held);
  const fault = bodyFaultOf(request);
  if (fault !== undefined) throw new BodyLost(fault);
  const tooMuch = announcesTooMuch(request, expectsContinue);
  if (expectsContinue && !tooMuch) response.writeContinue();
  if (tooMuch) return OVERSIZED_BODY;
  return announcesBody(request) && !request.readableEnded ? arrivingBody(incoming) : NO_BODY;
}

function retainedBody(request: IncomingMessage, body: unknown, held: HeldRequest): RequestBody {
  if (!(body instanceof Uint8Array)) throw new BodyLost("BODY_NOT_BYTES");
  const fault = retainedFaultOf(request, body);
  if (fault !== undefined) throw new BodyLost(fault);
  held.arrived(body.length);
  return { bytes: body, cut: false };
}

/** Reads the body of a request from its connection. */
async function arrivingBody(incoming: IncomingRequest): Promise<RequestBody> {
  const { connection, request, held } = incoming;
  // Node parses all that has come before this goes on: most bodies are there then.
  await undefined;
  if (request.destroyed) throw new Error("the connection broke");
  if (request.complete) {
    // A copy, since it may be part of a larger buffer.
    const bytes = Buffer.from((request.read() as Buffer | null) ?? []);
    held.arrived(bytes.length);
    return bytes.length > MAX_BODY_BYTES ? OVERSIZED_BODY : { bytes, cut: false };
  }
  if (connection.refused !== undefined) throw new Refused(connection.refused);
  try {
    return await readRequestBody(incoming);
  } finally {
    if (connection.arriving?.request === request) connection.arriving = undefined;
  }
}

/**
 * Reads the body of a request, keeping at most {@link MAX_BODY_BYTES} in memory. Rejects with the reason if the reading
 * is stopped first, and if the connection breaks.
 */
function readRequestBody({ connection, request, held }: IncomingRequest): Promise<RequestBody> {
  return new Promise((resolve, reject) => {
    connection.arriving = { request, abandon: reject };
    const chunks: Buffer[] = [];
    let received = 0;
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        held.arrived(chunk.length);
      } else if (received > MAX_BODY_BYTES + READ_AWAY_BYTES) resolve(OVERSIZED_BODY);
    });
    request.on("end", () => {
      if (received > MAX_BODY_BYTES) resolve(OVERSIZED_BODY);
      else resolve({ bytes: Buffer.concat(chunks), cut: false });
    });
    request.on("error", reject);
    request.on("close", () => {
      if (!request.readableEnded) reject(new Error("the connection broke"));
    });
  });
}

/** Dependencies and settings of a mount. */
type MountParts = Readonly<{
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
  readonly #parts: MountParts;
  /** Whether each connection is closed after its next answer. */
  draining = false;

  constructor(parts: MountParts) {
    this.#parts = parts;
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
    const started = this.#parts.connections.begin(request, response);
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
      const body = await bodyOf({ connection, request, held }, response, options);
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
    const { connection, earlier } = this.#parts.connections.begin(request, response);
    if (connection.entering !== undefined) await connection.entering;
    if (earlier !== undefined) await earlier;
    if (!connection.closes) this.#send(response, refusal(error, 417), true);
  }

  /**
   * Ends a connection that sent invalid HTTP, too much of it, or sent it too slowly. The refusal answers the request
   * that is arriving, or else is written as text once earlier requests of the connection are answered.
   */
  refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#parts.connections.of(socket);
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
    this.#parts.telemetry?.event("error", "mount.fault", { fault, ...MOUNT_FAULTS[fault] });
  }

  async #serve(request: IncomingMessage, body: Uint8Array): Promise<WireResponse> {
    const { headers, httpVersion } = request;
    // Node accepts a request line without a version, as in HTTP of 1991.
    if (httpVersion !== "1.1" && httpVersion !== "1.0") return parserRefusal(undefined);
    if (headers.host === undefined && httpVersion === "1.1") {
      return refusal(new OrderError("PARAMETER_MISSING", { field: "Host" }));
    }
    try {
      return await this.#parts.service.handle(
        wireRequestOf(request, this.#parts.paths.target(request), body),
      );
    } catch (error) {
      if (error instanceof Evicted) throw error;
      this.#parts.telemetry?.event("error", "service.threw", { error: errorName(error) });
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
    const connection = this.#parts.connections.of(socket);
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
