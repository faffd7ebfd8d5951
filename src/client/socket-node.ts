import type { FindSocketClass, SocketClass } from "./socket.ts";

/** Finds the WebSocket of Node.js; on Node.js 20, which has none, that of the package `ws`. */
export const findSocketClass: FindSocketClass = async () => {
  const { WebSocket } = globalThis as Readonly<{ WebSocket?: SocketClass }>;
  if (WebSocket !== undefined) return WebSocket;
  try {
    return (await import("ws")).WebSocket;
  } catch (cause) {
    throw new TypeError(
      "Node.js 20 has no WebSocket: install the package `ws`, or pass a class as `WebSocket`",
      {
        cause,
      },
    );
  }
};
