import { add, type Quantity, subtract } from "../../decimal/index.ts";
import type { Fill, JournalRecord, ParentIntent } from "../../model/index.ts";
import type { DiskContents } from "./disk.ts";
import type { MemoryExposure } from "./exposure.ts";

type Owned = Pick<ParentIntent, "symbol" | "side"> & Readonly<{ accountId: number }>;

/**
 * Adds every fill that is stored on a disk to the position of its account. The journal has each fill once, whether the
 * venue reported it once or twice, by itself or when the child was looked up, and whichever store wrote it. An order is
 * remembered after its end, because a fill may come late.
 */
export function followFills(disk: DiskContents, exposure: MemoryExposure): void {
  const orders = new Map<number, Owned>();
  disk.listeners.add(({ changes }: JournalRecord) => {
    for (const { orderId, facts } of changes)
      for (const fact of facts) {
        if (fact.kind === "ACCEPTED") {
          const { accountId, intent } = fact;
          orders.set(orderId, { accountId, symbol: intent.symbol, side: intent.side });
        }
        const order = orders.get(orderId);
        if (fact.kind === "FILLED" && order !== undefined) fill(exposure, order, fact.fill);
      }
  });
}

/** A position has whole steps: what is below one is not added, and is taken off whole. */
function fill(exposure: MemoryExposure, { accountId, symbol, side }: Owned, { quantity, fine }: Fill): void {
  const before = exposure.position(accountId, symbol);
  exposure.set({
    accountId,
    symbol,
    quantity:
      side === "BUY"
        ? add(before, quantity)
        : subtract(before, fine === undefined ? quantity : add(quantity, 1 as Quantity)),
  });
}
