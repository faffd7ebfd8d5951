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
type TakeFrom<T> = (received: string) => Readonly<{ value: T; rest: string }> | undefined;

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

/** A frame as RFC 6455 has it. The payload has one character per byte. */
export type Frame = Readonly<{ opcode: number; payload: string }>;

/** Opcode of a text. */
export const TEXT = 1;
/** Opcode of a binary message. */
export const BINARY = 2;
/** Opcode of a close. */
export const CLOSE = 8;
/** Opcode of a ping. */
export const PING = 9;
/** Opcode of the answer to a ping. */
export const PONG = 10;

/** The example of RFC 6455, section 1.3. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
/** The answer to {@link KEY}. */
export const ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/** Returns the bytes of an upgrade request. */
export const upgradeBytes = (target: string, headers: readonly string[] = []): Uint8Array =>
  rawBytes({
    ...{ method: "GET", target },
    headers: [
      ...["Connection", "Upgrade", "Upgrade", "websocket"],
      ...["Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", KEY],
      ...["Sec-WebSocket-Extensions", "permessage-deflate", ...headers],
    ],
  });

/** Returns the bytes of a frame of a client, masked. The payload is shorter than 126 bytes. */
export function frameBytes(opcode: number, payload: string | Uint8Array = "", isLast = true): Uint8Array {
  const [bytes, mask] = [Buffer.from(payload), [0x5a, 0x01, 0xff, 0x80]];
  const masked = bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.from([(isLast ? 0x80 : 0) | opcode, 0x80 | bytes.length, ...mask, ...masked]);
}

/** Reads a frame of a server whose payload is shorter than 65,536 bytes. */
export const takeFrame: TakeFrom<Frame> = (received) => {
  const bytes = Buffer.from(received.slice(0, 4), "latin1");
  const short = (bytes[1] ?? 0) & 0x7f;
  const from = short === 126 ? 4 : 2;
  if (received.length < from) return undefined;
  const end = from + (short === 126 ? bytes.readUInt16BE(2) : short);
  if (received.length < end) return undefined;
  return {
    value: { opcode: (bytes[0] ?? 0) & 0x0f, payload: received.slice(from, end) },
    rest: received.slice(end),
  };
};
