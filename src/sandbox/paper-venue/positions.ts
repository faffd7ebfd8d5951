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

/** A trade as far as it moves a position. */
export type PositionMove = Readonly<{
  accountId: number;
  symbol: string;
  side: Side;
  fills: readonly Fill[];
}>;

/** What trades came to, signed. */
export type PositionShift = Readonly<{ accountId: number; symbol: string; base: Quantity }>;

/** Reads a signed quantity as text; `undefined` when it is none, or beyond the range of quantities. */
export function parsePosition(text: string): Quantity | undefined {
  const isShort = text.startsWith("-");
  const size = parseScaled(isShort ? text.slice(1) : text, QUANTITY_SCALE) as Quantity | undefined;
  if (size === undefined || size >= QUANTITY_LIMIT) return undefined;
  return isShort ? subtract(ZERO_QUANTITY, size) : size;
}

/** Signed positions that were set from outside. Fills move them; where none was set there is none to move. */
export class Positions {
  readonly #positions: Map<number, Map<string, Quantity>> = new Map();
  /** By execution id, the position right after it. */
  readonly #after: Map<string, Quantity> = new Map();

  /** Sets the positions of an account; a symbol that is not named has none. */
  set(accountId: number, positions: Readonly<Record<string, string>>): void {
    const quantities = Object.entries(positions).map(([symbol, text]): [string, Quantity] => {
      const quantity = parsePosition(text);
      if (quantity === undefined) throw new RangeError(`not a position in ${symbol}: ${text}`);
      return [symbol, quantity];
    });
    this.#positions.set(accountId, new Map(quantities));
  }

  find(accountId: number, symbol: string): Quantity | undefined {
    return this.#positions.get(accountId)?.get(symbol);
  }

  /** All positions of an account as text. */
  show(accountId: number): Readonly<Record<string, string>> {
    const positions = [...(this.#positions.get(accountId) ?? [])];
    return Object.fromEntries(positions.map(([symbol, quantity]) => [symbol, formatQuantity(quantity)]));
  }

  /** The position that an execution moved, as it was right after it, as text; `undefined` where it moved none. */
  showAfter(executionId: string): string | undefined {
    const after = this.#after.get(executionId);
    return after === undefined ? undefined : formatQuantity(after);
  }

  /** A position moves by what trades came to of which nothing else is known any more. */
  shift({ accountId, symbol, base }: PositionShift): void {
    const positions = this.#positions.get(accountId);
    const position = positions?.get(symbol);
    if (position !== undefined) positions?.set(symbol, add(position, base));
  }

  /** The position after an execution is no longer asked for. */
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
