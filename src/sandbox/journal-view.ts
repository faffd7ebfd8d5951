import {
  exactQuantityText,
  formatPrice,
  formatQuantity,
  type Price,
  type Quantity,
} from "../decimal/index.ts";
import type { Fill, JournalRecord } from "../model/index.ts";

const PRICES: ReadonlySet<string> = new Set([
  "price",
  "stopPrice",
  "limitOffset",
  "limitPrice",
  "amount",
  "percent",
  "admissionPrice",
  "seed",
  "level",
  "observed",
  "reference",
  "limit",
  "bid",
  "ask",
]);

const QUANTITIES: ReadonlySet<string> = new Set([
  "quantity",
  "executedQuantity",
  "exposure",
  "icebergQuantity",
  "volume",
  "volumeBefore",
]);

/**
 * Returns a journal record for people: prices and quantities as decimal text, everything else unchanged. The weights of
 * a schedule and their sums have no unit and stay whole numbers.
 */
export function viewRecord(record: JournalRecord): unknown {
  return viewValue("", record);
}

function viewValue(name: string, value: unknown): unknown {
  if (typeof value === "number" || typeof value === "bigint") {
    if (PRICES.has(name)) return formatPrice(value as Price);
    if (QUANTITIES.has(name)) return formatQuantity(value as Quantity);
    return value;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => viewValue(name, item));
  if (typeof value !== "object" || value === null) return value;
  if ("fine" in value && "executionId" in value && "quantity" in value) {
    const { fine, ...fill } = value as unknown as Fill;
    return { ...(viewValue(name, fill) as object), quantity: exactQuantityText(value as unknown as Fill) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, viewValue(key, member)]));
}
