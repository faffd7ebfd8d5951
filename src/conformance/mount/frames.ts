import { type RawConnection, rawBytes, type TakeFrom } from "./raw-http.ts";
import type { MountWorld } from "./world.ts";

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
const takeFrame: TakeFrom<Frame> = (received) => {
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

/** Returns the next frame of a server. Throws a Mismatch if none comes in time. */
export const frameOf = (world: MountWorld, connection: RawConnection): Promise<Frame> =>
  world.within("the next frame", connection.take(takeFrame));
