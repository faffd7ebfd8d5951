import { errorName } from "../../../common/index.ts";
import type { Telemetry } from "../../../ports/index.ts";
import type { SocketPeer, SocketService, SocketSession } from "../../../service/index.ts";
import type { Batch } from "./batch.ts";
import { FrontCall } from "./front-call.ts";
import type { FrontKeys } from "./front-keys.ts";
import type { MessageOf, ToFront } from "./messages.ts";
import { splitHead } from "./texts.ts";

/** One WebSocket of a front thread, and how much of the text sent to it has left the process. */
type Line = { readonly session: SocketSession; left: number };

/** Kinds of messages that a front thread sends about its WebSockets. */
export type LineWord = "connect" | "text" | "binary" | "ping" | "pong" | "arriving" | "left" | "gone";

type Parts = Readonly<{
  sockets: SocketService | undefined;
  telemetry: Telemetry | undefined;
  batch: Batch<ToFront>;
  keys: FrontKeys;
}>;

/** The WebSockets of a front thread. Each is a connection of the service. */
export class FrontLines {
  readonly #parts: Parts;
  readonly #lines: Map<number, Line> = new Map();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  take(message: MessageOf<LineWord>): void {
    if (message[0] === "connect") return this.#connect(message);
    const line = this.#lines.get(message[1]);
    if (line === undefined) return;
    const { session } = line;
    switch (message[0]) {
      case "text":
        return session.receive(message[2], new FrontCall(this.#parts.keys, message[3]));
      case "binary":
        return session.receiveBinary();
      case "ping":
        return session.pinged();
      case "pong":
        return session.ponged();
      case "arriving":
        return session.arriving?.(message[2]);
      case "left":
        line.left = message[2];
        return;
      case "gone":
        this.#lines.delete(message[1]);
        return session.closed();
    }
  }

  /** Closes all connections of the thread, because the thread has ended. */
  gone(): void {
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    for (const { session } of lines) session.closed();
  }

  #connect(message: MessageOf<"connect">): void {
    const { sockets, telemetry, batch } = this.#parts;
    const id = message[1];
    try {
      if (sockets === undefined) throw new RangeError("the server has no WebSocket service");
      // The service may send before `connect` returns.
      const line = { session: NOBODY, left: 0 };
      this.#lines.set(id, line);
      line.session = sockets.connect(this.#peerOf(message, line));
    } catch (error) {
      this.#lines.delete(id);
      telemetry?.event("error", "service.threw", { error: errorName(error) });
      batch.add(["drop", id]);
    }
  }

  #peerOf([, id, target, head, remoteAddress]: MessageOf<"connect">, line: Line): SocketPeer {
    const { batch } = this.#parts;
    let sent = 0;
    return {
      ...{ target, rawHeaders: splitHead(head), remoteAddress },
      send(text) {
        sent += text.length;
        batch.add(["send", id, text]);
      },
      ping: () => batch.add(["ping", id]),
      bufferedBytes: () => sent - line.left,
      drop: () => batch.add(["drop", id]),
      close: (code, reason) => batch.add(["close", id, code, reason]),
    };
  }
}

const NOBODY: SocketSession = {
  receive: () => undefined,
  receiveBinary: () => undefined,
  pinged: () => undefined,
  ponged: () => undefined,
  closed: () => undefined,
};
