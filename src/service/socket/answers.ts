import type { Dialect, MethodDescriptor } from "../../requests/index.ts";
import type { Parameters } from "../../wire/index.ts";
import type { Front } from "../access/front-work.ts";
import type { Answer } from "../rest/parts.ts";

/** A weighed message whose method is served and whose params are read. */
export type MethodCall = Readonly<{
  method: MethodDescriptor;
  signed: Parameters;
  own: Parameters;
  front: Front | undefined;
  /** The message as sent. */
  text: string;
  /** Target of the connection, path and query. */
  target: string;
  dialect: Dialect;
  /** Address of the client. */
  address: string;
  /** Name of the client's connection, if it is one of this node. */
  connection: string | undefined;
  /** Weight that the client's address has used in this minute. */
  usedWeight: number;
  /** Time after which nothing is decided, of a message that another node has received. */
  expiresAtMs: number | undefined;
}>;

/** The whole text of a reply, as another node has made it. */
export type PassedText = Readonly<{ text: string }>;

/**
 * Why a stream ended. `refused`: its client may not see the account any more. `overrun`: events came faster than access
 * could be checked. `moved`: the account's shard has another owner, the node that sent the events cannot be heard, or the
 * host may have missed some.
 */
export type StreamEnd = "refused" | "overrun" | "moved";

/** Receives the events of one stream in order, after it was started, and its end. */
export type StreamSink = Readonly<{ send: (event: string) => void; ended: (why: StreamEnd) => void }>;

/** A stream of an account's events from `sequence` on. Nothing goes out before `start`. `end` may be called again. */
export type OpenStream = Readonly<{
  accountId: number;
  sequence: number;
  streamId: string;
  start: () => void;
  end: () => void;
}>;

/** Who answers the messages of a connection: the service of this node, or the owner of the account that they are about. */
export interface MessageAnswers {
  /** Answers a message that has a route. Throws the OrderError of its refusal. */
  answer(call: MethodCall): Promise<Answer | PassedText>;
  /** Opens the stream that a message asks for. Throws the OrderError of its refusal. */
  subscribe(call: MethodCall, sink: StreamSink): Promise<OpenStream | PassedText>;
}
