import type { NativeExecution, NativeFill, NativeOrder, NativeTerms } from "../model/index.ts";
import type { Awaitable } from "./host.ts";

/**
 * A native order to place. `requestKey` names the signed request that asks for it: the same bytes, sent again, have the
 * same key for ever (decision 3).
 */
export type NativePlacement = NativeTerms & Readonly<{ accountId: number; requestKey: string }>;

/** Answer to a placement: the order as it is durable, all its fills so far, and whether this call created it. */
export type NativePlaced = Readonly<{ order: NativeOrder; fills: readonly NativeFill[]; created: boolean }>;

/** Names the request that a placement was asked for with. */
export type NativeRequest = Pick<NativePlacement, "accountId" | "requestKey">;

/** Names native orders of one account and market. */
export type NativeKey = Readonly<
  { accountId: number; symbol: string } & ({ orderId: bigint } | { clientOrderId: string })
>;

/**
 * Asks for a page of native orders; times are of the last change, epoch milliseconds, both ends included. With
 * `fromOrderId` the lowest ids from there on, without it the highest ids there are.
 */
export type NativePage = Readonly<{
  accountId: number;
  symbol: string;
  clientOrderId?: string;
  fromOrderId?: bigint;
  startTimeMs?: number;
  endTimeMs?: number;
  limit: number;
}>;

/** Asks for the newest `limit` executions; times both ends included. */
export type ExecutionQuery = Readonly<{
  accountId: number;
  symbol?: string;
  orderId?: bigint;
  clientOrderId?: string;
  startTimeMs?: number;
  endTimeMs?: number;
  limit: number;
}>;

/**
 * The host's ordinary order flow: orders with ids of its own, positive and 64 bits wide, among them the children of
 * managed parents under their `aqc-` ids. Reads show durable state only; a rejected read is answered as a failure of
 * the service, never as an empty result. Source: contract, Native order snapshot, Native status and history.
 */
export type NativeOrders = {
  /** Whether it trades on paper. */
  readonly isPaperTrade: boolean;
  /**
   * Resolves when the order is durable, with whatever filled at once. A `requestKey` that was taken before answers
   * with its order as it is now, ended or not, for as long as the host keeps it: a signed request that is sent again
   * must not become a second order. A client id that names an open order of the account is refused as
   * DUPLICATE_ORDER; that of an ended one may be used again. Rejects with an OrderError to refuse; any other rejection
   * means that the outcome is not known.
   */
  place(placement: NativePlacement): Promise<NativePlaced>;
  /** What an earlier request was answered with, as it is now and not created; undefined when it placed nothing. */
  findRequest(request: NativeRequest): Awaitable<NativePlaced | undefined>;
  /**
   * Cancels the open order of that key and resolves to it when that is durable; resolves to undefined when there is no
   * such order or it has ended. Children of managed parents cannot be canceled here. Rejects as `place` does.
   */
  cancel(key: NativeKey): Promise<NativeOrder | undefined>;
  /** A current or archived order; of several with one client id the newest. */
  find(key: NativeKey): Awaitable<NativeOrder | undefined>;
  /** One latest snapshot per order, ids rising. */
  page(page: NativePage): Awaitable<readonly NativeOrder[]>;
  /** Persisted executions, oldest first; they may outlive the order's own record. */
  executions(query: ExecutionQuery): Awaitable<readonly NativeExecution[]>;
  /** Tells every execution once it is durable, in order, until the returned function is called. */
  subscribe(listener: (execution: NativeExecution) => void): () => void;
};
