import { formatNotional, formatQuantity, notionalOf } from "../decimal/index.ts";
import type { AccountEvents, BalanceNow, Instruments } from "../ports/index.ts";
import type { PaperVenue } from "../simulator/index.ts";

/**
 * Creates the account events of a sandbox from fills: the changes of the two balances that were exchanged, and the
 * position in the instrument. The position is the balance of the base asset unless one was set (decision 24). There is
 * no margin, so there are no margin calls.
 */
export function createAccountEvents(
  exchange: Readonly<{
    venue: Pick<PaperVenue, "balances" | "balancesAfter" | "positions" | "positionAfter">;
    instruments: Instruments;
  }>,
): AccountEvents {
  const { venue, instruments } = exchange;
  return {
    afterFill({ accountId, symbol, side, fill }) {
      const instrument = instruments.find(symbol);
      if (instrument === undefined) return undefined;
      const { baseAsset, quoteAsset } = instrument;
      // The venue may have executed more by now, and not all of that may be durable.
      const held = venue.balancesAfter(fill.executionId) ?? venue.balances(accountId);
      const position = venue.positionAfter(fill.executionId) ?? venue.positions(accountId)[symbol];
      const balance = (asset: string, amount: string, grows: boolean): BalanceNow => {
        return { asset, wallet: held[asset] ?? "0", change: grows ? amount : `-${amount}` };
      };
      return {
        reason: "ORDER",
        timeMs: fill.timeMs,
        balances: [
          balance(baseAsset, formatQuantity(fill.quantity), side === "BUY"),
          balance(quoteAsset, formatNotional(notionalOf(fill.price, fill.quantity)), side === "SELL"),
        ],
        positions: [{ symbol, amount: position ?? held[baseAsset] ?? "0" }],
      };
    },
    subscribe: () => () => undefined,
  };
}
