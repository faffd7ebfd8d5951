import { copyOf, type Fact, type ParentCopy, type ParentOrder } from "../model/index.ts";
import type { WaitReason } from "./child-size.ts";
import { type ChangingFact, evolveInPlace } from "./evolve.ts";
import type { Effect, TransitionContext } from "./parent-event.ts";

/** An unfinished transition: the facts so far, and the parent after them. */
export type Draft = {
  order: ParentOrder;
  /** The same parent from the first fact on: a private copy, which further facts change in place. */
  own?: ParentCopy;
  readonly facts: Fact[];
  readonly effects: Effect[];
  wait?: WaitReason;
  readonly context: TransitionContext;
};

/** Adds a fact to a draft and applies it. */
export function addFact(draft: Draft, fact: ChangingFact): void {
  const { sequence, nowMs } = draft.context;
  draft.own ??= copyOf(draft.order);
  draft.order = draft.own;
  evolveInPlace(draft.own, fact, { orderId: draft.own.orderId, sequence, timeMs: nowMs });
  draft.facts.push(fact);
}

/**
 * Returns when a GTD parent expires, in engine time; undefined for a GTC one. Its `expireTimeMs` is by the wall clock
 * at its acceptance.
 */
export function expiresAtMs({ intent, aheadMs }: ParentOrder): number | undefined {
  return intent.expireTimeMs === undefined ? undefined : intent.expireTimeMs + (aheadMs ?? 0);
}

/** Returns whether a GTD parent has expired in engine time. Nothing is placed from then on (I55). */
export function isExpired(order: ParentOrder, nowMs: number): boolean {
  const atMs = expiresAtMs(order);
  return atMs !== undefined && nowMs >= atMs;
}
