import { Quantity } from "../../decimal/index.ts";
import type { OrderPreview } from "../../lifecycle/index.ts";
import { type ErrorWords, refusalWords } from "./error-words.ts";
import { dollars, grouped, timeText } from "./number-texts.ts";

/** A slot of a schedule, for the bars of a preview. */
export type PreviewSlot = Readonly<{ time: string; quantity: string; share: number }>;

/** What a preview says. */
export type PreviewWords = Readonly<{
  refusal: ErrorWords | undefined;
  lines: readonly string[];
  slots: readonly PreviewSlot[];
}>;

/** Returns a preview in words, and its slots with their share of the largest. */
export function previewWords(preview: OrderPreview): PreviewWords {
  const { refusal, admissionPrice, minimum, slots = [], endsAtMs, firesBelowMinimum: low } = preview;
  if (refusal !== undefined) {
    const { msg, code, remedy, details } = refusal;
    const field = details["field"] === undefined ? undefined : String(details["field"]);
    return { refusal: refusalWords({ msg, code, field, remedy }), lines: [], slots: [] };
  }
  const lines = ["The service would accept it."];
  if (admissionPrice !== undefined)
    lines.push(`Its value is checked at ${dollars(admissionPrice)} against the minimum of ${minimum} USD.`);
  if (low !== undefined)
    lines.push(
      `Warning: it fires at ${dollars(low.price)}, where it is worth ${low.value} USD, less than the minimum: it would send nothing.`,
    );
  if (slots.length > 0 && endsAtMs !== undefined)
    lines.push(`${slots.length} slots until ${timeText(endsAtMs)}:`);
  const quantities = slots.map(({ quantity }) => BigInt(Quantity.parse(quantity)));
  const largest = quantities.reduce((most, quantity) => (quantity > most ? quantity : most), 1n);
  return {
    refusal: undefined,
    lines,
    slots: slots.map(({ opensAtMs, quantity }, index) => ({
      time: timeText(opensAtMs),
      quantity: grouped(quantity),
      share: Number.parseInt(String(((quantities[index] ?? 0n) * 100n) / largest), 10),
    })),
  };
}
