import { follow } from "../../common/index.ts";
import { EngineError } from "../../engine/index.ts";
import { OrderError } from "../../errors/index.ts";
import { shardOf } from "../../lifecycle/index.ts";
import type { Account, Permission } from "../../model/index.ts";
import type { Awaitable } from "../../ports/index.ts";
import type { Actor } from "../../requests/index.ts";
import type { AccessParts, Proof } from "./authentication.ts";

/** Thrown for a permitted call about an account of another node. Nothing was executed. */
export class Elsewhere extends Error {
  override readonly name = "Elsewhere";
  /** The shard of the account. */
  readonly shard: number;

  constructor(shard: number) {
    super(`shard ${shard} belongs to another node`);
    this.shard = shard;
  }
}

/**
 * Returns the account that a signed call is about: the account it names, or else the key's. A `userId` in the call must be
 * the key's user. The account must belong to that user or be delegated to them with the permission that the route needs;
 * this also holds for the key's own account. Throws an OrderError -1002 otherwise, in the same form whether the account
 * exists or not. Throws {@link Elsewhere} for a permitted call about an account of another node. Returns or rejects later if
 * the host answers later. Source: contract, Linked lists and managed parents (Shared), Version 2 GET queries 4.
 */
export function accountOf(
  parts: Pick<AccessParts, "accounts"> & Here,
  { key, permission }: Pick<Proof, "key" | "permission">,
  actor: Actor,
): Awaitable<number> {
  const accountId = actor.accountId ?? key.accountId;
  const mine = actor.userId === undefined || actor.userId === key.userId;
  return follow(mine ? parts.accounts.account(accountId) : undefined, (account) => {
    if (account === undefined || !mayAct(account, key.userId, permission))
      throw new OrderError("UNAUTHORIZED");
    requireHere(parts, accountId);
    return accountId;
  });
}

/** What says whether the time of a call has passed. */
type Timed = Pick<AccessParts, "expiresAtMs" | "clock">;

/** What says whether a call may still be decided by this node. */
type Here = Timed & Pick<AccessParts, "owns">;

/**
 * Throws an OrderError -1001 for a call of another node after its time: that node waits no more, and may have told its client
 * that the outcome is unknown. A call that decides something requires it after each answer of the host that it has waited for.
 */
export function requireInTime({ expiresAtMs, clock }: Timed): void {
  if (expiresAtMs !== undefined && clock.nowMs() > expiresAtMs) throw new OrderError("DISCONNECTED");
}

/**
 * Throws {@link Elsewhere} for an account of the shard of another node, and an OrderError -1001 for a call after its time as
 * {@link requireInTime} does.
 */
export function requireHere(parts: Here, accountId: number): void {
  requireInTime(parts);
  const { owns } = parts;
  const shard = owns && shardOf(accountId);
  if (shard !== undefined && owns?.(shard) === false) throw new Elsewhere(shard);
}

/**
 * Passes on the answer to a call, or its failure. A call that the engine has refused because the shard has left since the
 * call was allowed becomes {@link Elsewhere}: nothing was decided. Outside a cluster it stays refused.
 */
export function hereOrElsewhere<T>(
  { owns }: Pick<AccessParts, "owns">,
  answer: () => Promise<T>,
): Promise<T> {
  if (owns === undefined) return answer();
  return answer().catch((error: unknown) => {
    const shard = isShardElsewhere(error) ? error.details.shard : undefined;
    throw typeof shard === "number" ? new Elsewhere(shard) : error;
  });
}

/**
 * Passes on what is answered in several steps that decide something. If the shard leaves between them, the outcome is
 * unknown, and the request must not go on to the next owner: rejects with an OrderError -1006.
 */
export async function inSeveralSteps<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isShardElsewhere(error) ? new OrderError("UNEXPECTED_RESPONSE", {}, { cause: error }) : error;
  }
}

const isShardElsewhere = (error: unknown): error is EngineError =>
  error instanceof EngineError && error.reason === "SHARD_ELSEWHERE";

function mayAct(account: Account, userId: number, permission: Permission): boolean {
  if (account.userId === userId) return true;
  return account.delegates.some(
    (delegate) => delegate.userId === userId && delegate.permissions.includes(permission),
  );
}
