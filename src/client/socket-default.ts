import type { FindSocketClass, SocketClass } from "./socket.ts";

/** Finds the platform's own WebSocket, at the time of the call. */
export const findSocketClass: FindSocketClass = async () => {
  const { WebSocket } = globalThis as Readonly<{ WebSocket?: SocketClass }>;
  if (WebSocket === undefined) throw new TypeError("this platform has no WebSocket: pass one as `WebSocket`");
  return WebSocket;
};
