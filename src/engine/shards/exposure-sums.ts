import { add, max, min, type Quantity, roundedUp, subtract, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { ParentOrder } from "../../model/index.ts";

/** Quantities that the parents of one account have executed and may still execute on one side of one market. */
export type ExposureSum = Readonly<{
  /** Number of unresolved children, reduce-only or not. */
  children: number;
  /** Quantity that unresolved reduce-only children may still execute. */
  reserved: Quantity;
  /** Quantity executed since the account came into memory. Only differences of it are meaningful. */
  executed: Quantity;
  /** The part of it in durable records. A position that follows the journal includes no more. */
  durable: Quantity;
  /**
   * The part of `executed` that no reduce-only child had reserved: by opening children, late, or in excess. A measured
   * exposure becomes smaller by it, and by nothing else.
   */
  unreserved: Quantity;
}>;

const NOTHING: ExposureSum = Object.freeze({
  children: 0,
  reserved: ZERO_QUANTITY,
  executed: ZERO_QUANTITY,
  durable: ZERO_QUANTITY,
  unreserved: ZERO_QUANTITY,
});

/**
 * Running sums of one account by market and side. Only events on the same market and side can make a measured
 * exposure too high, so only that sum tells whether a measurement is outdated (decision 24, I13).
 */
export class ExposureSums {
  readonly #sums: Map<string, ExposureSum> = new Map();

  of(order: ParentOrder): ExposureSum {
    return this.#sums.get(keyOf(order)) ?? NOTHING;
  }

  /** Whether nothing is under way on the market of an order: no child is unresolved, and every execution is durable. */
  isSettled({ intent: { symbol } }: ParentOrder): boolean {
    return SIDES.every((side) => {
      const { children, executed, durable } = this.#sums.get(`${symbol} ${side}`) ?? NOTHING;
      return children === 0 && executed === durable;
    });
  }

  /** Adds a parent that came into memory. */
  hold(order: ParentOrder): void {
    if (order.child === undefined) return;
    this.#count(order, { ...NOTHING, children: 1, reserved: reservedBy(order) });
  }

  /** Applies the change of a parent by a record. */
  move(before: ParentOrder, after: ParentOrder): void {
    const children = childrenOf(after) - childrenOf(before);
    const reserved = subtract(reservedBy(after), reservedBy(before));
    const executed = executedBetween(before, after);
    const unreserved = max(add(executed, min(reserved, ZERO_QUANTITY)), ZERO_QUANTITY);
    this.#count(after, {
      ...NOTHING,
      children,
      reserved,
      executed,
      unreserved,
    });
  }

  /** Notes that a record on a parent is durable. */
  countDurable(before: ParentOrder, after: ParentOrder): void {
    this.#count(after, { ...NOTHING, durable: executedBetween(before, after) });
  }

  /** Whether everything that was executed is durable. */
  get isDurable(): boolean {
    for (const { executed, durable } of this.#sums.values()) if (executed !== durable) return false;
    return true;
  }

  #count(order: ParentOrder, change: ExposureSum): void {
    const { children, reserved, executed, durable } = change;
    const amounts = [reserved, executed, durable];
    if (children === 0 && amounts.every((amount) => amount === ZERO_QUANTITY)) return;
    const sum = this.of(order);
    this.#sums.set(keyOf(order), {
      children: sum.children + children,
      reserved: add(sum.reserved, reserved),
      executed: add(sum.executed, executed),
      durable: add(sum.durable, durable),
      unreserved: add(sum.unreserved, change.unreserved),
    });
  }
}

/** Returns the quantity that the unresolved child of a reduce-only parent may still execute. */
export function reservedBy({ intent, child }: ParentOrder): Quantity {
  if (!intent.reduceOnly || child === undefined) return ZERO_QUANTITY;
  const open = subtract(child.quantity, child.executedQuantity);
  return open > 0 ? open : ZERO_QUANTITY;
}

const childrenOf = ({ child }: ParentOrder): number => (child === undefined ? 0 : 1);

/** Rounded up to whole steps, so that a measured exposure is never taken for larger than it is. */
const executedBetween = (before: ParentOrder, after: ParentOrder): Quantity =>
  subtract(roundedUp(after), roundedUp(before));

const SIDES = ["BUY", "SELL"] as const;

const keyOf = ({ intent }: ParentOrder): string => `${intent.symbol} ${intent.side}`;
