import { RefusedError, TransportError } from "../../client/index.ts";
import { Quantity } from "../../decimal/index.ts";
import type { OrderError } from "../../errors/index.ts";
import type { OrderPreview } from "../../lifecycle/index.ts";
import { ControlError } from "./control.ts";
import { dollars, grouped, timeText } from "./numbers.ts";

/** What a person should know of an error: the words of the service, in parts. */
export type ErrorWords = Readonly<{
  text: string;
  details: readonly (readonly [name: string, value: string])[];
}>;

const INVALID_SIGNATURE = -1022;
const UNAVAILABLE = 503;
const NOT_SERVING =
  "The sandbox does not serve now: it is starting, another one is active, or its store does not work.";

/** Returns an error in words. Errors of the client contain neither key nor secret. */
export function errorWords(error: unknown): ErrorWords {
  if (error instanceof RefusedError) {
    const words = refusalWords(error);
    return error.status === UNAVAILABLE ? { ...words, text: NOT_SERVING } : words;
  }
  if (error instanceof ControlError) return { text: error.message, details: [] };
  if (error instanceof TransportError && error.reason === "connection")
    return { text: "The sandbox cannot be reached. Does it still run in the terminal?", details: [] };
  return { text: error instanceof Error ? error.message : "Unknown error", details: [] };
}

/** What a refusal says, whether the service or a preview has made it. */
type RefusalParts = Readonly<{
  msg: string;
  code?: number | undefined;
  field?: string | undefined;
  remedy?: string | undefined;
}>;

/** Returns a refusal in words. */
function refusalWords({ msg, code, field, remedy }: RefusalParts): ErrorWords {
  const advice = code === INVALID_SIGNATURE ? "Is the secret that of the key?" : remedy;
  const details: [string, string][] = [];
  if (code !== undefined) details.push(["code", String(code)]);
  if (field !== undefined) details.push(["field", field]);
  if (advice !== undefined && advice !== "") details.push(["remedy", advice]);
  return { text: msg, details };
}

/** Returns a refusal of the rules in words. */
export function orderErrorWords({ msg, code, remedy, details }: OrderError): ErrorWords {
  const field = details["field"] === undefined ? undefined : String(details["field"]);
  return refusalWords({ msg, code, field, remedy });
}

/** Returns the warning of an order that would fire below the minimum. */
export const warningOf = ({ price, value }: NonNullable<OrderPreview["firesBelowMinimum"]>): string =>
  `Warning: it fires at ${dollars(price)}, where it is worth ${value} USD, less than the minimum: it would send nothing.`;

/** A slot of a schedule, for the bars of a preview. */
type PreviewSlot = Readonly<{ time: string; quantity: string; share: number }>;

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
    return { refusal: orderErrorWords(refusal), lines: [], slots: [] };
  }
  const lines = ["The service would accept it."];
  if (admissionPrice !== undefined)
    lines.push(`Its value is checked at ${dollars(admissionPrice)} against the minimum of ${minimum} USD.`);
  if (low !== undefined) lines.push(warningOf(low));
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
