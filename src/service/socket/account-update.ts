import type { AccountUpdate, MarginCall } from "../../ports/index.ts";
import type { ACCOUNT_UPDATE, CompleteOf, MARGIN_CALL } from "../../replies/index.ts";
import type { EventStamp } from "./order-trade-update.ts";

/** Stamp of an event, with its account. */
export type AccountStamp = EventStamp & Readonly<{ accountId: number }>;

/** Builds an ACCOUNT_UPDATE. `sequence` and `accountId` are additions to the convention. Source: convention 4.10. */
export function accountUpdate(
  update: AccountUpdate,
  { accountId, sequence, nowMs }: AccountStamp,
): CompleteOf<typeof ACCOUNT_UPDATE> {
  const { reason, timeMs, balances, positions } = update;
  return {
    e: "ACCOUNT_UPDATE",
    E: nowMs,
    T: timeMs,
    sequence,
    accountId,
    a: {
      m: reason,
      B: balances.map(({ asset, wallet, cross, change }) => {
        return { a: asset, wb: wallet, cw: cross ?? wallet, bc: change };
      }),
      P: positions.map((position) => ({
        s: position.symbol,
        pa: position.amount,
        ep: position.entryPrice ?? "0",
        bep: position.breakEvenPrice ?? "0",
        cr: position.realizedProfit ?? "0",
        up: position.unrealizedProfit ?? "0",
        mt: "cross",
        iw: "0",
        ps: "BOTH",
      })),
    },
  };
}

/** Builds a MARGIN_CALL. `sequence` and `accountId` are additions to the convention. Source: convention 4.10. */
export function marginCall(
  call: MarginCall,
  { accountId, sequence, nowMs }: AccountStamp,
): CompleteOf<typeof MARGIN_CALL> {
  return {
    e: "MARGIN_CALL",
    E: nowMs,
    sequence,
    accountId,
    cw: call.crossWallet,
    p: call.positions.map((position) => ({
      s: position.symbol,
      ps: position.side,
      pa: position.amount,
      mt: position.marginType,
      iw: position.isolatedWallet ?? "0",
      mp: position.markPrice,
      up: position.unrealizedProfit,
      mm: position.maintenanceMargin,
    })),
  };
}
