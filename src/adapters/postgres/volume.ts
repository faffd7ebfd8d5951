import type { BarFigures, BarLengthMs, PriceBar, PricedPrint, VolumeBar } from "../../model/index.ts";
import type { OrderStore, VolumeState } from "../../ports/index.ts";
import { type Position, transposed } from "./append-columns.ts";
import type { Appends } from "./appends.ts";
import type { Database } from "./database.ts";
import type { Row } from "./driver.ts";
import { MARKETS } from "./market-statements.ts";
import { laterOwner, type Owner } from "./owner.ts";
import type { Lane } from "./pool.ts";
import { amountIn, asGiven, compareTexts, textIn, wholeIn } from "./reading.ts";
import { requirePrint } from "./row-sums.ts";
import { Sums } from "./sums.ts";

/** Number of rows that one statement reads or deletes. */
const ROWS_PER_STEP = 2_000;

/** How often a read begins again because the sums have changed meanwhile. */
const ATTEMPTS = 10;

type Parts = Readonly<{ database: Database; owner: Owner; appends: Appends }>;
type Volume = Pick<OrderStore, "readVolume" | "deleteVolume">;

/** A stored print and its place in the market journal. */
type Stored = PricedPrint & Position;

/**
 * Creates the methods for executed volume. An append only adds prints; the sums are brought up to date before prints are
 * deleted, and a read adds the prints that they lack.
 */
export function volume(parts: Parts): Volume {
  return {
    readVolume: (reading) => readVolume(parts.database, reading),
    async deleteVolume(cutoff, deleting) {
      const epoch = parts.owner.requireMarket();
      await requireOwner(parts.database, epoch);
      while (await sumSome(parts, epoch)) deleting?.();
      const steps: readonly (readonly [text: string, values: readonly number[]])[] = [
        [MARKETS.deletePrints, [cutoff.beforeMs]],
        [MARKETS.deleteBars, [cutoff.beforeMs]],
        ...(cutoff.priceBars ?? []).map(
          ({ lengthMs, beforeMs }) => [MARKETS.deletePriceBars, [lengthMs, beforeMs]] as const,
        ),
      ];
      for (const [text, values] of steps)
        while (await deleteSome(parts.database, text, [epoch, ...values, ROWS_PER_STEP])) deleting?.();
    },
  };
}

/** Throws an InvariantError I60 if the market journal has a later owner. */
async function requireOwner(database: Database, epoch: number): Promise<void> {
  const [row] = await database.write(MARKETS.owner, [epoch]);
  if (wholeIn(row, 0) === 0) throw laterOwner();
}

/** Returns whether there may be more to delete. */
async function deleteSome(database: Database, text: string, values: readonly number[]): Promise<boolean> {
  const [row] = await database.write(text, values);
  if (wholeIn(row, 0) === 0) throw laterOwner();
  return wholeIn(row, 1) === ROWS_PER_STEP;
}

async function summedUpTo(database: Database, lane: Lane = "other"): Promise<Position> {
  const [row] = await database.read(MARKETS.summed, [], lane);
  return { owner: wholeIn(row, 0), position: wholeIn(row, 1) };
}

async function printsAfter(
  database: Database,
  place: Position,
  lane: Lane = "other",
): Promise<readonly Stored[]> {
  const rows = await database.read(MARKETS.prints, [place.owner, place.position, ROWS_PER_STEP], lane);
  return rows.map(printOf);
}

/** Returns a print and its place. Throws an InvariantError I53 if it has changed since it was written. */
export function printOf(row: Row): Stored {
  const print: PricedPrint = {
    symbol: textIn(row, 0),
    id: asGiven(textIn(row, 1)),
    seenAtMs: wholeIn(row, 2),
    timeMs: wholeIn(row, 3),
    price: amountIn(row, 4),
    quantity: amountIn(row, 5),
    fresh: textIn(row, 6) === "t",
  };
  requirePrint(row, 9, print);
  return { ...print, owner: wholeIn(row, 7), position: wholeIn(row, 8) };
}

/**
 * Adds the next prints to the stored sums, and returns whether there may be more. No write of the market journal is under
 * way meanwhile, so that none can add prints before the place that the sums have reached. Appends wait for it, so that its
 * statements wait for no reads.
 */
async function sumSome({ database, appends }: Parts, epoch: number): Promise<boolean> {
  const summed = await appends.inMarket(async () => {
    const place = await summedUpTo(database, "first");
    const prints = await printsAfter(database, place, "first");
    const last = prints.at(-1);
    if (last === undefined) return false;
    const added = new Sums();
    added.count(prints);
    const sums = await storedSums(database, added);
    sums.count(prints);
    const values = [epoch, last.owner, last.position, place.owner, place.position, ...sumColumns(sums)];
    const [row] = await database.write(MARKETS.sum, values, "first");
    if (wholeIn(row, 0) === 0) throw laterOwner();
    if (wholeIn(row, 1) === 0) throw new Error("the sums of executed volume were changed by another writer");
    return true;
  });
  return summed === "passed" || summed;
}

/** Reads the stored sums of the same symbols and periods. */
async function storedSums(database: Database, like: Sums): Promise<Sums> {
  const sums = new Sums();
  const totals = await database.read(MARKETS.totalsOf, [[...like.totals.keys()]], "first");
  for (const row of totals) sums.addTotal(textIn(row, 0), amountIn(row, 1));
  const bars = [...like.bars.values()].map(({ symbol, minuteMs }) => [symbol, minuteMs]);
  for (const row of await database.read(MARKETS.barsOf, transposed(bars, 2), "first"))
    sums.addBar(barOf(row));
  const wanted = [...like.priceBars.values()].map(({ symbol, lengthMs, startMs }) => [
    symbol,
    lengthMs,
    startMs,
  ]);
  for (const row of await database.read(MARKETS.priceBarsOf, transposed(wanted, 3), "first"))
    sums.addPriceBar(priceBarOf(row));
  return sums;
}

/** Returns the columns of totals, bars and bars of prices. */
export function sumColumns({ totals, bars, priceBars }: Sums): readonly (readonly unknown[])[] {
  return [
    ...transposed(
      [...totals].map(([symbol, total]) => [symbol, String(total)]),
      2,
    ),
    ...transposed(
      [...bars.values()].map(({ symbol, minuteMs, quantity }) => [symbol, minuteMs, String(quantity)]),
      3,
    ),
    ...transposed([...priceBars.values()].map(priceBarRow), 12),
  ];
}

function priceBarRow({ symbol, lengthMs, startMs, figures }: PriceBar): readonly unknown[] {
  const { open, high, low, close, openedAtMs, closedAtMs, quantity, quoteQuantity, prints } = figures;
  return [
    ...[symbol, lengthMs, startMs, ...[open, high, low, close].map(String), openedAtMs, closedAtMs],
    ...[String(quantity), String(quoteQuantity), prints],
  ];
}

function barOf(row: Row): VolumeBar {
  return { symbol: textIn(row, 0), minuteMs: wholeIn(row, 1), quantity: amountIn(row, 2) };
}

function priceBarOf(row: Row): PriceBar {
  const figures: BarFigures = {
    open: amountIn(row, 3),
    high: amountIn(row, 4),
    low: amountIn(row, 5),
    close: amountIn(row, 6),
    openedAtMs: wholeIn(row, 7),
    closedAtMs: wholeIn(row, 8),
    quantity: amountIn(row, 9),
    quoteQuantity: amountIn(row, 10),
    prints: wholeIn(row, 11),
  };
  return {
    symbol: textIn(row, 0),
    lengthMs: wholeIn(row, 1) as BarLengthMs,
    startMs: wholeIn(row, 2),
    figures,
  };
}

/** Reads everything again if the sums have changed meanwhile, so that no print counts twice or not at all. */
async function readVolume(database: Database, reading?: () => void): Promise<VolumeState> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const place = await summedUpTo(database);
    const state = await readAll(database, place, reading);
    const after = await summedUpTo(database);
    if (after.owner === place.owner && after.position === place.position) return state;
  }
  throw new Error("the sums of executed volume changed whenever they were read");
}

async function readAll(
  database: Database,
  summed: Position,
  reading: (() => void) | undefined,
): Promise<VolumeState> {
  const sums = new Sums();
  for (const row of await database.read(MARKETS.totals)) sums.addTotal(textIn(row, 0), amountIn(row, 1));
  await readBars(database, sums, reading);
  await readPriceBars(database, sums, reading);
  const ids: (VolumeState["prints"][number] & Position)[] = [];
  let after: Position = { owner: -1, position: 0 };
  for (;;) {
    const prints = await printsAfter(database, after);
    sums.count(prints.filter((print) => comparePlaces(print, summed) > 0));
    for (const { symbol, id, seenAtMs, owner, position } of prints)
      ids.push({ symbol, id, seenAtMs, owner, position });
    reading?.();
    after = prints.at(-1) ?? after;
    if (prints.length < ROWS_PER_STEP) break;
  }
  const upTo = comparePlaces(after, summed) > 0 ? after : summed;
  return {
    totals: [...sums.totals].map(([symbol, total]) => ({ symbol, total })).sort(bySymbol),
    bars: [...sums.bars.values()].sort((a, b) => bySymbol(a, b) || a.minuteMs - b.minuteMs),
    priceBars: [...sums.priceBars.values()].sort(
      (a, b) => bySymbol(a, b) || a.lengthMs - b.lengthMs || a.startMs - b.startMs,
    ),
    prints: ids
      .sort((a, b) => a.seenAtMs - b.seenAtMs || comparePlaces(a, b))
      .map(({ symbol, id, seenAtMs }) => ({ symbol, id, seenAtMs })),
    ...(upTo.owner > 0 && { upTo: { owner: upTo.owner, position: upTo.position } }),
  };
}

async function readBars(database: Database, sums: Sums, reading: (() => void) | undefined): Promise<void> {
  for (let [symbol, minuteMs] = ["", 0]; ; ) {
    const bars = (await database.read(MARKETS.bars, [symbol, minuteMs, ROWS_PER_STEP])).map(barOf);
    for (const bar of bars) sums.addBar(bar);
    reading?.();
    const last = bars.at(-1);
    if (last === undefined || bars.length < ROWS_PER_STEP) return;
    ({ symbol, minuteMs } = last);
  }
}

async function readPriceBars(
  database: Database,
  sums: Sums,
  reading: (() => void) | undefined,
): Promise<void> {
  for (let [symbol, lengthMs, startMs] = ["", 0, 0]; ; ) {
    const rows = await database.read(MARKETS.priceBars, [symbol, lengthMs, startMs, ROWS_PER_STEP]);
    const bars = rows.map(priceBarOf);
    for (const bar of bars) sums.addPriceBar(bar);
    reading?.();
    const last = bars.at(-1);
    if (last === undefined || bars.length < ROWS_PER_STEP) return;
    ({ symbol, lengthMs, startMs } = last);
  }
}

const bySymbol = (a: Readonly<{ symbol: string }>, b: Readonly<{ symbol: string }>): number =>
  compareTexts(a.symbol, b.symbol);

const comparePlaces = (a: Position, b: Position): number => a.owner - b.owner || a.position - b.position;
