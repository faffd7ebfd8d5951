import type { OrderPreview } from "managed-orders";
import type { NewManagedOrder } from "managed-orders/client";

/** The types of orders that the form offers. */
export type DraftType = "SYNTHETIC_LIMIT" | "STOP_MARKET" | "TWAP";

/** The fields of the form, as a person entered them. */
export type Draft = Readonly<{
  side: "BUY" | "SELL";
  type: DraftType;
  quantity: string;
  /** Limit or stop price; not used by a TWAP. */
  price: string;
  /** Number of slots of a TWAP, and the length of one in seconds. */
  slots: string;
  seconds: string;
}>;

/** Returns the order of a draft. Texts go to the service's rules as they are: they say what is wrong with one. */
export function orderOf(symbol: string, draft: Draft): NewManagedOrder {
  const { side, quantity, price } = draft;
  const base = { symbol, side, quantity };
  switch (draft.type) {
    case "SYNTHETIC_LIMIT":
      return { ...base, type: "SYNTHETIC_LIMIT", price };
    case "STOP_MARKET":
      return { ...base, type: "STOP_MARKET", stopPrice: price };
    case "TWAP": {
      const [intervalCount, seconds] = [Number(draft.slots), Number(draft.seconds)];
      return { ...base, type: "TWAP", intervalCount, interval: Math.round(seconds * 1_000) };
    }
  }
}

/** Returns what a preview says, in lines. */
export function linesOf(preview: OrderPreview): readonly string[] {
  const { refusal, admissionPrice, minimum, slots, smallestSliceValue } = preview;
  if (refusal !== undefined) return [`Would be refused: ${refusal.message}`];
  const lines = ["Would be accepted."];
  if (admissionPrice !== undefined)
    lines.push(`Its value is checked at a price of ${admissionPrice}; the minimum is ${minimum} USD.`);
  if (slots === undefined) return lines;
  const value = smallestSliceValue === undefined ? "" : `, at least ${smallestSliceValue} USD each`;
  const quantities = slots.map(({ quantity }) => quantity);
  return [...lines, `${slots.length} slices${value}: ${quantities.join(" ")}`];
}
