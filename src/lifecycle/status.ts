import { hasExecuted } from "../decimal/index.ts";
import type { ParentOrder, TerminalStatus } from "../model/index.ts";

/** Public status of a parent (contract, managed order fields). */
export type OrderStatus = "NEW" | "PARTIALLY_FILLED" | "PENDING_NEW" | TerminalStatus;

/** Public state of a parent's management (contract, managed order fields). */
export type ApiState = "WAITING" | "WORKING" | "UNKNOWN" | TerminalStatus;

/** The four public members that describe the state of a parent. */
export interface StatusView {
  readonly status: OrderStatus;
  readonly apiState: ApiState;
  readonly held: boolean;
  readonly cancelPending: boolean;
}

/**
 * Returns status, apiState, held and cancelPending of a parent. This is the one table of allowed pairs (I51; contract
 * "States and transitions", decision 11).
 *
 *
 * @example
 * ```ts
 * import { type ParentOrder, statusOf } from "managed-orders";
 * const line = (order: ParentOrder): string => `${statusOf(order).status} ${statusOf(order).apiState}`;
 * ```
 */
export function statusOf(order: ParentOrder): StatusView {
  if (order.ended !== undefined) {
    const status = order.ended.status;
    return { status, apiState: status, held: false, cancelPending: false };
  }
  if (order.held) return { status: "PENDING_NEW", apiState: "WAITING", held: true, cancelPending: false };
  return {
    status: hasExecuted(order) ? "PARTIALLY_FILLED" : "NEW",
    apiState: apiStateOf(order),
    held: false,
    cancelPending: order.pendingEnd?.status === "CANCELED",
  };
}

function apiStateOf(order: ParentOrder): ApiState {
  if (order.child === undefined) return "WAITING";
  return order.child.state === "UNKNOWN" ? "UNKNOWN" : "WORKING";
}
