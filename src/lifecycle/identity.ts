import { invariant } from "../errors/index.ts";

/** How many shards there are; part of every managed id, so it never changes. */
export const SHARD_COUNT = 256;

/** The managed id of the `count`-th order (from 1) of a shard: negative, falling, unique (decision 2). */
export function managedIdOf(place: Readonly<{ count: number; shard: number }>): number {
  const id = -(place.count * SHARD_COUNT + place.shard);
  invariant(Number.isSafeInteger(id) && id < 0, "I05", `shard ${place.shard} has used up its ids`);
  return id;
}

/** The shard that a managed id belongs to. */
export function shardOfId(orderId: number): number {
  return -orderId % SHARD_COUNT;
}

/** Which order of its shard a managed id is, from 1. */
export function countOfId(orderId: number): number {
  return Math.floor(-orderId / SHARD_COUNT);
}

/** The shard of an account: FNV-1a over its decimal text, stable for ever. */
export function shardOf(accountId: number): number {
  let hash = 0x811c9dc5;
  for (const character of String(accountId)) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return (hash >>> 0) % SHARD_COUNT;
}

/** Prefix of child ids; reserved for them in any letter case. */
export const CHILD_PREFIX = "aqc-";

const BASE = 36;

/**
 * The id of a parent's child: a pure function of parent and attempt, at most 36 characters (decision 4).
 * The acceptance time is part of it, so that ids differ from those of an earlier, lost journal.
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

/** Parent, its acceptance and attempt that a child id names; undefined when the text is no child id. */
export function readChildId(
  childId: string,
): Readonly<{ orderId: number; acceptedAtMs: number; attempt: number }> | undefined {
  const match = CHILD_ID.exec(childId);
  const orderId = -Number.parseInt(match?.[1] ?? "", BASE);
  if (match === null || !Number.isSafeInteger(orderId) || orderId >= 0) return undefined;
  const [acceptedAtMs, attempt] = [match[2], match[3]].map((text) => Number.parseInt(text ?? "", BASE));
  return { orderId, acceptedAtMs: acceptedAtMs ?? 0, attempt: attempt ?? 0 };
}
