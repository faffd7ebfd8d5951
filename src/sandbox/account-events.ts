import { exactQuantityText, executionValueText } from "../decimal/index.ts";
import type { PaperVenue } from "../paper-exchange/index.ts";
import type { AccountEvents, BalanceNow, Instruments, ToldFill } from "../ports/index.ts";

/** What a fill changed: the base asset first, then the quote asset. */
export type FillChanges = readonly [base: Change, quote: Change];

type Change = Pick<BalanceNow, "asset" | "change">;

/** Returns the changes of the two balances that a fill exchanged; undefined for an unknown instrument. */
export function changesOf(
  { symbol, side, fill }: ToldFill,
  instruments: Instruments,
): FillChanges | undefined {
  const instrument = instruments.find(symbol);
  if (instrument === undefined) return undefined;
  const change = (asset: string, amount: string, grows: boolean): Change => {
    return { asset, change: grows ? amount : `-${amount}` };
  };
  return [
    change(instrument.baseAsset, exactQuantityText(fill), side === "BUY"),
    change(instrument.quoteAsset, executionValueText(fill), side === "SELL"),
  ];
}

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
    afterFill(executed) {
      const { accountId, symbol, fill } = executed;
      const changes = changesOf(executed, instruments);
      if (changes === undefined) return undefined;
      const [base] = changes;
      // The venue may have executed more by now, and not all of that may be durable.
      const held = venue.balancesAfter(fill.executionId) ?? venue.balances(accountId);
      const position = venue.positionAfter(fill.executionId) ?? venue.positions(accountId)[symbol];
      return {
        reason: "ORDER",
        timeMs: fill.timeMs,
        balances: changes.map(({ asset, change }) => ({ asset, wallet: held[asset] ?? "0", change })),
        positions: [{ symbol, amount: position ?? held[base.asset] ?? "0" }],
      };
    },
    subscribe: () => () => undefined,
  };
}
