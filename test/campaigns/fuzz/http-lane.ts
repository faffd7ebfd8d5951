import { connect, type Socket } from "node:net";

/** An answer as it arrived. */
export type HttpReply = Readonly<{ status: number; headers: ReadonlyMap<string, string>; body: string }>;

const HEAD_END = "\r\n\r\n";

/** Longest wait for an answer, or for the end of a connection. */
export const PATIENCE_MS = 6_000;

/** Reads the answer at the start of `bytes`; undefined if it is incomplete. `bodiless`: it answers a HEAD. */
export function readReply(
  bytes: Buffer,
  bodiless: boolean,
): Readonly<{ reply: HttpReply; end: number }> | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(first.split(" ")[1]);
  const start = headEnd + HEAD_END.length;
  if (status === 100) {
    const next = readReply(bytes.subarray(start), bodiless);
    return next && { ...next, end: start + next.end };
  }
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = bodiless ? 0 : Number(headers.get("content-length") ?? 0);
  if (bytes.length < start + length) return undefined;
  const body = bytes.toString("utf8", start, start + length);
  return { reply: { status, headers, body }, end: start + length };
}

const isHead = (bytes: Buffer): boolean => bytes.subarray(0, 5).toString("latin1") === "HEAD ";

/** A persistent connection for one request at a time; it reconnects when it has ended. */
export class HttpLane {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends a request and resolves to its answer; undefined if the connection ended without one. Rejects after {@link
   * PATIENCE_MS}.
   */
  async ask(bytes: Buffer): Promise<HttpReply | undefined> {
    const socket = this.#socket ?? (await this.#open());
    socket.write(bytes);
    const timer = setTimeout(() => this.#wake(), PATIENCE_MS);
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const taken = readReply(this.#received, isHead(bytes));
      if (taken !== undefined || this.#socket !== socket || Date.now() >= until) {
        clearTimeout(timer);
        if (taken === undefined && this.#socket === socket) throw new Error(`no answer in ${PATIENCE_MS} ms`);
        this.#received = this.#received.subarray(taken?.end ?? 0);
        if (taken?.reply.headers.get("connection") === "close") this.close();
        return taken?.reply;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket> {
    const socket = connect({ port: this.#port, host: "127.0.0.1", noDelay: true });
    this.#received = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      if (this.#socket !== socket) return;
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#wake();
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    this.#socket = socket;
    return socket;
  }
}

/** How a separate connection is left: half closed soon, or open until the server answers. */
export type Leaving = Readonly<{ halfCloses: boolean; lastWords?: Buffer }>;

const SOON_MS = 40;

/**
 * Sends bytes on a separate connection and resolves to everything that arrived until it ended. Rejects if the server
 * has not ended it after {@link PATIENCE_MS}.
 */
export function askAlone(port: number, bytes: Buffer, { halfCloses, lastWords }: Leaving): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let leaving = false;
    const leave = (): void => {
      if (leaving) return;
      leaving = true;
      if (lastWords !== undefined) socket.write(lastWords);
      setTimeout(() => socket.end(), lastWords === undefined ? 0 : SOON_MS);
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server has not ended the connection in ${PATIENCE_MS} ms`));
    }, PATIENCE_MS);
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      chunks.push(data);
      leave();
    });
    socket.on("end", () => socket.end());
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
    socket.write(bytes);
    if (halfCloses) setTimeout(leave, SOON_MS);
  });
}

/** All answers in the bytes of a connection. */
export function readReplies(received: Buffer, request: Buffer): readonly HttpReply[] {
  const replies: HttpReply[] = [];
  for (let at = 0; at < received.length; ) {
    const taken = readReply(received.subarray(at), isHead(request));
    if (taken === undefined) return replies;
    replies.push(taken.reply);
    at += taken.end;
    if (taken.reply.status === 101) return replies;
  }
  return replies;
}
