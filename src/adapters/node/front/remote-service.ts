import type { SocketPeer, SocketService, SocketSession } from "../../../service/index.ts";
import { dialectAt, type Worked, workMessage, workRequest } from "../../../service/internal.ts";
import type { WireRequest, WireResponse } from "../../../wire/index.ts";
import { Evicted } from "../refusals.ts";
import {
  type Batch,
  joinHead,
  joinParameters,
  splitHeaders,
  type ToMain,
  textOfBytes,
  type WorkText,
} from "./messages.ts";
import { Remeasure } from "./remote-gate.ts";

/**
 * The secrets with which a front thread verifies signatures. The main thread sends a secret after it has verified a
 * signature made with it, and withdraws it when it learns of another. It still asks the host for the key of every
 * request.
 */
export class Secrets {
  readonly #known: Map<string, Readonly<{ number: number; secret: string }>> = new Map();

  /** Stores a secret, or removes it if `secret` is undefined. */
  store(apiKey: string, number: number, secret: string | undefined): void {
    if (secret === undefined) this.#known.delete(apiKey);
    else this.#known.set(apiKey, { number, secret });
  }

  secretOf(apiKey: string): string | undefined {
    return this.#known.get(apiKey)?.secret;
  }

  numberOf(apiKey: string): number {
    return this.#known.get(apiKey)?.number ?? -1;
  }
}

type Waiting = Readonly<{
  resolve: (reply: WireResponse | undefined) => void;
  reject: (error: Error) => void;
}>;

/** Returns the results of a front thread in the form in which they are sent. */
function workText({ apiKey, signature, parameters, envelope }: Worked, secrets: Secrets): WorkText {
  const work = [secrets.numberOf(apiKey), signature, joinParameters(parameters)] as const;
  return envelope === undefined ? work : [...work, envelope.id, envelope.method];
}

/** Sends requests to the service on the main thread and resolves with the answers. */
export class RemoteRequests {
  readonly #batch: Batch<ToMain>;
  readonly #secrets: Secrets;
  readonly #waiting: Map<number, Waiting> = new Map();
  #count = 0;

  constructor(batch: Batch<ToMain>, secrets: Secrets) {
    this.#batch = batch;
    this.#secrets = secrets;
  }

  async handle(request: WireRequest): Promise<WireResponse> {
    const { method, target, rawHeaders, body, remoteAddress } = request;
    const worked = workRequest(request, (apiKey) => this.#secrets.secretOf(apiKey));
    const work = worked && workText(worked, this.#secrets);
    const reply = await this.#requested((id) => {
      const [head, text] = [joinHead(rawHeaders), textOfBytes(body)];
      return ["request", id, method, target, head, text, remoteAddress, work];
    });
    if (reply === undefined) throw new RangeError("a request was admitted");
    return reply;
  }

  admit({ method, target, rawHeaders, remoteAddress }: WireRequest): Promise<WireResponse | undefined> {
    return this.#requested((id) => ["admit", id, method, target, joinHead(rawHeaders), remoteAddress]);
  }

  replied(id: number, status: number, head: string, body: string): void {
    this.#take(id)?.resolve({ status, headers: splitHeaders(head), body });
  }

  admitted(id: number): void {
    this.#take(id)?.resolve(undefined);
  }

  threw(id: number, name: string): void {
    this.#take(id)?.reject(Object.assign(new Error("the service threw"), { name }));
  }

  cut(id: number): void {
    this.#take(id)?.reject(new Evicted());
  }

  #requested(messageOf: (id: number) => ToMain): Promise<WireResponse | undefined> {
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      this.#waiting.set(id, { resolve, reject });
      this.#batch.add(messageOf(id));
    });
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }
}

/**
 * One WebSocket: the length of text sent to its peer, how much of it is known to have left, and how many bytes of a
 * message have arrived.
 */
type Line = {
  readonly id: number;
  readonly peer: SocketPeer;
  sent: number;
  reportedLeft: number;
  arriving: number;
  reportedArriving: number;
  /** Frames received in this turn. */
  frames: number;
};

type Parts = Readonly<{
  batch: Batch<ToMain>;
  requests: RemoteRequests;
  secrets: Secrets;
  maxFrames: number;
}>;

/** Close code of RFC 6455 for a policy violation. */
const POLICY = 1008;

/** Passes WebSocket connections of a front thread to the service on the main thread. */
export class RemoteSockets implements SocketService {
  readonly #parts: Parts;
  readonly #lines: Map<number, Line> = new Map();
  readonly #changed: Set<Line> = new Set();
  readonly #unsent: Remeasure<Line> = new Remeasure((lines) => {
    for (const line of lines) this.#change(line);
  });
  #count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  admit(request: WireRequest): Promise<WireResponse | undefined> {
    return this.#parts.requests.admit(request);
  }

  connect(peer: SocketPeer): SocketSession {
    const { batch, secrets } = this.#parts;
    const id = ++this.#count;
    const dialect = dialectAt(peer.target);
    const line: Line = { id, peer, sent: 0, reportedLeft: 0, arriving: 0, reportedArriving: 0, frames: 0 };
    this.#lines.set(id, line);
    batch.add(["connect", id, peer.target, joinHead(peer.rawHeaders), peer.remoteAddress]);
    return {
      receive: (text) => {
        if (!this.#takes(line)) return;
        const worked = workMessage(text, (apiKey) => secrets.secretOf(apiKey), dialect);
        batch.add(["text", id, text, worked && workText(worked, secrets)]);
      },
      receiveBinary: () => this.#frame("binary", line),
      arriving: (bytes) => {
        line.arriving = bytes;
        this.#change(line);
      },
      pinged: () => this.#frame("ping", line),
      ponged: () => this.#frame("pong", line),
      closed: () => {
        this.#lines.delete(id);
        this.#changed.delete(line);
        batch.add(["gone", id]);
      },
    };
  }

  /** Does nothing: the main thread announces the shutdown once for all connections. */
  shutdown(): void {}

  send(id: number, text: string): void {
    const line = this.#lines.get(id);
    if (line === undefined) return;
    line.sent += text.length;
    line.peer.send(text);
    this.#change(line);
  }

  ping(id: number): void {
    this.#lines.get(id)?.peer.ping();
  }

  close(id: number, code: number, reason: string): void {
    this.#lines.get(id)?.peer.close(code, reason);
  }

  drop(id: number): void {
    this.#lines.get(id)?.peer.drop?.();
  }

  /** Adds the changes since the last list to the next one. */
  report(): void {
    const { batch } = this.#parts;
    for (const line of this.#changed) {
      line.frames = 0;
      if (line.arriving !== line.reportedArriving) {
        line.reportedArriving = line.arriving;
        batch.add(["arriving", line.id, line.arriving]);
      }
      const waiting = Math.min(line.sent - line.reportedLeft, line.peer.bufferedBytes());
      if (waiting > 0) this.#unsent.add(line);
      if (line.sent - waiting === line.reportedLeft) continue;
      line.reportedLeft = line.sent - waiting;
      batch.add(["left", line.id, line.reportedLeft]);
    }
    this.#changed.clear();
  }

  #frame(kind: "binary" | "ping" | "pong", line: Line): void {
    if (this.#takes(line)) this.#parts.batch.add([kind, line.id]);
  }

  /**
   * Returns whether a whole frame is passed on. The main thread counts frames per second and closes the connection, but
   * a single chunk can contain more frames than that before it reacts.
   */
  #takes(line: Line): boolean {
    // After a frame the main thread counts arriving bytes from zero.
    line.arriving = 0;
    line.reportedArriving = 0;
    const { maxFrames } = this.#parts;
    if (++line.frames === 1) this.#change(line);
    if (line.frames === maxFrames + 1) {
      line.peer.close(POLICY, `more than ${maxFrames} frames a second`);
    }
    return line.frames <= maxFrames + 1;
  }

  #change(line: Line): void {
    this.#changed.add(line);
    this.#parts.batch.plan();
  }
}
