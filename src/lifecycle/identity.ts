import { invariant } from "../errors/index.ts";
import { SHARD_COUNT } from "../model/index.ts";

/**
 * Returns the managed id of the `count`-th order (from 1) of a shard. Ids are negative, falling and unique (decision
 * 2).
 */
export function managedIdOf(place: Readonly<{ count: number; shard: number }>): number {
  const id = -(place.count * SHARD_COUNT + place.shard);
  invariant(Number.isSafeInteger(id) && id < 0, "I05", `shard ${place.shard} has used up its ids`);
  return id;
}

/** Returns the number of a managed id within its shard, from 1. */
export function countOfId(orderId: number): number {
  return Math.floor(-orderId / SHARD_COUNT);
}

/** Returns the shard of an account: FNV-1a over its decimal text. The mapping never changes. */
export function shardOf(accountId: number): number {
  let hash = 0x811c9dc5;
  for (const character of String(accountId)) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return (hash >>> 0) % SHARD_COUNT;
}

/** Prefix of child ids. It is reserved for them in any letter case. */
export const CHILD_PREFIX = "aqc-";

const BASE = 36;

/**
 * Returns the id of a parent's child: a pure function of parent and attempt, at most 36 characters (decision 4). It
 * contains the acceptance time, so that ids differ from those of an earlier, lost journal.
 */
export function childIdOf(
  parent: Readonly<{ orderId: number; acceptedAtMs: number }>,
  attempt: number,
): string {
  const id = `${CHILD_PREFIX}${(-parent.orderId).toString(BASE)}-${parent.acceptedAtMs.toString(BASE)}-${attempt.toString(BASE)}`;
  invariant(id.length <= 36, "I06", `child id ${id} is too long`);
  return id;
}

const CHILD_ID = /^aqc-([0-9a-z]{1,11})-([0-9a-z]{1,10})-([0-9a-z]{1,8})$/;

/**
 * Returns the parent, its acceptance time and the attempt in a child id; undefined when the text is not a child id.
 */
export function readChildId(
  childId: string,
): Readonly<{ orderId: number; acceptedAtMs: number; attempt: number }> | undefined {
  const match = CHILD_ID.exec(childId);
  const orderId = -Number.parseInt(match?.[1] ?? "", BASE);
  if (match === null || !Number.isSafeInteger(orderId) || orderId >= 0) return undefined;
  const [acceptedAtMs, attempt] = [match[2], match[3]].map((text) => Number.parseInt(text ?? "", BASE));
  return { orderId, acceptedAtMs: acceptedAtMs ?? 0, attempt: attempt ?? 0 };
}
