import { shardOfId } from "../lifecycle/index.ts";
import type { ParentOrder } from "../model/index.ts";
import type { Story } from "./api.ts";
import type { Core } from "./core.ts";
import type { FundsQueue } from "./funds-queue.ts";
import type { MarketHub } from "./market-hub.ts";
import type { ReadModel } from "./read-model.ts";
import type { Shard } from "./shard.ts";
import { explainWait } from "./waiting.ts";

/** What stories are told of. */
export type StoryParts = Readonly<{ reads: ReadModel; market: MarketHub; funds: FundsQueue }>;

/** What stories need from the engine. */
export type StoryHost = Readonly<{
  shard: (number: number) => Shard;
  isFrozen: (order: ParentOrder) => boolean;
}>;

/** Says why an order is where it is: its records, and what it waits for now. */
export class Stories {
  readonly #core: Core;
  readonly #parts: StoryParts;
  readonly #host: StoryHost;

  constructor(core: Core, parts: StoryParts, host: StoryHost) {
    this.#core = core;
    this.#parts = parts;
    this.#host = host;
  }

  async of(orderId: number): Promise<Story | undefined> {
    const { reads, market, funds } = this.#parts;
    const order = await reads.findAny(orderId);
    if (order === undefined) return undefined;
    const records = await reads.records(order);
    const live = this.#host.shard(shardOfId(orderId)).liveOrders.get(orderId);
    const context = {
      now: market.now(order.intent.symbol),
      nowMs: this.#core.nowMs(),
      frozen: this.#host.isFrozen(order),
      waitsForFunds: funds.waits(order),
    };
    const waitingFor = live === undefined ? undefined : explainWait(live, context);
    return { records, ...(waitingFor === undefined ? {} : { waitingFor }) };
  }
}
