import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as plain,
} from "node:http";
import { request as secure } from "node:https";
import type { Socket } from "node:net";
import { errorCode, errorMessage } from "../../common/index.ts";
import { VenueHttpError } from "./venue-http-error.ts";

/** One request as it goes out. */
export type Outgoing = Readonly<{
  url: string;
  method: string;
  headers: OutgoingHttpHeaders;
  body: Uint8Array;
  agent: Agent;
}>;

/** Ends a request: with an error for its caller. */
export type AbandonExchange = (why: string) => void;

/** Callbacks of a request. `begun` receives the function that ends it. */
export type ExchangeEvents = Readonly<{ begun: (abandon: AbandonExchange) => void }>;

/**
 * Sends one request. Resolves to the head of the answer, whose body has not been read. Rejects with a VenueHttpError:
 * `unsent` if no connection was made, and `unanswered` as soon as bytes may have been written.
 */
export function exchangeWithVenue(outgoing: Outgoing, { begun }: ExchangeEvents): Promise<IncomingMessage> {
  const { url, method, headers, body, agent } = outgoing;
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith("https:");
    const request = (isSecure ? secure : plain)(url, { method, headers, agent });
    const connection = watchConnection(request, isSecure);
    let why: string | undefined;
    begun((reason) => {
      why ??= reason;
      request.destroy();
    });
    const fail = (cause: unknown): void => {
      const problem = connection.mayHaveWritten() ? "unanswered" : "unsent";
      const reason = why ?? `${errorMessage(cause)} (${errorCode(cause)})`;
      reject(new VenueHttpError(problem, `${method} ${new URL(url).pathname}: ${reason}`, { cause }));
    };
    request.on("response", resolve);
    request.on("error", fail);
    request.on("close", () => fail(new Error("the connection ended")));
    // Other answers than a response have no meaning here, and would keep their connection open.
    request.on("upgrade", (_answer, socket) => socket.destroy());
    request.end(body);
  });
}

/**
 * Watches whether bytes of a request can have left this process. Before a new connection is made, and made secure, none
 * can. A connection that was used before takes them at once.
 */
function watchConnection(
  request: ClientRequest,
  isSecure: boolean,
): Readonly<{ mayHaveWritten: () => boolean }> {
  let mayHaveWritten = false;
  request.on("socket", (socket: Socket) => {
    if (request.reusedSocket || !socket.connecting) {
      mayHaveWritten = true;
      return;
    }
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      mayHaveWritten = true;
    });
  });
  return { mayHaveWritten: () => mayHaveWritten };
}
