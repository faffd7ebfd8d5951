import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { errorMessage } from "../common/index.ts";
import { EngineError } from "../engine/index.ts";
import { VenueInputError } from "../paper-exchange/index.ts";
import { bytesToText, type JsonInput, type JsonValue, readJson, writeJson } from "../wire/index.ts";
import { ElsewhereError, WaitingError } from "./control-routes.ts";
import { ConflictError, InputError, MissingError, VenueAwayError } from "./input.ts";
import type { ControlCall } from "./venue-desk.ts";

const MAX_BODY_BYTES = 16 * 1024 * 1024;
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?$/;

/** Refusal of a request before any part of it is interpreted. */
class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Maximum length of an error text. It limits how much of a client's input is echoed. */
const LONGEST_MESSAGE = 300;

/** Answers a call. Throws InputError or MissingError, and WaitingError while another sandbox is active. */
export type ControlAnswer = (call: ControlCall) => Promise<JsonInput>;

/**
 * Creates the control interface of a sandbox on node:http. It answers only requests from this machine that do not come from
 * a foreign page: loopback Host, JSON bodies, and an Origin that is absent or one of `origins`. It also refuses requests
 * that a page of another origin makes a browser load, which have no Origin.
 */
export function createControlServer(answerCall: ControlAnswer, origins: () => readonly string[]): Server {
  const server = createServer((request, response) => {
    const refusal = refusalOf(request.headers, origins());
    const granted = refusal === undefined ? grantsTo(request.headers) : NOTHING;
    if (request.method === "OPTIONS" && granted !== NOTHING) {
      response.writeHead(204, { ...granted, ...PREFLIGHT }).end();
      return;
    }
    const answered = refusal === undefined ? answer(answerCall, request) : Promise.reject(refusal);
    answered.then(
      (body) => send(response, { status: 200, headers: granted, body }),
      (error: unknown) =>
        send(response, { status: statusOf(error), headers: granted, body: { error: messageOf(error) } }),
    );
  });
  server.headersTimeout = 10_000;
  return server;
}

type Headers = Readonly<Record<string, string>>;

const NOTHING: Headers = {};
/** What the page of the console may send. A browser may keep it for ten minutes. */
const PREFLIGHT: Headers = {
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "content-type",
  "access-control-max-age": "600",
};

/** Lets the console's page read the replies. Every other origin was refused, and could not read them either. */
const grantsTo = ({ origin }: IncomingHttpHeaders): Headers =>
  origin === undefined ? NOTHING : { "access-control-allow-origin": origin, vary: "Origin" };

async function answer(answerCall: ControlAnswer, request: IncomingMessage): Promise<JsonInput> {
  const type = request.headers["content-type"];
  if (request.method === "POST" && !/^application\/json(; ?charset=utf-8)?$/i.test(type ?? "")) {
    throw new RefusedError(415, "Content-Type must be application/json");
  }
  const body = await readBody(request);
  return await answerCall(callOf(request, body));
}

/** Returns why a request is refused for where it comes from; undefined if it is not. */
function refusalOf(headers: IncomingHttpHeaders, origins: readonly string[]): RefusedError | undefined {
  const { host, origin } = headers;
  if (host === undefined || !LOOPBACK_HOST.test(host))
    return new RefusedError(403, "the Host header must name a loopback address");
  if (origin !== undefined && !origins.includes(origin))
    return new RefusedError(403, "the Origin header must name the origin of the console");
  if (origin === undefined && isOfAnotherPage(headers))
    return new RefusedError(403, "a page of another origin sent this request");
  return undefined;
}

/**
 * Returns whether another origin's page sent the request. Browsers name the relation in Sec-Fetch-Site (`none`: a
 * person), older ones send a Referer. A page that loads a path as an image sends no Origin.
 */
function isOfAnotherPage({ host, referer, ...headers }: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return referer !== undefined && !referer.startsWith(`http://${host}/`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES)
      throw new RefusedError(413, `the body must have at most ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return bytesToText(Buffer.concat(chunks)) ?? refuseBody();
}

function refuseBody(): never {
  throw new InputError("body: must be UTF-8");
}

function callOf(request: IncomingMessage, text: string): ControlCall {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const parts = path.split("/");
  if (parts[0] !== "" || parts[1] !== "control") throw new MissingError(`unknown path ${path.slice(0, 64)}`);
  return {
    method: request.method ?? "",
    path: parts.slice(2),
    query: new Map(new URLSearchParams(query)),
    body: text === "" ? undefined : parse(text),
  };
}

function parse(text: string): JsonValue {
  try {
    return readJson(text);
  } catch (error) {
    throw new InputError("body: must be valid JSON", { cause: error });
  }
}

function statusOf(error: unknown): number {
  if (error instanceof RefusedError) return error.status;
  if (error instanceof MissingError) return 404;
  if (error instanceof ConflictError) return 409;
  if (error instanceof ElsewhereError) return 421;
  if (error instanceof VenueAwayError) return 502;
  if (error instanceof WaitingError || isPassing(error)) return 503;
  return error instanceof InputError || error instanceof VenueInputError ? 400 : 500;
}

/** Returns whether a call was not carried out and shall be made again. */
const isPassing = (error: unknown): boolean =>
  error instanceof EngineError && error.reason === "DISCONNECTED";

function messageOf(error: unknown): string {
  const message = errorMessage(error);
  return message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
}

type Reply = Readonly<{ status: number; headers: Headers; body: JsonInput }>;

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(writeJson(body));
}
