import type { ReadOf } from "./table.ts";

/** A subscription of a connection to the events of an account. */
export const SUBSCRIPTION = { subscriptionId: "integer", accountId: "long" } as const;

/** A subscription that has begun. */
export const SUBSCRIBED = {
  subscriptionId: "integer",
  accountId: "long",
  /** Number of the last event before the subscription. */
  sequence: "long",
  /** The series of numbers that `sequence` belongs to. */
  streamId: "text",
} as const;

/** A subscription to the events of an account. */
export interface SubscribedReply extends ReadOf<typeof SUBSCRIBED> {}

/** A subscription of a connection. */
export interface SubscriptionReply extends ReadOf<typeof SUBSCRIPTION> {}
