import type { Awaitable } from "../../ports/index.ts";
import type { WireRequest, WireResponse } from "../../wire/index.ts";

/**
 * A request that a node of a cluster passes on to another one. `remoteAddress` is the address of the client, and
 * `rawHeaders` are those that the service reads.
 */
export interface ForwardedRequest extends WireRequest {
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

/** Sends requests to other nodes. */
export interface PeerSender {
  /** Sends one request, once. Resolves within `waitMs` to what became of it, and never rejects. */
  send(call: PeerCall): Promise<PeerOutcome>;
}

/** Takes the requests of other nodes. */
export interface PeerReceiver {
  /** Answers a request whose seal was checked. Never rejects. */
  receive(request: ForwardedRequest): Awaitable<PeerAnswer>;
}
