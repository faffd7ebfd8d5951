import { connect, type Socket } from "node:net";

/** An answer as it arrived over a socket. */
export type RawAnswer = Readonly<{ status: number; headers: ReadonlyMap<string, string>; body: string }>;

const HEAD_END = "\r\n\r\n";

/** The first answer in the received bytes, and the rest; undefined if it is incomplete. */
function takeAnswer(received: string): Readonly<{ value: RawAnswer; rest: string }> | undefined {
  const end = received.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = received.slice(0, end).split("\r\n");
  const status = Number.parseInt(statusLine.split(" ")[1] ?? "", 10);
  const from = end + HEAD_END.length;
  if (status === 100) return takeAnswer(received.slice(from));
  const headers = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = Number.parseInt(headers.get("content-length") ?? "0", 10);
  if (received.length < from + length) return undefined;
  const body = received.slice(from, from + length);
  return { value: { status, headers, body }, rest: received.slice(from + length) };
}

/** Reads a whole unit at the start of received bytes. Returns it and the rest; undefined if it is incomplete. */
export type TakeFrom<T> = (received: string) => Readonly<{ value: T; rest: string }> | undefined;

/** A connection on which a test writes bytes and reads answers. Text is written as Latin-1, one byte per character. */
export type RawConnection = Readonly<{
  write(text: string | Uint8Array): void;
  /** The next answer; rejects if the connection ends before it is complete. */
  answer(): Promise<RawAnswer>;
  /** What `read` finds at the start of the received bytes; rejects if the connection ends before that. */
  take<T>(read: TakeFrom<T>): Promise<T>;
  /** Resolves when the server has ended the connection. */
  ended: Promise<void>;
  /** The received bytes that are not a complete answer yet. */
  received(): string;
  close(): void;
}>;

/** Opens a connection to a port of this machine. */
export async function openConnection(port: number): Promise<RawConnection> {
  const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
  let received = "";
  let open = true;
  let wake: () => void = () => undefined;
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    received += text;
    wake();
  });
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => {
    socket.on("close", () => {
      open = false;
      wake();
      resolve();
    });
  });
  socket.on("end", () => socket.end());
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const take = async <T>(read: TakeFrom<T>): Promise<T> => {
    for (;;) {
      const taken = read(received);
      if (taken !== undefined) {
        received = taken.rest;
        return taken.value;
      }
      if (!open) throw new Error(`the connection ended after ${JSON.stringify(received)}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    write: (text) => void socket.write(typeof text === "string" ? Buffer.from(text, "latin1") : text),
    answer: () => take(takeAnswer),
    take,
    ended,
    received: () => received,
    close: () => socket.destroy(),
  };
}

/** A request before it becomes bytes; nothing in it is checked or encoded. */
export type RawRequest = Readonly<{
  method: string;
  target: string;
  headers?: readonly string[];
  body?: string | Uint8Array;
  /** Sends the body in chunks, without its length. */
  chunked?: boolean;
}>;

/** The bytes of a request, with the length of its body if it has one. */
export function rawBytes({
  method,
  target,
  headers = [],
  body = "",
  chunked = false,
}: RawRequest): Uint8Array {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const lines = ["Host: 127.0.0.1"];
  for (let index = 0; index < headers.length; index += 2)
    lines.push(`${headers[index]}: ${headers[index + 1]}`);
  if (chunked) lines.push("Transfer-Encoding: chunked");
  else if (bytes.length > 0) lines.push(`Content-Length: ${bytes.length}`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1");
  if (!chunked) return Buffer.concat([head, bytes]);
  const size = Buffer.from(`${bytes.length.toString(16)}\r\n`);
  return Buffer.concat([head, size, bytes, Buffer.from("\r\n0\r\n\r\n")]);
}
