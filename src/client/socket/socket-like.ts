/** The members that a client reads of an event of a WebSocket. */
export interface SocketEvent {
  readonly type: string;
  /** The text of a message. */
  readonly data?: unknown;
  /** Description of the failure, on platforms that supply it. */
  readonly message?: unknown;
}

/**
 * The members that a client uses of a WebSocket. A WebSocket of a browser, of Node.js or of the package `ws` has them.
 */
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
