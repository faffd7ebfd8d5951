import { afterDecision, OrderError } from "../../errors/index.ts";
import { type ParentIntent, type ParentOrder, packedIntent, type Replaced } from "../../model/index.ts";
import { requireOrderName } from "../../requests/index.ts";
import type { ParentKey, Placement, ReplaceIntentRequest, Replacement } from "../core/calls.ts";
import type { Core } from "../core/core.ts";
import { awaitsLookUp, isAcceptance, type LiveOrder, type PendingRecord } from "../core/live-order.ts";
import type { OpenCaller } from "../core/open-calls.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shard } from "../shards/shard.ts";
import { type AmendParts, isMet } from "./amends.ts";
import { meetsRestriction } from "./cancels.ts";
import { type Admitted, existing } from "./placement.ts";

type Request = ReplaceIntentRequest;
type Admits = (replaced?: ParentOrder) => Admitted;

/**
 * Places an order in place of another: one record ends the one and accepts the other, so that there is never none of them, and
 * never both. The new order is checked first, and its refusal leaves the other as it is, in both modes. While a child of the
 * other is not settled it may still execute: it is canceled as by a cancel, and the new one is not placed, also not later. A
 * copy, which the client id of the new order tells, is answered as the first one was. Until the record is durable the order
 * before is watched: see {@link successorOf}.
 */
export class Replacements {
  readonly #core: Core;
  readonly #parts: AmendParts;

  constructor(core: Core, parts: AmendParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Decides with the placements of the client id. The caller is answered when the record is durable. */
  replace(request: Request, caller: OpenCaller<Replacement>): void {
    const { accountId: _of, ...name } = keyOf(request);
    requireOrderName(name);
    const command = { ...request, intent: packedIntent(request.intent) };
    const decide = (): Promise<Replacement | PendingRecord> => this.#replace(command);
    this.#parts.placements.enter(command, { decide, answerOf }, caller);
  }

  async #replace(request: Request): Promise<Replacement | PendingRecord> {
    const { shards, placements, board } = this.#parts;
    const { accountId, intent } = request;
    const { clientOrderId } = intent;
    this.#core.trust.requireHeld();
    const shard = shards.ofAccount(accountId);
    const { epoch } = shard;
    const key = keyOf(request);
    const known = await placements.findOrder({ accountId, clientOrderId });
    const before = await this.#parts.reads.find(key);
    this.#core.trust.requireHeld();
    shard.requireSince(epoch);
    if (known !== undefined) return await this.#copy(existing(known, intent), request);
    if (isOfMarket(before, intent) && before.unreplaced === clientOrderId)
      return { canceled: before, order: undefined, created: false };
    if (board.hasOutdatedNodes) throw new OrderError("SERVER_BUSY");
    const admits = await placements.admissionOf(request);
    shard.requireSince(epoch);
    // What was open has ended since, perhaps by a copy: it is read again.
    const isOpen = isOfMarket(before, intent) && before.ended === undefined;
    if (isOpen && this.#live(shard, request) === undefined) return await this.#replace(request);
    return await this.#decide(shard, request, admits);
  }

  /** Answers a copy of an earlier request. Throws DUPLICATE_ORDER if the order was placed otherwise. */
  async #copy({ order }: Placement, { accountId, cancel }: Request): Promise<Replacement> {
    const { replaces } = order;
    const isSame =
      "orderId" in cancel
        ? replaces?.orderId === cancel.orderId
        : replaces?.clientOrderId === cancel.clientOrderId;
    if (replaces === undefined || !isSame)
      throw new OrderError("DUPLICATE_ORDER", { field: "newClientOrderId" });
    const { orderId, canceled: isCanceled } = replaces;
    if (isCanceled !== true || orderId === undefined) return { canceled: undefined, order, created: false };
    const canceled = await afterDecision(this.#parts.reads.find({ accountId, orderId }));
    return { canceled, order, created: false };
  }

  /** Decides in one step, so that nothing comes between what it looks at and the record. */
  async #decide(shard: Shard, request: Request, admits: Admits): Promise<Replacement | PendingRecord> {
    const live = this.#live(shard, request);
    if (live?.working.unreplaced === request.intent.clientOrderId) return await unplaced(shard, live);
    if (live === undefined || live.working.ended !== undefined)
      return await this.#withoutOther(shard, live, request, admits);
    const { working } = live;
    requireReplaceable(live, this.#parts.market);
    const { restriction } = request.cancel;
    if (restriction !== undefined && !meetsRestriction(working, restriction))
      return await refused(shard, live, "CANCEL_RESTRICTED");
    const admitted = admits(working);
    const { orderId, intent } = working;
    if (working.child === undefined) {
      const replaces = { orderId, clientOrderId: intent.clientOrderId, canceled: true as const };
      return this.#accept(request, { ...admitted, replaces, canceled: working });
    }
    const unreplaced = request.intent.clientOrderId;
    const pending = shard.change(orderId, { kind: "CANCEL", unreplaced }, { kind: "CANCEL" });
    if (pending === undefined) throw replaceRejected("The order is being replaced already. Read its status.");
    return pending;
  }

  /** Decides on the new order alone: what it was to replace is unknown, or has ended. */
  async #withoutOther(
    shard: Shard,
    live: LiveOrder | undefined,
    request: Request,
    admits: Admits,
  ): Promise<PendingRecord> {
    const admitted = admits();
    if (request.mode !== "ALLOW_FAILURE") return await refused(shard, live, "CANCEL_REJECTED");
    const { cancel } = request;
    const replaces =
      "orderId" in cancel ? { orderId: cancel.orderId } : { clientOrderId: cancel.clientOrderId };
    return this.#accept(request, { ...admitted, replaces });
  }

  #accept(
    { accountId, intent }: Request,
    accepted: Admitted & Readonly<{ replaces: Replaced; canceled?: ParentOrder }>,
  ): PendingRecord {
    const { shard, timeMs, admission, replaces, canceled } = accepted;
    const parents = [{ intent, admission: { ...admission, replaces } }];
    const command = { accountId, timeMs, parents, ...(canceled !== undefined && { canceled }) };
    return this.#parts.placements.acceptIn(intent.symbol, shard, command);
  }

  /** Returns the order to replace, as decided; undefined if it is unknown, of another market, or ended for good. */
  #live(shard: Shard, request: Request): LiveOrder | undefined {
    const open = this.#parts.reads.findOpen(keyOf(request));
    return isOfMarket(open, request.intent) && open.ended === undefined
      ? shard.liveOrders.get(open.orderId)
      : undefined;
  }
}

function answerOf({ steps }: PendingRecord): Replacement {
  const accepted = steps.find(isAcceptance);
  const canceled = steps.find((step) => step !== accepted);
  return { canceled: canceled?.order, order: accepted?.order, created: accepted !== undefined };
}

const keyOf = ({ accountId, cancel }: Request): ParentKey =>
  "orderId" in cancel
    ? { accountId, orderId: cancel.orderId }
    : { accountId, clientOrderId: cancel.clientOrderId };

const isOfMarket = (order: ParentOrder | undefined, { symbol }: ParentIntent): order is ParentOrder =>
  order?.intent.symbol === symbol;

/** Throws the refusal to replace an order that must stay as it is. */
function requireReplaceable(live: LiveOrder, market: MarketHub): void {
  const { list, frozen, restored } = live.working;
  if (list !== undefined)
    throw replaceRejected("The order is a leg of a list. Cancel the list and place a new one.");
  if ((frozen ?? restored) !== undefined)
    throw replaceRejected("The order is stopped until a person settles it. Ask the operator.");
  if (awaitsLookUp(live))
    throw replaceRejected("The last child of the order is being looked up. Send the request again.");
  if (isMet(live.working, market))
    throw replaceRejected("A quote has met the order, and its trigger is being stored. Read its status.");
}

const replaceRejected = (advice: string): OrderError => new OrderError("CANCEL_REPLACE_FAILED", { advice });

/** Answers a copy of a request whose order was not placed, once that is durable. */
async function unplaced(shard: Shard, { working, pending }: LiveOrder): Promise<Replacement> {
  if (pending !== undefined) await shard.whenDurable(pending);
  return { canceled: working, order: undefined, created: false };
}

/** Rejects with a refusal once the state that it rests on is durable. */
async function refused(
  shard: Shard,
  live: LiveOrder | undefined,
  reason: "CANCEL_REJECTED" | "CANCEL_RESTRICTED",
): Promise<never> {
  if (live?.pending !== undefined) await shard.whenDurable(live.pending);
  throw new OrderError(reason);
}
