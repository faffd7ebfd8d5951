import type { Quantity } from "../decimal/index.ts";
import { INSTRUMENT_KINDS, INSTRUMENT_STATUSES, type Instrument, type VolumeBar } from "../model/index.ts";
import type { Instruments, LevelInput, PrintInput, QuoteInput, VolumeHistory } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { amountOf, itemsOf, membersOf, requireThat, textOf, wholeOf, wordOf } from "./reading.ts";

const MOST = 100_000;

/** Wraps the instruments of a host with checks of every answer. */
export function checkedInstruments(instruments: Instruments, questions: Questions): Instruments {
  return {
    all: () => questions.now("instruments.all", () => instruments.all(), readInstruments),
    find: (symbol) => questions.now("instruments.find", () => instruments.find(symbol), readFound, symbol),
    resolve: (name) => questions.now("instruments.resolve", () => instruments.resolve(name), readFound),
  };
}

const readInstruments = (answer: unknown): readonly Instrument[] =>
  itemsOf(answer, "the list of instruments", MOST).map(readInstrument);

function readFound(answer: unknown, wanted?: string): Instrument | undefined {
  const found = answer === undefined ? undefined : readInstrument(answer);
  const isWanted = wanted === undefined || found === undefined || found.symbol === wanted;
  requireThat(isWanted, "the instrument has another symbol than requested");
  return found;
}

const NAME = { most: 64 };
const ANY_TEXT = { from: 0 };

const aliasOf = (answer: unknown): string => textOf(answer, "an alias", NAME);

/** Reads an instrument. This runs for every placement, because a host may change an instrument in place. */
function readInstrument(answer: unknown): Instrument {
  const { id, symbol, aliases, baseAsset, quoteAsset, name, kind, status, address, url } = membersOf(
    answer,
    "the instrument",
  );
  return {
    id: wholeOf(id, "id"),
    symbol: textOf(symbol, "symbol", NAME),
    aliases: itemsOf(aliases, "aliases", MOST).map(aliasOf),
    baseAsset: textOf(baseAsset, "baseAsset", NAME),
    quoteAsset: textOf(quoteAsset, "quoteAsset", NAME),
    name: textOf(name, "name", ANY_TEXT),
    kind: wordOf(kind, "kind", INSTRUMENT_KINDS),
    status: wordOf(status, "status", INSTRUMENT_STATUSES),
    ...(address !== undefined && { address: textOf(address, "address", { most: 1_024 }) }),
    ...(url !== undefined && { url: textOf(url, "url", { most: 4_096 }) }),
  };
}

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

const MINUTE_MS = 60_000;

/** Volumes of a minute must be below this. */
const VOLUME_LIMIT = (10n ** 30n) as Quantity;

type Range = Parameters<VolumeHistory["minutes"]>[0];

/** Wraps the volumes of a host with checks of every answer. */
export function checkedVolumes(volumes: VolumeHistory, questions: Questions): VolumeHistory {
  return {
    minutes: (range) =>
      questions.query("volumeHistory.minutes", () => volumes.minutes(range), readBars, range),
  };
}

/** Returns the bars of the requested range, each minute once, oldest first. */
function readBars(answer: unknown, range: Range): readonly VolumeBar[] {
  const minutes = Math.max(0, Math.ceil((range.toMs - range.fromMs) / MINUTE_MS)) + 1;
  const bars = itemsOf(answer, "the list of minutes", minutes).map((one) => readBar(one, range));
  const isRising = bars.every((bar, index) => index === 0 || bar.minuteMs > (bars[index - 1]?.minuteMs ?? 0));
  requireThat(isRising, "the minutes are not in ascending order");
  return bars;
}

function readBar(answer: unknown, { symbol, fromMs, toMs }: Range): VolumeBar {
  const bar = membersOf(answer, "a minute");
  requireThat(bar.symbol === symbol, "a minute belongs to another market than requested");
  return {
    symbol,
    minuteMs: wholeOf(bar.minuteMs, "minuteMs", { from: fromMs, to: toMs - 1 }),
    quantity: amountOf(bar.quantity, "the quantity of a minute", VOLUME_LIMIT),
  };
}
