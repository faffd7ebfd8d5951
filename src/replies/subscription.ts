import { type Count, number, type ReadOf, type Text, text } from "./table.ts";

/** A subscription of a connection to the events of an account. */
export const SUBSCRIPTION = { subscriptionId: number as Count, accountId: number as Count } as const;

/** A subscription that has begun. */
export const SUBSCRIBED = {
  subscriptionId: number as Count,
  accountId: number as Count,
  /** Number of the last event before the subscription. */
  sequence: number as Count,
  /** The series of numbers that `sequence` belongs to. */
  streamId: text as Text,
} as const;

/** A subscription to the events of an account. */
export interface SubscribedReply extends ReadOf<typeof SUBSCRIBED> {}

/** A subscription of a connection. */
export interface SubscriptionReply extends ReadOf<typeof SUBSCRIPTION> {}
