import type { SocketClass } from "managed-orders/client";
import { WebSocket } from "ws";

/** A network that can fail: it cuts all connections off, and makes none until it is restored. */
export type Network = Readonly<{ WebSocket: SocketClass; cut: () => void; restore: () => void }>;

export function createNetwork(): Network {
  const sockets = new Set<WebSocket>();
  let down = false;
  class CuttableSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.add(this);
      this.on("close", () => sockets.delete(this));
      if (down) this.terminate();
    }
  }
  return {
    WebSocket: CuttableSocket,
    cut() {
      down = true;
      for (const socket of sockets) socket.terminate();
    },
    restore() {
      down = false;
    },
  };
}
