import type { SocketSession } from "../../../src/service/index.ts";
import { type JsonValue, readJson } from "../../../src/wire/index.ts";
import type { Instance } from "../instance.ts";
import type { WorldParts } from "../parts.ts";
import { member, type NoReply, type Reply } from "./wire.ts";

/** Callbacks of a connection. */
export type ConnectionHost = Readonly<{ event: (event: JsonValue) => void; ended: () => void }>;

/** More than any limit of bytes that may wait for a reader. */
const EVERYTHING = 100_000_000;

/** One WebSocket connection of a client to a process, without a socket. */
export class Connection {
  readonly instance: Instance;
  readonly #parts: WorldParts;
  readonly #host: ConnectionHost;
  readonly #waiting: Map<string, (reply: Reply | NoReply) => void> = new Map();
  readonly #session: SocketSession | undefined;
  readonly #offDeath: () => void;
  #open = true;
  /** Whether the reader has stopped reading. */
  slow = false;

  constructor(parts: WorldParts, instance: Instance, host: ConnectionHost) {
    this.instance = instance;
    this.#parts = parts;
    this.#host = host;
    this.#offDeath = instance.onDeath(() => this.#end());
    this.#session = instance.service?.sockets.connect({
      target: "/ws/listenKey",
      rawHeaders: [],
      remoteAddress: "127.0.0.1",
      send: (text) => this.#take(text),
      ping: () => instance.enter(() => this.#session?.ponged()),
      close: (code) => this.#closed(code),
      bufferedBytes: () => (this.slow ? EVERYTHING : 0),
    });
  }

  get open(): boolean {
    return this.#open;
  }

  /** Sends a message and resolves to its answer. */
  ask(id: string, text: string): Promise<Reply | NoReply> {
    if (!this.#open) return Promise.resolve("down");
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.instance.enter(() => {
        if (this.#open) this.#session?.receive(text);
      });
    });
  }

  /** Ends the connection, as the client or the network does. */
  break(): void {
    if (!this.#open) return;
    this.instance.enter(() => this.#session?.closed());
    this.#end();
  }

  #closed(code: number): void {
    if (this.slow && code === 1008) this.#parts.situations.observe("stream ended for a slow reader");
    this.instance.enter(() => this.#session?.closed());
    this.#end();
  }

  #end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#offDeath();
    for (const resolve of this.#waiting.values()) resolve("lost");
    this.#waiting.clear();
    this.#host.ended();
  }

  #take(text: string): void {
    if (!this.#open || this.instance.dead) return;
    this.#parts.requireThat(!text.includes("secret-"), "I72", text);
    const message = readJson(text);
    const event = member(message, "event");
    if (event !== undefined) return this.#host.event(event);
    const id = member(message, "id");
    const resolve = typeof id === "string" ? this.#waiting.get(id) : undefined;
    if (resolve === undefined || typeof id !== "string") return;
    this.#waiting.delete(id);
    const status = member(message, "status");
    const body = member(message, "result") ?? member(message, "error") ?? null;
    resolve({ status: typeof status === "number" ? status : 0, body });
  }
}
