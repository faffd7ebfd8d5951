import { connect, type Socket } from "node:net";
import { OPCODE, rawFrame, readServerFrame } from "./frames.ts";
import { PATIENCE_MS } from "./http-lane.ts";

/** The result of a message: its reply as text, or the close code of the connection. */
export type SocketOutcome = Readonly<{ reply: string } | { closed: number }>;

/** Close code of a connection that ended without one. */
const NO_CODE = 1006;

/** The request that opens a WebSocket. */
export const handshake = (path: string, address: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    ...["Host: a", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `X-Forwarded-For: ${address}`, "", ""],
  ].join("\r\n");

/** The content of a WebSocket connection: texts, and the code of its end. */
export type ReceivedFrames = Readonly<{
  texts: readonly string[];
  code: number | undefined;
  pings: number;
  end: number;
}>;

/** Reads all complete frames. Throws for frames that no server may send. */
export function readFrames(bytes: Buffer): ReceivedFrames {
  const texts: string[] = [];
  let code: number | undefined;
  let pings = 0;
  let at = 0;
  for (;;) {
    const frame = readServerFrame(bytes.subarray(at));
    if (frame === undefined) return { texts, code, pings, end: at };
    at += frame.end;
    if (frame.opcode === OPCODE.text) texts.push(frame.payload.toString("utf8"));
    else if (frame.opcode === OPCODE.close)
      code = frame.payload.length < 2 ? 1005 : frame.payload.readUInt16BE(0);
    else if (frame.opcode === OPCODE.ping) pings++;
    else if (frame.opcode !== OPCODE.pong)
      throw new Error(`a frame of the server with opcode ${frame.opcode}`);
  }
}

/** Whether a text is the reply to a message and not an event. */
export const isReply = (text: string): boolean => Object.hasOwn(JSON.parse(text) as object, "id");

/** A persistent WebSocket connection for one message at a time; it reconnects when it has ended. */
export class SocketLane {
  readonly #port: number;
  readonly #path: string;
  readonly #address: () => string;
  readonly #onEvent: (text: string) => void;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #replies: string[] = [];
  #code: number | undefined;
  #broken: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(
    port: number,
    options: Readonly<{ path: string; address: () => string; onEvent: (text: string) => void }>,
  ) {
    this.#port = port;
    this.#path = options.path;
    this.#address = options.address;
    this.#onEvent = options.onEvent;
  }

  /** Sends a message and resolves to its reply, or to how the connection ended. Rejects after {@link PATIENCE_MS}. */
  async ask(bytes: Buffer): Promise<SocketOutcome> {
    if (this.#socket === undefined) await this.#open();
    const socket = this.#socket;
    this.#replies = [];
    socket?.write(bytes);
    await this.#until(() => this.#replies.length > 0 || this.#socket !== socket);
    const [reply] = this.#replies;
    return reply === undefined ? { closed: this.#code ?? NO_CODE } : { reply };
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #until(holds: () => boolean): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    const timer = setTimeout(() => this.#wake(), PATIENCE_MS);
    try {
      while (!holds()) {
        if (this.#broken !== undefined) throw this.#broken;
        if (Date.now() >= until) throw new Error(`no reply in ${PATIENCE_MS} ms`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(): Promise<void> {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    this.#code = undefined;
    let shaken = false;
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      this.#received = Buffer.concat([this.#received, data]);
      const headEnd = shaken ? -1 : this.#received.indexOf("\r\n\r\n");
      if (headEnd >= 0) {
        shaken = this.#received.toString("latin1", 9, 12) === "101";
        this.#received = this.#received.subarray(headEnd + 4);
      }
      if (shaken) this.#receive(socket);
      this.#wake();
    });
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#wake();
    });
    socket.write(handshake(this.#path, this.#address()));
    await this.#until(() => shaken || this.#socket !== socket);
    if (!shaken)
      throw new Error(`no WebSocket at ${this.#path}: ${this.#received.toString("latin1").slice(0, 300)}`);
  }

  #receive(socket: Socket): void {
    try {
      const { texts, code, pings, end } = readFrames(this.#received);
      this.#received = this.#received.subarray(end);
      this.#code ??= code;
      for (const text of texts) {
        if (isReply(text)) this.#replies.push(text);
        else this.#onEvent(text);
      }
      const pong = rawFrame({ opcode: OPCODE.pong, payload: Buffer.alloc(0), masked: true });
      for (let count = 0; count < pings; count++) socket.write(pong);
      if (code !== undefined) socket.destroy();
    } catch (error) {
      this.#broken = error instanceof Error ? error : new Error(String(error));
    }
  }
}
