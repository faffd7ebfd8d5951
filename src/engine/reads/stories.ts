import type { Story } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import type { FundsQueue } from "../eligibility/funds-queue.ts";
import type { MarketHub } from "../market/market-hub.ts";
import type { Shards } from "../shards/shards.ts";
import type { ReadModel } from "./read-model.ts";
import { explainWait } from "./waiting.ts";

/** Dependencies of {@link Stories}. */
export type StoryParts = Readonly<{ shards: Shards; reads: ReadModel; market: MarketHub; funds: FundsQueue }>;

/** Explains the state of an order: its records, and what it waits for now. */
export class Stories {
  readonly #core: Core;
  readonly #parts: StoryParts;

  constructor(core: Core, parts: StoryParts) {
    this.#core = core;
    this.#parts = parts;
  }

  async of(orderId: number): Promise<Story | undefined> {
    const { shards, reads, market, funds } = this.#parts;
    const order = await reads.findAny(orderId);
    if (order === undefined) return undefined;
    const records = await reads.records(order);
    const live = shards.live(orderId);
    const context = {
      now: market.now(order.intent.symbol),
      nowMs: this.#core.nowMs(),
      frozen: shards.isFrozen(order),
      waitsForFunds: funds.waits(order),
    };
    const waitingFor = live === undefined ? undefined : explainWait(live, context);
    return { records, ...(waitingFor === undefined ? {} : { waitingFor }) };
  }
}
