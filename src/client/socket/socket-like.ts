/** What a client reads of an event of a WebSocket. */
export interface SocketEvent {
  readonly type: string;
  /** The text of a message. */
  readonly data?: unknown;
  /** What failed, on platforms that say so. */
  readonly message?: unknown;
}

/** What a client uses of a WebSocket: that of a browser, of Node.js or of the package `ws`. */
export interface SocketLike {
  addEventListener(
    type: "open" | "message" | "close" | "error",
    listener: (event: SocketEvent) => void,
  ): void;
  send(text: string): void;
  close(): void;
}

/** The class of WebSockets: `globalThis.WebSocket`, or one like it. */
export type SocketClass = new (url: string) => SocketLike;

/** Resolves to the class of the platform's WebSockets. */
export type FindSocketClass = () => Promise<SocketClass>;
