import type { Contingency, LegRole } from "./list-membership.ts";
import type { ParentIntent, ParentOrder } from "./parent-order.ts";

/** One leg of a list as asked for. */
export type LegIntent = Readonly<{
  role: LegRole;
  intent: ParentIntent;
  /** The client id was made by us, not by the caller. */
  generatedClientId: boolean;
}>;

/** A list as asked for, canonical: legs in the order in which they are shown and get their ids (decision 6). */
export type ListIntent = Readonly<{
  listClientOrderId: string;
  contingency: Contingency;
  legs: readonly LegIntent[];
}>;

/** A list with its legs as they are now, in the order in which they are shown. `listId` is negative. */
export type OrderList = Readonly<{
  listId: number;
  accountId: number;
  listClientOrderId: string;
  contingency: Contingency;
  symbol: string;
  acceptedAtMs: number;
  legs: readonly ParentOrder[];
}>;

/** A list whose legs have all ended, as history finds it. */
export type EndedList = Readonly<{
  listId: number;
  accountId: number;
  listClientOrderId: string;
  acceptedAtMs: number;
  endedAtMs: number;
  legs: readonly number[];
}>;
