import type { PricedPrint } from "../../model/index.ts";
import type { PrintPlace, ShardLeases } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { COSTS } from "../core/turns.ts";
import type { MarketHub } from "../market/market-hub.ts";

/** Most prints of one read. */
const PAGE = 1_024;

/** Where the prints are read, where they go, and the place of the last one that the market has already (`upTo` of a volume). */
export type FollowedMarketParts = Readonly<{
  leases: Pick<ShardLeases, "prints">;
  market: Pick<MarketHub, "printStored" | "publish">;
  after?: PrintPlace | undefined;
}>;

/**
 * Follows the prints that the writer of the market journal stores, so that the volume of this node becomes that of the
 * store: prints that it has not heard are counted, and those that it has heard wait no longer (decision XP).
 */
export class FollowedMarket {
  readonly #core: Core;
  readonly #parts: FollowedMarketParts;
  #after: PrintPlace | undefined;
  /** The last read, which never rejects. */
  #reading: Promise<void> = Promise.resolve();

  constructor(core: Core, parts: FollowedMarketParts) {
    this.#core = core;
    this.#parts = parts;
    this.#after = parts.after;
  }

  /**
   * Takes all prints that are stored when it is called. Waits for an earlier call, which may have read too soon. Rejects when
   * the store cannot be read; the next call goes on from the last print that was taken.
   */
  async follow(): Promise<void> {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => undefined);
    await reading;
  }

  async #read(): Promise<void> {
    const { leases, market } = this.#parts;
    for (;;) {
      const prints = await leases.prints({
        limit: PAGE,
        ...(this.#after !== undefined && { after: this.#after }),
      });
      // All are counted before an order follows the first: it sends one child for the volume of them all.
      const news: PricedPrint[] = [];
      for (const { place, print } of prints) {
        const counted = market.printStored(print);
        if (counted !== undefined) news.push(counted);
        this.#after = place;
        const turn = this.#core.turns.spend(COSTS.read);
        if (turn !== undefined) await turn;
      }
      market.publish(news);
      if (prints.length < PAGE) return;
    }
  }
}
