import type { LevelInput, PrintInput, QuoteInput } from "../ports/index.ts";
import { itemsOf, membersOf, requireThat } from "./reading.ts";

/** Most levels of one side in a quote. */
const MOST_LEVELS = 10_000;

/**
 * Returns a quote of the right type; undefined for anything else. The quote gate decides what its texts and its time
 * mean.
 */
export function readQuoteInput(answer: unknown): QuoteInput | undefined {
  try {
    const { symbol, bid, ask, bidQuantity, askQuantity, bids, asks, timeMs } = membersOf(answer, "the quote");
    // One literal with absent members too: quotes are frequent, and composed objects cost more than their texts.
    return {
      symbol: stringOf(symbol),
      bid: stringOf(bid),
      ask: stringOf(ask),
      bidQuantity: bidQuantity === undefined ? undefined : stringOf(bidQuantity),
      askQuantity: askQuantity === undefined ? undefined : stringOf(askQuantity),
      bids: bids === undefined ? undefined : levelsOf(bids),
      asks: asks === undefined ? undefined : levelsOf(asks),
      timeMs: timeMs === undefined ? undefined : numberOf(timeMs),
    };
  } catch {
    return undefined;
  }
}

/** Returns the symbol of a quote that is otherwise unreadable; undefined if that is not readable either. */
export function readQuoteSymbol(answer: unknown): string | undefined {
  try {
    return stringOf(membersOf(answer, "the quote")["symbol"]);
  } catch {
    return undefined;
  }
}

/** Returns a print of the right type; undefined for anything else. */
export function readPrintInput(answer: unknown): PrintInput | undefined {
  try {
    const { symbol, price, quantity, id, timeMs, sequence, total } = membersOf(answer, "the print");
    const print = {
      symbol: stringOf(symbol),
      price: stringOf(price),
      quantity: stringOf(quantity),
      id: stringOf(id),
      timeMs: numberOf(timeMs),
    };
    // Both or neither: one alone is as unreadable as one of the wrong type.
    if (sequence === undefined && total === undefined) return print;
    return { ...print, sequence: numberOf(sequence), total: stringOf(total) };
  } catch {
    return undefined;
  }
}

function levelsOf(answer: unknown): readonly LevelInput[] {
  return itemsOf(answer, "the levels", MOST_LEVELS).map((level): LevelInput => {
    const [price, size] = itemsOf(level, "a level", 2);
    return size === undefined ? [stringOf(price)] : [stringOf(price), stringOf(size)];
  });
}

function stringOf(answer: unknown): string {
  requireThat(typeof answer === "string", "a member that must be a string is not a string");
  return answer;
}

function numberOf(answer: unknown): number {
  requireThat(typeof answer === "number", "a member that must be a number is not a number");
  return answer;
}
