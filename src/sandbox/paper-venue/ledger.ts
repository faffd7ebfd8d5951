import {
  add,
  formatScaled,
  NOTIONAL_SCALE,
  notionalOf,
  parseScaled,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
  subtract,
  ZERO_NOTIONAL,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { Fill, Side } from "../../model/index.ts";

/** What a trade takes from an account: an asset and how much of it. */
export type Debit = Readonly<{ accountId: number; asset: string; amount: Scaled }>;

/** A trade of an account: its fills, exchanged between USD and a base asset. */
export type Trade = Readonly<{
  accountId: number;
  side: Side;
  baseAsset: string;
  fills: readonly FillAmount[];
}>;

type FillAmount = Pick<Fill, "price" | "quantity">;

const USD = "USD";

/** USD rests in 1e-14 steps, so that price · quantity is exact; everything else in 1e-6 steps. */
const scaleOf = (asset: string): number => (asset === USD ? NOTIONAL_SCALE : QUANTITY_SCALE);

/** Reads an amount of an asset as text; `undefined` when it has too many decimals or is no amount. */
export function parseAmount(asset: string, text: string): Scaled | undefined {
  return parseScaled(text, scaleOf(asset));
}

/** What a trade costs. */
export function debitOf({ accountId, side, baseAsset, fills }: Trade): Debit {
  if (side === "SELL") return { accountId, asset: baseAsset, amount: sumOfQuantities(fills) };
  const cost = fills.reduce((sum, fill) => add(sum, notionalOf(fill.price, fill.quantity)), ZERO_NOTIONAL);
  return { accountId, asset: USD, amount: cost };
}

const sumOfQuantities = (fills: readonly FillAmount[]): Quantity =>
  fills.reduce((sum, fill) => add(sum, fill.quantity), ZERO_QUANTITY);

/** Balances of all accounts, and what of them is promised to trades that were not told yet. */
export class Ledger {
  readonly #balances: Map<number, Map<string, Scaled>> = new Map();
  readonly #promised: Map<string, Debit> = new Map();

  /** Whether the account's balances were ever set. */
  has(accountId: number): boolean {
    return this.#balances.has(accountId);
  }

  /** Sets the balances of an account; an asset that is not named has none. */
  set(accountId: number, balances: Readonly<Record<string, string>>): void {
    const amounts = Object.entries(balances).map(([asset, text]): [string, Scaled] => {
      const amount = parseAmount(asset, text);
      if (amount === undefined) throw new RangeError(`not an amount of ${asset}: ${text}`);
      return [asset, amount];
    });
    this.#balances.set(accountId, new Map(amounts));
  }

  /** The balance of an asset; zero where nothing is known. */
  balance(accountId: number, asset: string): Scaled {
    return this.#balances.get(accountId)?.get(asset) ?? 0;
  }

  /** All balances of an account as text. */
  show(accountId: number): Readonly<Record<string, string>> {
    const amounts = [...(this.#balances.get(accountId) ?? [])];
    return Object.fromEntries(
      amounts.map(([asset, amount]) => [asset, formatScaled(amount, scaleOf(asset))]),
    );
  }

  /** Whether the account can pay, with all that is promised paid first. */
  covers(debit: Debit): boolean {
    let rest = this.balance(debit.accountId, debit.asset);
    for (const { accountId, asset, amount } of this.#promised.values()) {
      if (accountId === debit.accountId && asset === debit.asset) rest = subtract(rest, amount);
    }
    return debit.amount <= rest;
  }

  /** Sets aside what a child that is held will cost. */
  promise(childId: string, debit: Debit): void {
    this.#promised.set(childId, debit);
  }

  /** Ends the promise of a child. */
  forget(childId: string): void {
    this.#promised.delete(childId);
  }

  /** Moves what a trade takes and gives. */
  move(trade: Trade): void {
    const taken = debitOf(trade);
    const given = debitOf({ ...trade, side: trade.side === "BUY" ? "SELL" : "BUY" });
    this.#change(taken, subtract);
    this.#change(given, add);
  }

  #change({ accountId, asset, amount }: Debit, by: (a: Scaled, b: Scaled) => Scaled): void {
    const account = this.#balances.get(accountId) ?? new Map<string, Scaled>();
    account.set(asset, by(account.get(asset) ?? 0, amount));
    this.#balances.set(accountId, account);
  }
}
