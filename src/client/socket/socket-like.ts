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
  /** Calls a listener for every event of a type. */
  addEventListener(
    type: "open" | "message" | "close" | "error",
    listener: (event: SocketEvent) => void,
  ): void;
  /** Sends a message. It is called only while the connection is open. */
  send(text: string): void;
  /** Ends the connection. May be called at any time, also more than once. */
  close(): void;
}

/** The class of WebSockets: `globalThis.WebSocket`, or one like it. */
export type SocketClass = new (url: string) => SocketLike;

/** Resolves to the class of the platform's WebSockets. */
export type FindSocketClass = () => Promise<SocketClass>;
