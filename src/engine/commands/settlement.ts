import { recognisedAs } from "../../common/index.ts";
import { hasExecuted } from "../../decimal/index.ts";
import {
  type ParsedSettlement,
  readResumption,
  readSettlement,
  UnreadableAnswer,
} from "../../host-answers/index.ts";
import { childIdOf, readChildId } from "../../lifecycle/index.ts";
import type { ParentOrder } from "../../model/index.ts";
import type { Reconciler } from "../children/reconciler.ts";
import type { ChildSettlement, Resumption } from "../core/api.ts";
import { EngineError } from "../core/engine-error.ts";
import { orderIn, type PendingRecord } from "../core/live-order.ts";
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
  | "CONTRADICTED"
  /** The child may still arrive: its deadline and the quiet time of the venue have not passed. The message says how long. */
  | "TOO_EARLY"
  /** The order was not open in a backup from which the store was restored, or has ended, or is resumed already. */
  | "NOT_RESTORED";

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
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("SettlementError");
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
export async function settleChild(
  answer: ChildSettlement,
  { shards, reconciler }: Readonly<{ shards: Shards; reconciler: Reconciler }>,
): Promise<ParentOrder> {
  const settlement = read(answer, readSettlement);
  const named = readChildId(settlement.childId);
  if (named === undefined)
    throw new SettlementError("NO_SUCH_CHILD", "childId is not the id of a child order");
  const shard = shards.ofOrder(named.orderId);
  return await decided(shard, named.orderId, () => settle(shard, { ...named, settlement, reconciler }));
}

/**
 * Resumes an order of a restored store on an operator's word. Resolves to it when that is durable. Rejects with a {@link
 * SettlementError}, or with the OrderError of a store that failed.
 */
export async function resumeOrder(answer: Resumption, shards: Shards): Promise<ParentOrder> {
  const { orderId, children, by, why } = read(answer, readResumption);
  const shard = shards.ofOrder(orderId);
  return await decided(shard, orderId, async () => {
    const order = shard.liveOrders.get(orderId)?.working;
    if (order?.restored === undefined || order.ended !== undefined)
      throw new SettlementError("NOT_RESTORED", "no open order with this orderId waits to be resumed");
    const foreign = children.find(({ childId }) => !isChildOf(order, childId));
    if (foreign !== undefined)
      throw new SettlementError("NO_SUCH_CHILD", "a childId is not the id of a child of the order");
    const cause = { kind: "OPERATOR", by, why } as const;
    return await durable(shard, order, shard.change(orderId, { kind: "RESUMED", children }, cause));
  });
}

/** Returns whether an order may have sent the child. */
function isChildOf(order: ParentOrder, childId: string): boolean {
  const { attempt = 0 } = readChildId(childId) ?? {};
  return attempt >= 1 && attempt <= order.attempts && childIdOf(order, attempt) === childId;
}

/**
 * Runs a decision on an order in the mailbox of a shard. A refusal may rest on a record that is not durable yet: it is given
 * when that record is durable. If the record is lost, rejects with the failure of the store.
 */
function decided(shard: Shard, orderId: number, decide: () => Promise<ParentOrder>): Promise<ParentOrder> {
  return new Promise((resolve, reject) => {
    shard.post(() => {
      const pending = shard.liveOrders.get(orderId)?.pending;
      const before = pending === undefined ? Promise.resolve() : shard.whenDurable(pending);
      // An accepted decision has a record of its own, which tells the same failure.
      before.catch(() => undefined);
      decide().then(resolve, (error: unknown) => {
        if (error instanceof SettlementError) before.then(() => reject(error), reject);
        else reject(error);
      });
    }, reject);
  });
}

async function durable(
  shard: Shard,
  order: ParentOrder,
  pending: PendingRecord | undefined,
): Promise<ParentOrder> {
  if (pending === undefined) throw new EngineError("DISCONNECTED");
  await shard.whenDurable(pending);
  return orderIn(pending, order.orderId) ?? order;
}

function read<T>(answer: unknown, reader: (answer: unknown) => T): T {
  try {
    return reader(answer);
  } catch (error) {
    throw new SettlementError(
      "UNREADABLE",
      error instanceof UnreadableAnswer ? error.message : "the settlement cannot be read",
    );
  }
}

type Named = Readonly<{
  orderId: number;
  attempt: number;
  settlement: ParsedSettlement;
  reconciler: Reconciler;
}>;

async function settle(
  shard: Shard,
  { orderId, attempt, settlement, reconciler }: Named,
): Promise<ParentOrder> {
  const { childId, state, fills, by, why } = settlement;
  const order = shard.liveOrders.get(orderId)?.working;
  if (order === undefined || attempt > order.attempts || childIdOf(order, attempt) !== childId)
    throw new SettlementError("NO_SUCH_CHILD", "no open order has sent the child with this childId");
  if (order.child?.childId !== childId || order.child.state !== "UNKNOWN")
    throw new SettlementError(
      "NOT_UNKNOWN",
      "the child cannot be settled: its outcome is known already, or still awaited",
    );
  if (state !== "closed" && hasExecuted(order.child))
    throw new SettlementError(
      "CONTRADICTED",
      "the child can only be settled as closed: executions of it are counted already",
    );
  const waitMs = state === "never" ? reconciler.arrivalWaitMs(order.child) : 0;
  if (waitMs > 0)
    throw new SettlementError(
      "TOO_EARLY",
      `the child may still arrive at the venue: say "never" in ${Math.ceil(waitMs)} ms at the earliest`,
    );
  const event = { kind: "SETTLED", childId, state, fills } as const;
  return await durable(shard, order, shard.change(orderId, event, { kind: "OPERATOR", by, why }));
}
