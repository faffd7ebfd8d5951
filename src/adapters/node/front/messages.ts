import type { Telemetry } from "../../../ports/index.ts";
import type { NodeServerLimits } from "../server-api.ts";

/*
 * What main thread and front threads tell each other: lists of flat messages, one list a turn of the event loop, since a
 * structured clone costs by the number of values more than by their length. So headers and parameters go as one text
 * each. Source: decision HR.
 */

/** Verdict on a connection: counted, one too many of its address, or one too many in all. */
export type Verdict = "in" | "out" | "full";

/** A front thread's work on a request or message: number of the secret, signature, parameters, and of a message its envelope. */
export type WorkText = readonly [
  secret: number,
  signature: string,
  parameters: string,
  id?: string | number | bigint | null,
  method?: string,
];

/** What a front thread tells. Every number that is not named otherwise is one that the thread gave. */
export type ToMain =
  /** It listens; the descriptor of its socket. */
  | readonly ["listens", descriptor: number]
  /** It cannot listen. */
  | readonly ["cannot", reason: string, code: string | undefined]
  /** A request; its body as text of one character a byte. */
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
  /** A connection was opened, of a network or of nobody yet. */
  | readonly ["open", id: number, network: string | undefined]
  /** A request stands for a connection of a network. */
  | readonly ["enter", id: number, network: string]
  /** One of both has ended. */
  | readonly ["leave", id: number]
  /** What a guest holds changed by so much; the first time with its network. */
  | readonly ["hold", id: number, unread: number, unsent: number, network?: string]
  | readonly ["end", id: number]
  /** A WebSocket begins. */
  | readonly ["connect", id: number, target: string, head: string, remoteAddress: string]
  | readonly ["text", id: number, text: string, work: WorkText | undefined]
  | readonly ["binary", id: number]
  | readonly ["ping", id: number]
  | readonly ["pong", id: number]
  | readonly ["gone", id: number]
  | readonly ["arriving", id: number, bytes: number]
  /** So much of what was sent to it in all has left the thread. */
  | readonly ["left", id: number, length: number]
  | readonly ["event", level: Level, name: string, fields: Fields]
  /** Everything has ended. */
  | readonly ["closed"];

/** The messages of a front thread that begin with a word. */
export type Told<Word extends ToMain[0]> = Extract<ToMain, readonly [word: Word, ...rest: unknown[]]>;

type Level = Parameters<Telemetry["event"]>[0];
type Fields = Parameters<Telemetry["event"]>[2];

/** What the main thread tells. */
export type ToFront =
  | readonly ["reply", id: number, status: number, head: string, body: string]
  /** The service threw an error of that name. */
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
  /** What signatures of an API key are made with from now on, and the number of that; forgotten without a secret. */
  | readonly ["secret", apiKey: string, number: number, secret: string | undefined]
  /** So many messages were dealt with. */
  | readonly ["heard", messages: number]
  | readonly ["end", graceMs: number];

/** What a front thread begins with. */
export type FrontData = Readonly<{
  /** The listening socket of which it takes a copy. */
  descriptor: number;
  limits: Required<NodeServerLimits>;
  hasSockets: boolean;
  /** Frames of one WebSocket in one turn; more end it. */
  maxFrames: number;
  connectionsPerAddress: number;
  trustedProxies: readonly string[];
}>;
