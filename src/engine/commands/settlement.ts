import { type ParsedSettlement, readSettlement, UnreadableAnswer } from "../../host-answers/index.ts";
import { childIdOf, readChildId } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { ChildSettlement } from "../core/api.ts";
import { EngineError } from "../core/engine-error.ts";
import { orderIn } from "../core/live-order.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";

/** Why a settlement was refused. */
export type SettlementProblem =
  /** A part of the settlement cannot be read; the message names it. */
  | "UNREADABLE"
  /** No open order has sent a child of this id. */
  | "NO_SUCH_CHILD"
  /** The child is resolved, or its outcome is still awaited. */
  | "NOT_UNKNOWN"
  /** Executions of the child are counted, which proves that it arrived. */
  | "CONTRADICTED";

/**
 * Error of a refused settlement. Nothing changed.
 *
 * @example
 * ```ts
 * import { type ChildSettlement, type Engine, SettlementError } from "managed-orders/engine";
 * const settle = async (engine: Engine, settlement: ChildSettlement): Promise<string> => {
 *   try {
 *     return `order ${(await engine.settleChild(settlement)).orderId} continues`;
 *   } catch (error) {
 *     if (error instanceof SettlementError && error.problem === "NOT_UNKNOWN") return "the venue has answered";
 *     throw error;
 *   }
 * };
 * ```
 */
export class SettlementError extends Error {
  override readonly name = "SettlementError";
  readonly problem: SettlementProblem;

  /** Creates the error of a settlement that is refused. */
  constructor(problem: SettlementProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/**
 * Settles an unknown child on an operator's word. Resolves to its parent when that is durable. Rejects with a {@link
 * SettlementError}, or with the OrderError of a store that failed.
 */
export async function settleChild(said: ChildSettlement, shards: Shards): Promise<ParentOrder> {
  const settlement = read(said);
  const named = readChildId(settlement.childId);
  if (named === undefined)
    throw new SettlementError("NO_SUCH_CHILD", "childId is not the id of a child order");
  const shard = shards.ofOrder(named.orderId);
  return await new Promise((resolve, reject) => {
    shard.post(() => {
      try {
        settle(shard, { ...named, settlement }).then(resolve, reject);
      } catch (error) {
        reject(error);
      }
    }, reject);
  });
}

function read(said: unknown): ParsedSettlement {
  try {
    return readSettlement(said);
  } catch (error) {
    throw new SettlementError(
      "UNREADABLE",
      error instanceof UnreadableAnswer ? error.message : "the settlement cannot be read",
    );
  }
}

type Named = Readonly<{ orderId: number; attempt: number; settlement: ParsedSettlement }>;

async function settle(shard: Shard, { orderId, attempt, settlement }: Named): Promise<ParentOrder> {
  const { childId, state, fills, by, why } = settlement;
  const order = shard.liveOrders.get(orderId)?.working;
  if (order === undefined || attempt > order.attempts || childIdOf(order, attempt) !== childId)
    throw new SettlementError("NO_SUCH_CHILD", "no open order has sent the child with this childId");
  if (order.child?.childId !== childId || order.child.state !== "UNKNOWN")
    throw new SettlementError(
      "NOT_UNKNOWN",
      "the child cannot be settled: its outcome is known already, or still awaited",
    );
  if (state !== "closed" && order.child.executedQuantity > 0)
    throw new SettlementError(
      "CONTRADICTED",
      "the child can only be settled as closed: executions of it are counted already",
    );
  const event = { kind: "SETTLED", childId, state, fills } as const;
  const pending = shard.change(orderId, event, { kind: "OPERATOR", by, why });
  if (pending === undefined) throw new EngineError("DISCONNECTED");
  await shard.whenDurable(pending);
  return orderIn(pending, orderId) ?? order;
}
