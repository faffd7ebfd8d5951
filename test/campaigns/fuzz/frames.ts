import type { Random } from "../../../src/common/random.ts";

/** Opcodes of RFC 6455. */
export const OPCODE = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A client's frame to build, valid or not. */
export type FrameParts = Readonly<{
  opcode: number;
  payload: Buffer;
  masked: boolean;
  /** Whether it ends its message; default true. */
  last?: boolean;
  /** Reserved bits, 0 to 7; default 0. */
  reserved?: number;
  /** The length in its header; default the true length. */
  length?: number;
  mask?: readonly number[];
}>;

/** The bytes of a frame. */
export function rawFrame(parts: FrameParts): Buffer {
  const {
    opcode,
    payload,
    masked,
    last = true,
    reserved = 0,
    length = payload.length,
    mask = [7, 1, 9, 4],
  } = parts;
  const first = (last ? 0x80 : 0) | (reserved << 4) | opcode;
  const bit = masked ? 0x80 : 0;
  const key = masked ? Buffer.from(mask) : Buffer.alloc(0);
  const body = masked ? payload.map((byte, index) => byte ^ (mask[index & 3] ?? 0)) : payload;
  return Buffer.concat([Buffer.from([first]), lengthBytes(length, bit), key, body]);
}

function lengthBytes(length: number, bit: number): Buffer {
  if (length < 126) return Buffer.from([bit | length]);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 9);
  bytes[0] = bit | (length < 65_536 ? 126 : 127);
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

const maskOf = (random: Random): readonly number[] => Array.from({ length: 4 }, () => random.below(256));

/** A text message in one frame. */
export function frame(text: string, random: Random): Buffer {
  return rawFrame({ opcode: OPCODE.text, payload: Buffer.from(text), masked: true, mask: maskOf(random) });
}

/** A text message in several frames, with pings and pongs between them: equally valid. */
export function fragments(text: string, random: Random): Buffer {
  const payload = Buffer.from(text);
  if (payload.length === 0) return frame(text, random);
  const parts: Buffer[] = [];
  for (let at = 0, opcode: number = OPCODE.text; at < payload.length; opcode = OPCODE.more) {
    const end = Math.min(payload.length, at + 1 + random.below(payload.length));
    const mask = maskOf(random);
    parts.push(
      rawFrame({
        opcode,
        payload: payload.subarray(at, end),
        masked: true,
        mask,
        last: end === payload.length,
      }),
    );
    if (end < payload.length && random.below(3) === 0) {
      parts.push(
        rawFrame({
          opcode: random.pick([OPCODE.ping, OPCODE.pong]),
          payload: Buffer.from("p"),
          masked: true,
          mask,
        }),
      );
    }
    at = end;
  }
  return Buffer.concat(parts);
}

/** A frame of a server. */
export type ServerFrame = Readonly<{ opcode: number; payload: Buffer; end: number }>;

/** Reads the frame at the start of `bytes`; undefined if it is incomplete. Throws if it is masked or not final. */
export function readServerFrame(bytes: Buffer): ServerFrame | undefined {
  if (bytes.length < 2) return undefined;
  const [first = 0, second = 0] = bytes;
  if ((first & 0xf0) !== 0x80 || second > 127)
    throw new Error(`a frame of the server begins with ${first} ${second}`);
  const start = second < 126 ? 2 : second === 126 ? 4 : 10;
  if (bytes.length < start) return undefined;
  const length =
    second < 126 ? second : second === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = start + length;
  return bytes.length < end ? undefined : { opcode: first & 0x0f, payload: bytes.subarray(start, end), end };
}
