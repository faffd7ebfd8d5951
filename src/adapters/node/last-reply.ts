import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WireResponse } from "../../wire/index.ts";
import { rawReply } from "./refusals.ts";

/** How long a refused connection stays open in milliseconds, so that its peer can read the reason. */
const LINGER_MS = 1_000;

/**
 * Delays the close of a connection. Node closes it right after its last reply; a peer that still sends its body would
 * lose the reply.
 */
export function linger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/**
 * Writes a last reply. The peer may still be sending, and would lose the reply if the connection were closed at once.
 */
export function sendLastReply(socket: Duplex, reply: WireResponse): void {
  socket.end(rawReply(reply));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
