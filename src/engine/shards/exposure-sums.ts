import { add, type Quantity, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { ParentOrder } from "../../model/index.ts";

/** What the parents of one account did and may still do on one side of one market. */
export type ExposureSum = Readonly<{
  /** What unresolved reduce-only children may still execute. */
  reserved: Quantity;
  /** What was executed, counted from when the account came into memory; only differences of it mean something. */
  executed: Quantity;
}>;

const NOTHING: ExposureSum = Object.freeze({ reserved: ZERO_QUANTITY, executed: ZERO_QUANTITY });

/**
 * Running sums of one account by market and side. Only what happened on the same market and side can make a measured
 * exposure too high, so only that sum tells whether a measurement is old (decision 24, I13).
 */
export class ExposureSums {
  readonly #sums: Map<string, ExposureSum> = new Map();

  of(order: ParentOrder): ExposureSum {
    return this.#sums.get(keyOf(order)) ?? NOTHING;
  }

  /** A parent came into memory as it is. */
  hold(order: ParentOrder): void {
    this.#count(order, { reserved: reservedBy(order), executed: ZERO_QUANTITY });
  }

  /** A record changes a parent. */
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

/** What the unresolved child of a reduce-only parent may still execute. */
export function reservedBy({ intent, child }: ParentOrder): Quantity {
  if (!intent.reduceOnly || child === undefined) return ZERO_QUANTITY;
  const open = subtract(child.quantity, child.executedQuantity);
  return open > 0 ? open : ZERO_QUANTITY;
}

const keyOf = ({ intent }: ParentOrder): string => `${intent.symbol} ${intent.side}`;
