import { OrderError } from "../../errors/index.ts";
import {
  admitAmend,
  amendNamed,
  amendNotNow,
  amendObstacle,
  amendRejected,
  isExpired,
  needsTrigger,
} from "../../lifecycle/index.ts";
import { type ParentOrder, sameTerms, termsLike } from "../../model/index.ts";
import { type Amendment, amendmentOf } from "../../requests/index.ts";
import type { AmendRequest, ParentKey } from "../core/calls.ts";
import type { Core } from "../core/core.ts";
import { EngineError } from "../core/engine-error.ts";
import { awaitsLookUp, orderIn } from "../core/live-order.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { ReadModel } from "../reads/read-model.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import type { StatusBoard } from "../status/status-board.ts";
import type { Placements } from "./placement.ts";

/** Dependencies of {@link Amends}, and of replacements. */
export type AmendParts = Readonly<{
  shards: Shards;
  reads: ReadModel;
  board: StatusBoard;
  market: MarketHub;
  placements: Placements;
}>;

type Context = Awaited<ReturnType<Placements["contextOf"]>>;

type Decision = Readonly<{
  orderId: number;
  amendment: Amendment;
  notAfterMs: number | undefined;
  context?: Context;
}>;

/** The order after an amend, or what must come before: the host is asked, or the order is read as an ended one. */
type Outcome = ParentOrder | "ASK" | "ENDED";

/**
 * Changes terms of one parent, and with the quantity of a leg that of the legs which share it. One amend of a parent at a time:
 * another is refused until the first is answered. An amend is decided only when everything before it of the parent and its list
 * is durable and no child of theirs is under way, so that nothing rests on the terms before. From its decision on, every decision
 * is durable after it and rests on the new terms, but for one: until the amend is durable the order is watched by the level before,
 * and a quote that meets it triggers, so that the order is never without its level. Nobody was told the new one yet.
 */
export class Amends {
  readonly #core: Core;
  readonly #parts: AmendParts;
  /** Parents of which an amend is under way. */
  readonly #underWay: Set<number> = new Set();

  constructor(core: Core, parts: AmendParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Resolves to the order after the amend. A copy of an amend with an id is answered with the order, also after its end. Rejects
   * with NO_SUCH_ORDER for an unknown order, with AMEND_REJECTED or AMEND_NOT_NOW for one that cannot be amended, and as an
   * admission does.
   */
  async one(request: AmendRequest): Promise<ParentOrder> {
    const amendment = amendmentOf(request.changes, request.amendId);
    const { shards, reads, placements } = this.#parts;
    this.#core.trust.requireHeld();
    const order = reads.findOpen(request);
    if (order === undefined) return await this.#ofEnded(request, amendment);
    const { orderId, accountId } = order;
    const { notAfterMs } = request;
    const shard = shards.ofOrder(orderId);
    const { epoch } = shard;
    const known = await this.#decide(shard, { orderId, amendment, notAfterMs });
    if (known === "ENDED") return await this.#ofEnded(request, amendment);
    if (known !== "ASK") return known;
    if (this.#underWay.has(orderId)) throw amendNotNow(ANOTHER);
    this.#underWay.add(orderId);
    try {
      const intents = shard.memory.legsOf(order).map(({ intent }) => intent);
      const context = await placements.contextOf(accountId, intents);
      shard.requireSince(epoch);
      const amended = await this.#decide(shard, { orderId, amendment, notAfterMs, context });
      return typeof amended === "string" ? await this.#ofEnded(request, amendment) : amended;
    } finally {
      this.#underWay.delete(orderId);
    }
  }

  /**
   * Decides in the mailbox of the shard. Without the context of an admission, only what needs none. Throws what keeps the shard
   * from deciding: an amend that waited until it is read again would change an order whose owner was told otherwise.
   */
  #decide(shard: Shard, { orderId, amendment, notAfterMs, context }: Decision): Promise<Outcome> {
    shard.requireRunning();
    return new Promise((resolve, reject) => {
      const input = (): void => {
        this.#requireInTime(notAfterMs);
        const live = shard.liveOrders.get(orderId);
        if (live === undefined) return resolve("ENDED");
        const { working, pending } = live;
        const isKnown = amendNamed(working, amendment.amendId, amendment.terms) !== undefined;
        const legs = shard.memory.legsOf(working);
        if (!isKnown) this.#requireAmendable(shard, working, legs);
        if (isKnown || changesNothing(working, amendment)) {
          if (pending === undefined) return resolve(working);
          return void shard
            .whenDurable(pending)
            .then(() => resolve(orderIn(pending, orderId) ?? working), reject);
        }
        if (context === undefined) return resolve("ASK");
        this.#amend(shard, { order: working, legs, ...amendment }, context()).then(resolve, reject);
      };
      shard.post(() => {
        try {
          input();
        } catch (error) {
          reject(error);
        }
      }, reject);
    });
  }

  /** Throws DISCONNECTED after the time of an amend: its client may have been told that the outcome is unknown. */
  #requireInTime(notAfterMs: number | undefined): void {
    if (notAfterMs !== undefined && this.#core.wallMs() > notAfterMs)
      throw new EngineError("DISCONNECTED", { notAfterMs });
  }

  async #amend(
    shard: Shard,
    amend: Parameters<typeof admitAmend>[0],
    context: ReturnType<Context>,
  ): Promise<ParentOrder> {
    admitAmend(amend, { ...context, mustStraddle: this.#core.settings.ocoMustStraddle });
    const { order, terms, amendId } = amend;
    const { orderId } = order;
    const event = {
      kind: "AMEND" as const,
      terms,
      ...(amendId !== undefined && { amendId }),
      ...(terms.expireTimeMs !== undefined && { aheadMs: context.aheadMs }),
    };
    const pending = shard.change(orderId, event, { kind: "AMEND" });
    const amended = pending && orderIn(pending, orderId);
    if (pending === undefined || amended?.amends === order.amends)
      throw new OrderError("UNEXPECTED_RESPONSE");
    await shard.whenDurable(pending);
    return amended as ParentOrder;
  }

  /** Throws the reason why a parent cannot be amended now, by itself and by the legs of its list. */
  #requireAmendable(shard: Shard, order: ParentOrder, legs: readonly ParentOrder[]): void {
    const { shards, board, market } = this.#parts;
    const lives = legs.map(({ orderId }) => shard.liveOrders.get(orderId));
    if (lives.some((live) => live?.durable !== live?.working)) throw amendNotNow(ANOTHER);
    if (lives.some((live) => live?.working.ended === undefined && live !== undefined && awaitsLookUp(live)))
      throw amendNotNow("The last child of the order is being looked up. Send the amend again.");
    const obstacle = amendObstacle(order, legs);
    if (obstacle !== undefined) throw obstacle;
    if (isExpired(order, this.#core.nowMs())) throw amendRejected("The order has expired. Place a new one.");
    if (shards.isFrozen(order)) throw amendNotNow("The account is stopped until a person settles it.");
    if (legs.some((leg) => isMet(leg, market))) throw amendNotNow(ANOTHER);
    if (board.hasOutdatedNodes) throw amendNotNow("A node of the service is too old for amends. Try later.");
  }

  /** Answers a copy of an amend of an order that has ended since. Throws the refusal of any other. */
  async #ofEnded(key: ParentKey, { amendId, terms }: Amendment): Promise<ParentOrder> {
    const order = await this.#parts.reads.find(key);
    if (order === undefined) throw new OrderError("NO_SUCH_ORDER");
    if (amendNamed(order, amendId, terms) !== undefined) return order;
    throw (order.ended && amendObstacle(order)) ?? amendNotNow(ANOTHER);
  }
}

/** Whether an order was met before, and its trigger waits for its turn. A held leg is not watched. */
export function isMet({ trigger, orderId, intent, ended, held }: ParentOrder, market: MarketHub): boolean {
  if (ended !== undefined || held || !needsTrigger(intent.type) || trigger !== undefined) return false;
  return market.book(intent.symbol)?.has(orderId) !== true;
}

/** Whether an amend without an id asks for the terms of now. One with an id is kept: a late copy must not undo another amend. */
const changesNothing = ({ intent }: ParentOrder, { terms, amendId }: Amendment): boolean =>
  amendId === undefined && sameTerms(termsLike(intent, terms), terms);

const ANOTHER = "Something else of the order is being stored. Send the amend again.";
