/**
 * Kind of a frame between two nodes. `hello`: the receiver begins a connection with the session of its seals. `request`:
 * a sealed request. `reply` and `refusal`: its answer. `event`: one event of the stream that a request has opened. `end`:
 * the end of that stream. `beat`: says that its sender is there, and is answered by another one.
 */
type FrameKind = "hello" | "request" | "reply" | "refusal" | "event" | "end" | "beat";

/** One frame; answers have the number of their request. */
export type Frame = Readonly<{ kind: FrameKind; number: number; payload: Uint8Array }>;

const KINDS: readonly FrameKind[] = [
  ...(["hello", "request", "reply", "refusal"] as const),
  ...(["event", "end", "beat"] as const),
];

/** Version of the protocol. Another one is refused, because its frames cannot be read. */
const VERSION = 2;

/** Bytes before the payload: its length, the version, the kind, the number. */
const HEAD_BYTES = 10;

/** Highest number of a request on one connection. */
export const MOST_NUMBER = 0xff_ff_ff_ff;

/** Writes a frame. */
export function frameOf({ kind, number, payload }: Frame): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + payload.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, payload.length);
  view.setUint8(4, VERSION);
  view.setUint8(5, KINDS.indexOf(kind));
  view.setUint32(6, number);
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

/** Why a stream of frames cannot be read on. */
type FrameFault = "MALFORMED" | "TOO_LONG";

/** Puts frames together from the bytes of a connection, and never holds more than the longest frame and one chunk. */
export class FrameReader {
  readonly #longest: number;
  #chunks: Uint8Array[] = [];
  #held = 0;

  /** Frames with more than `longest` bytes of payload are refused by their head. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether part of a frame has arrived. */
  get isInside(): boolean {
    return this.#held > 0;
  }

  /** Takes bytes and returns the frames that are whole now, or why no further frame can be read. */
  read(chunk: Uint8Array): Readonly<{ frames: readonly Frame[]; fault?: FrameFault }> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const frames: Frame[] = [];
    for (;;) {
      const head = this.#head();
      if (head === undefined) return { frames };
      if (typeof head === "string") return { frames, fault: head };
      if (this.#held < HEAD_BYTES + head.length) return { frames };
      const bytes = this.#take(HEAD_BYTES + head.length);
      frames.push({ kind: head.kind, number: head.number, payload: bytes.subarray(HEAD_BYTES) });
    }
  }

  #head(): Readonly<{ length: number; kind: FrameKind; number: number }> | FrameFault | undefined {
    if (this.#held < HEAD_BYTES) return undefined;
    if ((this.#chunks[0]?.length ?? 0) < HEAD_BYTES) this.#chunks = [this.#joined()];
    const [first = new Uint8Array()] = this.#chunks;
    const view = new DataView(first.buffer, first.byteOffset, HEAD_BYTES);
    const kind = KINDS[view.getUint8(5)];
    if (view.getUint8(4) !== VERSION || kind === undefined) return "MALFORMED";
    const length = view.getUint32(0);
    return length > this.#longest ? "TOO_LONG" : { length, kind, number: view.getUint32(6) };
  }

  #take(length: number): Uint8Array {
    const whole = this.#chunks.length === 1 ? (this.#chunks[0] ?? new Uint8Array()) : this.#joined();
    const rest = whole.subarray(length);
    this.#held = rest.length;
    this.#chunks = rest.length > 0 ? [rest] : [];
    return whole.subarray(0, length);
  }

  #joined(): Uint8Array {
    const whole = new Uint8Array(this.#held);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }
}
