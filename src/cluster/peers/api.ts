import type { Awaitable } from "../../ports/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";
import type { ClusterNode, ClusterNodeStatus } from "../node-api.ts";

/**
 * What a forwarded request is. `REST`: a request as received. `MESSAGE`: a message of a WebSocket connection, whose target
 * and text are in `target` and `body`. `SUBSCRIPTION`: such a message that asks for a stream of events. `END`: ends the
 * stream of the request whose number on the connection is in `target`.
 */
export type ForwardedForm = "REST" | "MESSAGE" | "SUBSCRIPTION" | "END";

/**
 * A request that a node of a cluster passes on to another one. `remoteAddress` is the address of the client, and
 * `rawHeaders` are those that the service reads.
 */
export interface ForwardedRequest extends WireRequest {
  /** What it is. */
  readonly form: ForwardedForm;
  /** Incarnation of the node that it is meant for. */
  readonly incarnation: number;
  /** Time after which it must not be executed, in epoch milliseconds. */
  readonly expiresAtMs: number;
  /** Weight that the client's address has used in this minute, for the headers of the reply. */
  readonly usedWeight: number;
}

/**
 * Why a node did not execute a forwarded request. `MALFORMED`: it could not be read. `TOO_LONG`: it is longer than
 * allowed. `SEAL`: its seal is wrong. `REPLAYED`: it came before. `EXPIRED`: its time has passed, or is too far ahead.
 * `WRONG_NODE`: it is meant for another start of a node. `ELSEWHERE`: the node does not own the shard, or serves none. `BUSY`: too many
 * requests are under way. `CLOSING`: the node ends.
 */
export type PeerRefusal =
  | "MALFORMED"
  | "TOO_LONG"
  | "SEAL"
  | "REPLAYED"
  | "EXPIRED"
  | "WRONG_NODE"
  | "ELSEWHERE"
  | "BUSY"
  | "CLOSING";

/** Answer of a node to a forwarded request. After a refusal nothing was executed. */
export type PeerAnswer =
  | Readonly<{ kind: "reply"; response: WireResponse }>
  | Readonly<{
      kind: "refused";
      reason: PeerRefusal;
      /** With ELSEWHERE: the shard of the account, as the node read it after it had authenticated the request. */
      shard?: number;
    }>;

/**
 * What became of a forwarded request. `unsent`: it was surely not handed over. `lost`: it may have been handed over, and
 * no answer came. Both have a reason for operators.
 */
export type PeerOutcome = PeerAnswer | Readonly<{ kind: "unsent" | "lost"; reason: string }>;

/** A request for another node: where that node listens, and how long to wait for an answer. */
export interface PeerCall {
  /** `host:port`, as the node says it in the store. */
  readonly address: string;
  readonly request: ForwardedRequest;
  readonly waitMs: number;
}

/** Receives the events of a stream of another node, in order and each once, and then its end, once. */
export interface PeerSink {
  /** One event, as JSON text. */
  event(text: string): void;
  /** The other node has ended the stream, or cannot be heard any more. */
  ended(): void;
}

/** What became of a request for a stream. After a reply with status 200 it is open until `end` or its own end. */
export interface PeerSubscription {
  readonly outcome: PeerOutcome;
  /** Ends the stream, if it is open. May be called again. */
  readonly end: () => void;
}

/** Sends requests to other nodes. */
export interface PeerSender {
  /** Sends one request, once. Resolves within `waitMs` to what became of it, and never rejects. */
  send(call: PeerCall): Promise<PeerOutcome>;
  /** Sends a request for a stream, in the same way. Without this function, WebSockets do not subscribe at other nodes. */
  subscribe?(call: PeerCall, sink: PeerSink): Promise<PeerSubscription>;
}

/** A stream that was opened for another node. */
export interface OpenedStream {
  readonly kind: "stream";
  /** The reply to its request. */
  readonly response: WireResponse;
  /** Lets its events go out. Called after the reply was written. */
  readonly start: () => void;
  /** Ends it, because the other node does not want it any more or is gone. */
  readonly end: () => void;
}

/** Takes the requests of other nodes. */
export interface PeerReceiver {
  /** Answers a request whose seal was checked. Never rejects. */
  receive(request: ForwardedRequest): Awaitable<PeerAnswer>;
  /** Opens a stream for another node, whose events go to the sink once it was started. Never rejects. */
  subscribe?(request: ForwardedRequest, sink: PeerSink): Awaitable<PeerAnswer | OpenedStream>;
}

/** What a node of a cluster knows of itself and of the owners of shards. */
export interface ShardOwners extends Pick<ClusterNode, "ownerOf" | "readOwners"> {
  /** Returns the number of this start of the node, and whatever else the node says of itself. */
  status(): Pick<ClusterNodeStatus, "incarnation">;
}
