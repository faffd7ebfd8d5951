import {
  add,
  formatQuantity,
  parseScaled,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
  subtract,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { Fill, Side } from "../../model/index.ts";

/** The part of a trade that moves a position. */
export type PositionMove = Readonly<{
  accountId: number;
  symbol: string;
  side: Side;
  fills: readonly Fill[];
}>;

/** The signed sum of trades. */
export type PositionShift = Readonly<{ accountId: number; symbol: string; base: Quantity }>;

/** Parses a signed quantity. Returns `undefined` if the text is not a quantity or is out of range. */
export function parsePosition(text: string): Quantity | undefined {
  const isShort = text.startsWith("-");
  const size = parseScaled(isShort ? text.slice(1) : text, QUANTITY_SCALE) as Quantity | undefined;
  if (size === undefined || size >= QUANTITY_LIMIT) return undefined;
  return isShort ? subtract(ZERO_QUANTITY, size) : size;
}

/** Signed positions that were set explicitly. Fills move them. Where no position was set, fills move none. */
export class Positions {
  readonly #positions: Map<number, Map<string, Quantity>> = new Map();
  /** The position right after each execution, by execution id. */
  readonly #after: Map<string, Quantity> = new Map();

  /** Sets the positions of an account. Symbols that are not named have no position. */
  set(accountId: number, positions: Readonly<Record<string, string>>): void {
    const quantities = Object.entries(positions).map(([symbol, text]): [string, Quantity] => {
      const quantity = parsePosition(text);
      if (quantity === undefined)
        throw new RangeError(`the position in ${symbol} must be a quantity, got ${text}`);
      return [symbol, quantity];
    });
    this.#positions.set(accountId, new Map(quantities));
  }

  find(accountId: number, symbol: string): Quantity | undefined {
    return this.#positions.get(accountId)?.get(symbol);
  }

  /** Returns all positions of an account as text. */
  show(accountId: number): Readonly<Record<string, string>> {
    const positions = [...(this.#positions.get(accountId) ?? [])];
    return Object.fromEntries(positions.map(([symbol, quantity]) => [symbol, formatQuantity(quantity)]));
  }

  /** Returns the position that an execution moved, right after it, as text; `undefined` if it moved none. */
  showAfter(executionId: string): string | undefined {
    const after = this.#after.get(executionId);
    return after === undefined ? undefined : formatQuantity(after);
  }

  /** Applies the sum of trades whose details are forgotten. */
  shift({ accountId, symbol, base }: PositionShift): void {
    const positions = this.#positions.get(accountId);
    const position = positions?.get(symbol);
    if (position !== undefined) positions?.set(symbol, add(position, base));
  }

  /** Drops the position after an execution, which is no longer needed. */
  forgetAfter(executionId: string): void {
    this.#after.delete(executionId);
  }

  /** Moves a position by a trade, fill by fill. */
  move({ accountId, symbol, side, fills }: PositionMove): void {
    const positions = this.#positions.get(accountId);
    let position = positions?.get(symbol);
    if (positions === undefined || position === undefined) return;
    for (const { executionId, quantity } of fills) {
      position = (side === "BUY" ? add : subtract)(position, quantity);
      this.#after.set(executionId, position);
    }
    positions.set(symbol, position);
  }
}
