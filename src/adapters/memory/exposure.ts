import { nameOption, type OptionCheck, optionsOf, wholeOption, wrongOption } from "../../common/index.ts";
import { add, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { Fill, JournalRecord, ParentIntent } from "../../model/index.ts";
import type { Exposure } from "../../ports/index.ts";
import type { DiskContents } from "./storage.ts";

/** A signed position of an account in an instrument. */
export interface Position {
  readonly accountId: number;
  readonly symbol: string;
  readonly quantity: Quantity;
}

const quantityOption: OptionCheck = (value, name) => {
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return;
  throw wrongOption(value, name, 'a Quantity, such as Quantity.parseSigned("-0.5")');
};

const positionOption: OptionCheck = optionsOf<Position>({
  accountId: wholeOption({ from: 1 }),
  symbol: nameOption,
  quantity: quantityOption,
});

/** Positions that the host sets. */
export interface MemoryExposure extends Exposure {
  /** Returns the position that was set, zero by default. */
  position(accountId: number, symbol: string): Quantity;
  /** Sets a position in place of the earlier one. Throws a TypeError or RangeError that names a member that is wrong. */
  set(position: Position): void;
}

/**
 * Creates positions in memory. A position that was never set is zero. `lagMs` says how late the host sets them, in
 * milliseconds: 0 if each includes every fill that the venue has reported. Throws a TypeError or RangeError that names a
 * member of a position that is missing, unknown or wrong.
 *
 * @example
 * ```ts
 * import { Quantity } from "managed-orders";
 * import { createMemoryExposure } from "managed-orders/memory";
 * const exposure = createMemoryExposure();
 * exposure.set({ accountId: 1, symbol: "BTC/USD", quantity: Quantity.parseSigned("-2") });
 * console.log(Quantity.format(await exposure.position(1, "BTC/USD"))); // -2
 * ```
 */
export function createMemoryExposure(positions: readonly Position[] = [], lagMs?: number): MemoryExposure {
  const quantities = new Map<string, Quantity>();
  const keyOf = (accountId: number, symbol: string): string => `${accountId} ${symbol}`;
  const set = (position: Position): void => {
    positionOption(position, "position");
    const { accountId, symbol, quantity } = position;
    quantities.set(keyOf(accountId, symbol), quantity);
  };
  for (const position of positions) set(position);
  return {
    ...(lagMs !== undefined && { lagMs }),
    position: (accountId, symbol) => quantities.get(keyOf(accountId, symbol)) ?? ZERO_QUANTITY,
    set,
  };
}

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
