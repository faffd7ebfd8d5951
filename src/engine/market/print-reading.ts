import {
  floorFact,
  isFinerFact,
  PRICE_LIMIT,
  PRICE_SCALE,
  type Price,
  QUANTITY_LIMIT,
  QUANTITY_SCALE,
  type Quantity,
  type Scaled,
} from "../../decimal/index.ts";
import type { PrintInput } from "../../ports/index.ts";
import type { TradePlace } from "./trade-log.ts";

/** The amounts of a print, rounded down to steps, and its place in the log of its market. */
type ReadPrint = Readonly<{
  price: Price;
  quantity: Quantity;
  logged: TradePlace | undefined;
}>;

const ID = /^[ -~]{1,64}$/;

/** Returns what a print says; undefined if a field breaks its type, which a source may do. */
export function readPrint(print: PrintInput): ReadPrint | undefined {
  const { id, timeMs, sequence, total } = print;
  if (typeof id !== "string" || !ID.test(id)) return undefined;
  if (!isWhole(timeMs, 0)) return undefined;
  if (typeof print.price !== "string" || typeof print.quantity !== "string") return undefined;
  const price = within(floorFact(print.price, PRICE_SCALE), PRICE_LIMIT);
  const quantity = within(floorFact(print.quantity, QUANTITY_SCALE), QUANTITY_LIMIT);
  if (price === undefined || quantity === undefined) return undefined;
  if (sequence === undefined && total === undefined) return { price, quantity, logged: undefined };
  // A total has no upper limit: it is a sum.
  const sum = typeof total === "string" ? floorFact(total, QUANTITY_SCALE) : undefined;
  if (sum === undefined || !isWhole(sequence, 1)) return undefined;
  return { price, quantity, logged: { sequence, total: sum as Quantity } };
}

/** Returns whether a print has decimals below the steps, which are not counted. */
export const isFinerPrint = ({ price, quantity }: PrintInput): boolean =>
  isFinerFact(quantity, QUANTITY_SCALE) || isFinerFact(price, PRICE_SCALE);

const within = <T extends Scaled>(value: Scaled | undefined, limit: T): T | undefined =>
  value !== undefined && value > 0 && value < limit ? (value as T) : undefined;

const isWhole = (answer: unknown, from: number): answer is number =>
  Number.isSafeInteger(answer) && (answer as number) >= from;
