import {
  type Price,
  parsePrice,
  parseQuantity,
  parseScaled,
  QUANTITY_SCALE,
  type Quantity,
} from "../../decimal/index.ts";
import type { PrintInput } from "../../ports/index.ts";
import type { LogPlace } from "./trade-log.ts";

/** The amounts of a print, and its place in the log of its market. */
type ReadPrint = Readonly<{ price: Price; quantity: Quantity; logged: LogPlace | undefined }>;

const ID = /^[ -~]{1,64}$/;

/** Returns what a print says; undefined if a field breaks its type, which a source may do. */
export function readPrint(print: PrintInput): ReadPrint | undefined {
  const { id, timeMs, sequence, total } = print;
  if (typeof id !== "string" || !ID.test(id)) return undefined;
  if (!isWhole(timeMs, 0)) return undefined;
  if (typeof print.price !== "string" || typeof print.quantity !== "string") return undefined;
  const [price, quantity] = [parsePrice(print.price), parseQuantity(print.quantity)];
  if (price === undefined || quantity === undefined) return undefined;
  if (sequence === undefined && total === undefined) return { price, quantity, logged: undefined };
  // A total has no upper limit: it is a sum.
  const sum = typeof total === "string" ? parseScaled(total, QUANTITY_SCALE) : undefined;
  if (sum === undefined || !isWhole(sequence, 1)) return undefined;
  return { price, quantity, logged: { sequence, total: sum as Quantity } };
}

const isWhole = (said: unknown, from: number): said is number =>
  Number.isSafeInteger(said) && (said as number) >= from;
