import type { IncomingMessage, ServerResponse } from "node:http";
import type { MountFault } from "../../service/index.ts";
import type { HttpConnection } from "./connections.ts";
import type { HeldRequest } from "./held-request.ts";
import { announcesBody, bodyFaultOf, retainedBodyOf, retainedFaultOf } from "./incoming.ts";
import { Refused } from "./refusals.ts";
import { announcesTooMuch, NO_BODY, type RequestBody, readRequestBody, UNREAD_BODY } from "./request-body.ts";

/** Thrown if the bytes of a body are lost: the host made a mistake. */
export class BodyLost extends Error {
  override readonly name = "BodyLost";
  readonly fault: MountFault;

  constructor(fault: MountFault) {
    super(fault);
    this.fault = fault;
  }
}

/** A request whose body has not arrived yet. */
type IncomingRequest = Readonly<{
  connection: HttpConnection;
  request: IncomingMessage;
  response: ServerResponse;
  held: HeldRequest;
}>;

/** Options for answering one request. */
export type AnswerOptions = Readonly<{
  /** The client waits for permission to send its body (`Expect: 100-continue`). */
  expectsContinue?: boolean;
  /** The body as received, if the host has read it. Anything but bytes is refused with a named fault. */
  body?: unknown;
}>;

/**
 * Returns the body as the host kept it, or else reads it. Throws {@link BodyLost} if the bytes are lost. Rejects with
 * {@link Refused} if the connection is refused before the body has arrived.
 */
export function bodyOf(
  { connection, request, response, held }: IncomingRequest,
  { expectsContinue = false, body = retainedBodyOf(request) }: AnswerOptions,
): RequestBody | Promise<RequestBody> {
  if (body !== undefined) return retainedBody(request, body, held);
  const fault = bodyFaultOf(request);
  if (fault !== undefined) throw new BodyLost(fault);
  const tooMuch = announcesTooMuch(request, expectsContinue);
  if (expectsContinue && !tooMuch) response.writeContinue();
  if (tooMuch) return UNREAD_BODY;
  const arrives = announcesBody(request) && !request.readableEnded;
  return arrives ? arrivingBody({ connection, request, held }) : NO_BODY;
}

function retainedBody(request: IncomingMessage, body: unknown, held: HeldRequest): RequestBody {
  if (!(body instanceof Uint8Array)) throw new BodyLost("BODY_NOT_BYTES");
  const fault = retainedFaultOf(request, body);
  if (fault !== undefined) throw new BodyLost(fault);
  held.arrived(body.length);
  return { bytes: body, cut: false };
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
      begun: (abandon) => {
        connection.arriving = { request, abandon };
      },
      retained: (bytes) => held.arrived(bytes),
    });
  } finally {
    if (connection.arriving?.request === request) connection.arriving = undefined;
  }
}
