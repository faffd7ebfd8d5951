import { add, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { ParentOrder } from "../../model/index.ts";

/** Quantities that the parents of one account have executed and may still execute on one side of one market. */
export type ExposureSum = Readonly<{
  /** Quantity that unresolved reduce-only children may still execute. */
  reserved: Quantity;
  /** Quantity executed since the account came into memory. Only differences of it are meaningful. */
  executed: Quantity;
}>;

const NOTHING: ExposureSum = Object.freeze({ reserved: ZERO_QUANTITY, executed: ZERO_QUANTITY });

/**
 * Running sums of one account by market and side. Only events on the same market and side can make a measured
 * exposure too high, so only that sum tells whether a measurement is outdated (decision 24, I13).
 */
export class ExposureSums {
  readonly #sums: Map<string, ExposureSum> = new Map();

  of(order: ParentOrder): ExposureSum {
    return this.#sums.get(keyOf(order)) ?? NOTHING;
  }

  /** Adds a parent that came into memory. */
  hold(order: ParentOrder): void {
    this.#count(order, { reserved: reservedBy(order), executed: ZERO_QUANTITY });
  }

  /** Applies the change of a parent by a record. */
  move(before: ParentOrder, after: ParentOrder): void {
    this.#count(after, {
      reserved: subtract(reservedBy(after), reservedBy(before)),
      executed: subtract(after.executedQuantity, before.executedQuantity),
    });
  }

  #count(order: ParentOrder, change: ExposureSum): void {
    if (change.reserved === ZERO_QUANTITY && change.executed === ZERO_QUANTITY) return;
    const sum = this.of(order);
    this.#sums.set(keyOf(order), {
      reserved: add(sum.reserved, change.reserved),
      executed: add(sum.executed, change.executed),
    });
  }
}

/** Returns the quantity that the unresolved child of a reduce-only parent may still execute. */
export function reservedBy({ intent, child }: ParentOrder): Quantity {
  if (!intent.reduceOnly || child === undefined) return ZERO_QUANTITY;
  const open = subtract(child.quantity, child.executedQuantity);
  return open > 0 ? open : ZERO_QUANTITY;
}

const keyOf = ({ intent }: ParentOrder): string => `${intent.symbol} ${intent.side}`;
