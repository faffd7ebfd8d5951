/** One complete text frame in the received bytes, and the start of the next; undefined if it is incomplete. */
export type Frame = Readonly<{ text: string; end: number }>;

const TEXT_FRAME = 0x81;
const MASKED = 0x80;

/** Reads the unmasked text frame at the start of `bytes`. Throws for a frame of another kind. */
export function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 4) return undefined;
  if (bytes[0] !== TEXT_FRAME) throw new Error(`a frame that is not a complete text: ${bytes[0]}`);
  const short = bytes[1] ?? 0;
  if (short > 126) throw new Error("a frame of more than 65,535 bytes");
  const start = short === 126 ? 4 : 2;
  const end = start + (short === 126 ? bytes.readUInt16BE(2) : short);
  return bytes.length < end ? undefined : { text: bytes.toString("utf8", start, end), end };
}

/** The bytes of a client's text frame. The mask is all zeros, so that frames can be prepared and cost nothing. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 65_535) throw new RangeError("a frame of more than 65,535 bytes");
  const head =
    payload.length < 126
      ? Buffer.from([TEXT_FRAME, MASKED | payload.length])
      : Buffer.from([TEXT_FRAME, MASKED | 126, payload.length >> 8, payload.length & 255]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

/** The request that opens a WebSocket. */
export const HANDSHAKE: Buffer = Buffer.from(
  [
    "GET /ws/listenKey HTTP/1.1",
    "Host: 127.0.0.1",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "",
    "",
  ].join("\r\n"),
);
