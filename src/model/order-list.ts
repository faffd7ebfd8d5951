import type { Contingency, LegRole } from "./list-membership.ts";
import type { ParentIntent, ParentOrder } from "./parent-order.ts";

/** One leg of a list as requested. */
export type LegIntent = Readonly<{
  role: LegRole;
  intent: ParentIntent;
  /** Whether the service generated the client id, not the caller. */
  generatedClientId: boolean;
}>;

/** A list as requested, in canonical form: legs in display order, in which they also get their ids (decision 6). */
export type ListIntent = Readonly<{
  listClientOrderId: string;
  contingency: Contingency;
  legs: readonly LegIntent[];
}>;

/** A list with the current state of its legs, in display order. `listId` is negative. */
export type OrderList = Readonly<{
  listId: number;
  accountId: number;
  listClientOrderId: string;
  contingency: Contingency;
  symbol: string;
  acceptedAtMs: number;
  legs: readonly ParentOrder[];
}>;

/** A list whose legs have all ended, as a row of history. */
export type EndedList = Readonly<{
  listId: number;
  accountId: number;
  listClientOrderId: string;
  acceptedAtMs: number;
  endedAtMs: number;
  legs: readonly number[];
}>;
