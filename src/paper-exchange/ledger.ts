import {
  add,
  formatQuantity,
  formatScaled,
  NOTIONAL_SCALE,
  type Notional,
  notional,
  notionalOf,
  parseScaled,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type { Fill, Side } from "../model/index.ts";
import type { AssetBalance } from "../ports/index.ts";
import type { VenueFill } from "./execution-terms.ts";
import { total } from "./order-book.ts";

/** The amount of an asset that a trade takes from an account. */
export type Debit = Readonly<{ accountId: number; asset: string; amount: Scaled }>;

/** A trade of an account: its fills, exchanged between USD and a base asset. */
export type Trade = Readonly<{
  accountId: number;
  side: Side;
  baseAsset: string;
  fills: readonly FillAmount[];
}>;

/** The signed sums of trades in the base asset and in USD. */
type Shift = Readonly<{ accountId: number; baseAsset: string; base: Scaled; quote: Scaled }>;

type FillAmount = Pick<VenueFill, "price" | "quantity" | "commission">;

/** A trade that was made. */
type ExecutedTrade = Trade & Readonly<{ fills: readonly VenueFill[] }>;

type Balances = readonly (readonly [asset: string, amount: Scaled])[];

const USD = "USD";

/**
 * Returns the number of decimals of an asset. USD is kept in units of 1e-14, so that price · quantity is exact; every
 * other asset in units of 1e-6.
 */
const scaleOf = (asset: string): number => (asset === USD ? NOTIONAL_SCALE : QUANTITY_SCALE);

/** Parses an amount of an asset. Returns `undefined` if it has too many decimals or is not an amount. */
export function parseAmount(asset: string, text: string): Scaled | undefined {
  return parseScaled(text, scaleOf(asset));
}

/** Returns the commission of a fill in USD. */
export function commissionOf({ commission }: FillAmount): Notional {
  return commission === undefined ? ZERO_NOTIONAL : notional(commission);
}

/** Returns the amount of fills in USD, with their commissions added or subtracted. */
const amountOf = (fills: readonly FillAmount[], by: (a: Notional, b: Notional) => Notional): Notional =>
  fills.reduce((sum, fill) => {
    const amount = notionalOf(fill.price, fill.quantity);
    return add(sum, by(amount, commissionOf(fill)));
  }, ZERO_NOTIONAL);

/** Returns the cost of a trade. The commission of a sale is paid out of its proceeds. */
export function debitOf({ accountId, side, baseAsset, fills }: Trade): Debit {
  if (side === "SELL") return { accountId, asset: baseAsset, amount: total(fills) };
  return { accountId, asset: USD, amount: amountOf(fills, add) };
}

/** Returns what a trade adds to the account: a sale adds its proceeds less the commission. */
function creditOf({ accountId, side, baseAsset, fills }: Trade): Debit {
  if (side === "BUY") return { accountId, asset: baseAsset, amount: total(fills) };
  return { accountId, asset: USD, amount: amountOf(fills, subtract) };
}

const textOf = (balances: Balances): Readonly<Record<string, string>> =>
  Object.fromEntries(balances.map(([asset, amount]) => [asset, formatScaled(amount, scaleOf(asset))]));

const reserveOf = ({ accountId, asset }: Debit): string => `${accountId} ${asset}`;

/** Amounts by account and asset. */
type Sums = Map<string, Scaled>;
/** A promise, and the sums that contain it. */
type Reservation = Readonly<{ debit: Debit; sums: readonly Sums[] }>;

function adjust({ debit, sums }: Reservation, by: (a: Scaled, b: Scaled) => Scaled): void {
  const reserve = reserveOf(debit);
  for (const sum of sums) sum.set(reserve, by(sum.get(reserve) ?? 0, debit.amount));
}

/** Balances of all accounts, and the amounts promised to trades that are not reported yet. */
export class Ledger {
  readonly #balances: Map<number, Map<string, Scaled>> = new Map();
  readonly #reservations: Map<string, Reservation> = new Map();
  /**
   * Sums of the promises by account and asset, so that the number of resting orders does not affect the cost of a
   * check.
   */
  readonly #reserved: Sums = new Map();
  /** The part of these sums that belongs to held children. */
  readonly #reservedHeld: Sums = new Map();
  /** The two balances right after each execution, by execution id. */
  readonly #after: Map<string, Balances> = new Map();

  /** Returns whether the account's balances were ever set. */
  has(accountId: number): boolean {
    return this.#balances.has(accountId);
  }

  /** Sets the balances of an account. Assets that are not named have no balance. */
  set(accountId: number, balances: Readonly<Record<string, string>>): void {
    const amounts = Object.entries(balances).map(([asset, text]): [string, Scaled] => {
      const amount = parseAmount(asset, text);
      if (amount === undefined)
        throw new RangeError(`the balance of ${asset} must be an amount, got ${text}`);
      return [asset, amount];
    });
    this.#balances.set(accountId, new Map(amounts));
  }

  /** Returns the balance of an asset, or zero if it is unknown. */
  balance(accountId: number, asset: string): Scaled {
    return this.#balances.get(accountId)?.get(asset) ?? 0;
  }

  /** Returns all balances of an account as text. */
  show(accountId: number): Readonly<Record<string, string>> {
    return textOf([...(this.#balances.get(accountId) ?? [])]);
  }

  /** Returns all balances of an account as text, with the part that is promised to open orders. */
  funds(accountId: number): readonly AssetBalance[] {
    return [...(this.#balances.get(accountId) ?? [])].map(([asset, amount]) => {
      const locked = this.#reserved.get(reserveOf({ accountId, asset, amount })) ?? 0;
      const text = (value: Scaled): string => formatScaled(value, scaleOf(asset));
      return { asset, free: text(subtract(amount, locked)), locked: text(locked) };
    });
  }

  /**
   * Returns the balances that an execution changed, right after it, as text; `undefined` if the execution is unknown.
   */
  showAfter(executionId: string): Readonly<Record<string, string>> | undefined {
    const after = this.#after.get(executionId);
    return after && textOf(after);
  }

  /** Returns whether the account can pay in addition to all promises. */
  covers(debit: Debit): boolean {
    const reserved = this.#reserved.get(reserveOf(debit)) ?? 0;
    return debit.amount <= subtract(this.balance(debit.accountId, debit.asset), reserved);
  }

  /** Returns whether the account can pay in addition to held children. What resting orders reserve is available. */
  holds(debit: Debit): boolean {
    const held = this.#reservedHeld.get(reserveOf(debit)) ?? 0;
    return debit.amount <= subtract(this.balance(debit.accountId, debit.asset), held);
  }

  /** Reserves the cost of a resting order. Replaces its earlier reservation. */
  reserve(id: string, debit: Debit): void {
    this.#reserve(id, { debit, sums: [this.#reserved] });
  }

  /** Reserves the cost of a held child, which has executed already. */
  reserveHeld(id: string, debit: Debit): void {
    this.#reserve(id, { debit, sums: [this.#reserved, this.#reservedHeld] });
  }

  /** Ends a promise. */
  prune(id: string): void {
    const reservation = this.#reservations.get(id);
    if (reservation === undefined) return;
    this.#reservations.delete(id);
    adjust(reservation, subtract);
  }

  #reserve(id: string, reservation: Reservation): void {
    this.prune(id);
    this.#reservations.set(id, reservation);
    adjust(reservation, add);
  }

  /** Applies a trade to the balances, fill by fill. */
  move({ fills, ...whose }: ExecutedTrade): void {
    const { accountId, baseAsset } = whose;
    for (const fill of fills) {
      this.#change(debitOf({ ...whose, fills: [fill] }), subtract);
      this.#change(creditOf({ ...whose, fills: [fill] }), add);
      const balances = [baseAsset, USD].map((asset) => [asset, this.balance(accountId, asset)] as const);
      this.#after.set(fill.executionId, balances);
    }
  }

  /** Applies the sums of trades whose details are forgotten. */
  shift({ accountId, baseAsset, base, quote }: Shift): void {
    this.#change({ accountId, asset: baseAsset, amount: base }, add);
    this.#change({ accountId, asset: USD, amount: quote }, add);
  }

  /** Drops the balances after an execution, which are no longer needed. */
  pruneAfter(executionId: string): void {
    this.#after.delete(executionId);
  }

  #change({ accountId, asset, amount }: Debit, by: (a: Scaled, b: Scaled) => Scaled): void {
    const account = this.#balances.get(accountId) ?? new Map<string, Scaled>();
    account.set(asset, by(account.get(asset) ?? 0, amount));
    this.#balances.set(accountId, account);
  }
}

/** The part of a trade that moves a position. */
type PositionMove = Readonly<{
  accountId: number;
  symbol: string;
  side: Side;
  fills: readonly Fill[];
}>;

/** The signed sum of trades. */
type PositionShift = Readonly<{ accountId: number; symbol: string; base: Quantity }>;

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
  pruneAfter(executionId: string): void {
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
