import type { Telemetry } from "../../../ports/index.ts";
import type { Scalar, Parameters as WireParameters } from "../../../wire/index.ts";
import type { NodeServerLimits } from "../server-api.ts";

/*
 * Messages between the main thread and the front threads. They are sent as lists of flat messages, one list per turn of the
 * event loop, because the cost of a structured clone depends on the number of values more than on their length. For the
 * same reason headers and parameters are sent as one text each.
 */

/** Verdict on a connection: counted, above the limit of its address, or above the total limit. */
export type Verdict = "in" | "out" | "full";

/**
 * A front thread's work on a request or message: the number of the secret, the signature, the parameters, and for a
 * message its envelope.
 */
export type WorkText = readonly [
  secret: number,
  signature: string,
  parameters: string,
  id?: string | number | bigint | null,
  method?: string,
];

/** Messages of a front thread. Every id is chosen by the thread, unless named otherwise. */
export type ToMain =
  /** The thread listens; the descriptor of its socket. */
  | readonly ["listens", descriptor: number]
  /** The thread cannot listen. */
  | readonly ["cannot", reason: string, code: string | undefined]
  /** A request. Its body is a text with one character per byte. */
  | readonly [
      "request",
      id: number,
      method: string,
      target: string,
      head: string,
      body: string,
      remoteAddress: string,
      work: WorkText | undefined,
    ]
  /** A request that asks for a WebSocket. */
  | readonly ["admit", id: number, method: string, target: string, head: string, remoteAddress: string]
  /** A connection was opened. Its network is undefined if it is not known yet. */
  | readonly ["open", id: number, network: string | undefined]
  /** A request counts as a connection of a network. */
  | readonly ["enter", id: number, network: string]
  /** The end of an `open` or an `enter`. */
  | readonly ["leave", id: number]
  /** Changes of the bytes that a guest holds. The first message names its network. */
  | readonly ["hold", id: number, unread: number, unsent: number, network?: string]
  | readonly ["end", id: number]
  /** A WebSocket connection starts. */
  | readonly ["connect", id: number, target: string, head: string, remoteAddress: string]
  | readonly ["text", id: number, text: string, work: WorkText | undefined]
  | readonly ["binary", id: number]
  | readonly ["ping", id: number]
  | readonly ["pong", id: number]
  | readonly ["gone", id: number]
  | readonly ["arriving", id: number, bytes: number]
  /** Total length of the sent text that has left the thread. */
  | readonly ["left", id: number, length: number]
  | readonly ["event", level: Parameters<Telemetry["event"]>[0], name: string, fields: Fields]
  /** Everything has ended. */
  | readonly ["closed"];

/** The messages of a front thread with a given first word. */
export type MessageOf<Word extends ToMain[0]> = Extract<ToMain, readonly [word: Word, ...rest: unknown[]]>;
type Fields = Parameters<Telemetry["event"]>[2];

/** Messages of the main thread. */
export type ToFront =
  | readonly ["reply", id: number, status: number, head: string, body: string]
  /** The service threw an error with this name. */
  | readonly ["threw", id: number, name: string]
  /** The connection of a request must end. */
  | readonly ["cut", id: number]
  | readonly ["admitted", id: number]
  | readonly ["verdict", id: number, verdict: Verdict]
  | readonly ["put out", id: number, scope: "connection" | "address" | "all"]
  | readonly ["send", id: number, text: string]
  | readonly ["ping", id: number]
  | readonly ["drop", id: number]
  | readonly ["close", id: number, code: number, reason: string]
  /** The secret of an API key from now on, with its number. Without a secret the thread drops it. */
  | readonly ["secret", apiKey: string, number: number, secret: string | undefined]
  /** Acknowledges a number of messages. */
  | readonly ["heard", messages: number]
  | readonly ["end", graceMs: number];

/** Start parameters of a front thread. */
export type FrontData = Readonly<{
  /** The listening socket that the thread copies. */
  descriptor: number;
  limits: Required<NodeServerLimits>;
  hasSockets: boolean;
  /** Frames of one WebSocket in one turn. More close it. */
  maxFrames: number;
  connectionsPerAddress: number;
  trustedProxies: readonly string[];
}>;

/*
 * Encodes headers, parameters and bytes as one text each, and decodes them. The separator cannot occur in them: Node
 * refuses headers with a control character, and the service's readers refuse such names and values.
 */
const SEPARATOR = "\n";

/** Joins names and values of headers, which alternate. */
export const joinHead = (rawHeaders: readonly string[]): string => rawHeaders.join(SEPARATOR);

/** Reverses {@link joinHead}. */
export const splitHead = (head: string): readonly string[] => (head === "" ? [] : head.split(SEPARATOR));

/** Joins the headers of a reply. */
export const joinHeaders = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}${SEPARATOR}${value}`)
    .join(SEPARATOR);

/** Reverses {@link joinHeaders}. */
export function splitHeaders(head: string): Record<string, string> {
  const parts = splitHead(head);
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < parts.length; index += 2)
    headers[parts[index] ?? ""] = parts[index + 1] ?? "";
  return headers;
}

const KINDS: readonly Scalar["kind"][] = ["text", "string", "integer", "boolean"];

/** Joins parameters with their kinds. Each value starts with the number of its kind. */
export function joinParameters(parameters: WireParameters): string {
  let joined = "";
  for (const [name, { kind, text }] of parameters) {
    joined += `${joined === "" ? "" : SEPARATOR}${name}${SEPARATOR}${KINDS.indexOf(kind)}${text}`;
  }
  return joined;
}

/** Reverses {@link joinParameters}. */
export function splitParameters(joined: string): WireParameters {
  const parts = splitHead(joined);
  const parameters = new Map<string, Scalar>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const value = parts[index + 1] ?? "";
    const kind = KINDS[value.charCodeAt(0) - 48] ?? "text";
    parameters.set(parts[index] ?? "", { text: value.slice(1), kind });
  }
  return parameters;
}

/** Returns bytes as a text with one character per byte, which is cloned faster than bytes. */
export const textOfBytes = (bytes: Uint8Array): string =>
  bytes.length === 0 ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

/** Collects the messages from one thread to another and sends them once per turn. */
export class Batch<T> {
  readonly #post: (messages: readonly T[]) => void;
  /**
   * Called before a batch is sent, to add messages that are known only then. `isAlone` says whether there are no other
   * messages.
   */
  readonly #before: (isAlone: boolean) => void;
  /** Maximum number of messages in transit. More wait until some are acknowledged. */
  readonly #most: number;
  readonly #whenAcknowledged: (() => void)[] = [];
  #messages: T[] = [];
  #planned = false;
  #unacknowledged = 0;

  constructor(
    post: (messages: readonly T[]) => void,
    {
      before = () => undefined,
      most = Number.POSITIVE_INFINITY,
    }: Readonly<{ before?: (isAlone: boolean) => void; most?: number }> = {},
  ) {
    this.#post = post;
    this.#before = before;
    this.#most = most;
  }

  /** Sends a message at the end of this turn. */
  add(message: T): void {
    this.#messages.push(message);
    this.plan();
  }

  /** Sends the collected messages at the end of this turn. */
  plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.flush();
    });
  }

  /** Sends the collected messages now, unless too many are in transit. */
  flush(): void {
    if (this.#unacknowledged >= this.#most) return;
    const planned = this.#planned;
    this.#planned = true;
    this.#before(this.#messages.length === 0);
    this.#planned = planned;
    if (this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    this.#unacknowledged += messages.length;
    this.#post(messages);
  }

  /** Records that messages in transit were acknowledged. */
  acknowledged(messages: number): void {
    this.#unacknowledged -= messages;
    this.flush();
    for (const run of this.#whenAcknowledged.splice(0)) run();
  }

  /** Runs a function in a later turn, once few enough messages are in transit. */
  soon(run: () => void): void {
    if (this.#unacknowledged < this.#most) setImmediate(run);
    else this.#whenAcknowledged.push(() => setImmediate(run));
  }
}
