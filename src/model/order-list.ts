import type { Contingency, LegRole } from "./list-membership.ts";
import type { ParentIntent, ParentOrder } from "./parent-order.ts";

/** One leg of a list as requested. */
export interface LegIntent {
  readonly role: LegRole;
  readonly intent: ParentIntent;
  /** Whether the service generated the client id, not the caller. */
  readonly generatedClientId: boolean;
}

/** A list as requested, in canonical form: legs in display order, in which they also get their ids (decision 6). */
export interface ListIntent {
  readonly listClientOrderId: string;
  readonly contingency: Contingency;
  readonly legs: readonly LegIntent[];
}

/** A list with the current state of its legs, in display order. `listId` is negative. */
export interface OrderList {
  readonly listId: number;
  readonly accountId: number;
  readonly listClientOrderId: string;
  readonly contingency: Contingency;
  readonly symbol: string;
  readonly acceptedAtMs: number;
  readonly legs: readonly ParentOrder[];
}

/** A list whose legs have all ended, as a row of history. */
export interface EndedList {
  readonly listId: number;
  readonly accountId: number;
  readonly listClientOrderId: string;
  readonly acceptedAtMs: number;
  readonly endedAtMs: number;
  readonly legs: readonly number[];
}
