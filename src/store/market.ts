import { nextTurn } from "../common/index.ts";
import { add, normalise, type Quantity, type Scaled, ZERO_QUANTITY } from "../decimal/index.ts";
import { invariant } from "../errors/index.ts";
import {
  type BarFigures,
  type BarLengthMs,
  barsOf,
  joinFigures,
  MARKET_SHARD,
  type MarketMark,
  type MarketSide,
  type PriceBar,
  type PricedPrint,
  type StoredQuote,
} from "../model/index.ts";
import type { Entry, PlacedPrint, PrintRange, VolumeCutoff, VolumeState } from "../ports/index.ts";
import { readJson } from "../wire/index.ts";
import { epochKey, headIn, headKey, laterOwner, type Owned } from "./journal.ts";
import { escaped, keyOf, numberIn, partsOf, shardDigits, under, unescaped } from "./keys.ts";
import { type Plan, ROWS_PER_PAGE, type Rows, type ValueAt } from "./rows.ts";

const MINUTE_MS = 60_000;

/** Rows that one step deletes, which takes about a millisecond. */
const ROWS_PER_STEP = 256;

const PLACED = "placed";

const markKey = ({ shard, symbol, side, position }: MarketMark): string =>
  keyOf("mark", shardDigits(shard), escaped(symbol), side, position);

const printKey = ({ symbol, id }: Readonly<{ symbol: string; id: string }>): string =>
  keyOf("print", escaped(symbol), escaped(id));

const totalKey = (symbol: string): string => keyOf("total", escaped(symbol));

const barKey = ({ symbol, timeMs }: PricedPrint): string =>
  keyOf("bar", Math.floor(timeMs / MINUTE_MS) * MINUTE_MS, escaped(symbol));

const priceBarKey = ({ symbol, lengthMs, startMs }: PriceBar): string =>
  keyOf("pricebar", lengthMs, startMs, escaped(symbol));

/** The rows of new marks of a shard. */
export const markEntries = (marks: readonly MarketMark[]): readonly Entry[] =>
  marks.map((mark) => [markKey(mark), JSON.stringify([String(mark.price), mark.timeMs])]);

/** Marks, quotes and executed volume. All but the marks belong to the owner of the market journal. */
export class MarketRows {
  readonly #rows: Rows;
  readonly #owned: Owned;
  readonly #isShared: boolean;
  /** The newest quote of each market that this handle was given. */
  readonly #quotes: Map<string, StoredQuote> = new Map();

  /** In a shared storage each print is kept whole, for the nodes that follow. */
  constructor(rows: Rows, owned: Owned, isShared: boolean) {
    this.#rows = rows;
    this.#owned = owned;
    this.#isShared = isShared;
  }

  /** Returns the marks of shards, or of all, by symbol, side, shard and position. */
  async marks(shards?: readonly number[]): Promise<readonly MarketMark[]> {
    const prefixes = shards?.map((shard) => keyOf("mark", shardDigits(shard))) ?? ["mark"];
    const marks: MarketMark[] = [];
    for (const prefix of prefixes)
      for await (const page of this.#rows.pages(under(prefix)))
        for (const entry of page) marks.push(markIn(entry));
    return marks.sort(compareMarks);
  }

  /** Deletes the marks of shards that the handle owns. */
  async deleteMarks(marks: readonly MarketMark[]): Promise<void> {
    const shards = [...new Set(marks.map(({ shard }) => shard))];
    await this.#rows.commit(
      shards.map((shard): Plan => {
        const deletes = [...new Set(marks.filter((mark) => mark.shard === shard).map(markKey))];
        return {
          reads: [epochKey(shard)],
          change: (valueAt) => (this.#owned.owns(shard, valueAt) ? { deletes } : undefined),
        };
      }),
    );
  }

  /** Returns the last quote of every market, by symbol. */
  async quotes(): Promise<readonly StoredQuote[]> {
    const quotes: StoredQuote[] = [];
    for await (const page of this.#rows.pages(under("quote")))
      for (const entry of page) quotes.push(quoteIn(entry));
    return quotes.sort((a, b) => compare(a.symbol, b.symbol));
  }

  /**
   * What an append writes of the market: prints that are new, and quotes. Nothing if the market journal has a later owner.
   */
  plan(prints: readonly PricedPrint[], quotes: readonly StoredQuote[]): Plan {
    for (const quote of quotes) this.#quotes.set(quote.symbol, quote);
    const head = headKey(MARKET_SHARD);
    const first = prints.filter(isFirst());
    const symbols = new Set(first.map(({ symbol }) => symbol));
    const volume = [
      ...[...symbols].map(totalKey),
      ...new Set(first.map(barKey)),
      ...barsOf(first).map(priceBarKey),
    ];
    return {
      reads: [head, PLACED, ...volume],
      absent: first.map(printKey),
      change: (valueAt) => {
        const { epoch } = headIn(valueAt(head));
        if (epoch === 0 || epoch !== this.#owned.epochOf(MARKET_SHARD)) return undefined;
        const added = first.filter((print) => valueAt(printKey(print)) === undefined);
        const { owner, position: before, writes } = placedText(valueAt(PLACED));
        // A write that was overtaken and is made again must not put an older quote in place of a newer one.
        const newest = quotes.filter((quote) => this.#quotes.get(quote.symbol) === quote);
        const last = added.length === 0 ? `${owner} ${before}` : `${epoch} ${before + added.length}`;
        return {
          puts: [
            // The number of writes rises, so that one that comes late finds another value than it was made for.
            [PLACED, `${last} ${writes + 1}`],
            ...newest.map(quoteEntry),
            ...added.flatMap((print) => seenEntries(print)),
            ...this.#placed(added, { epoch, before }),
            ...volumeEntries(added, valueAt, before + added.length),
          ],
        };
      },
    };
  }

  #placed(
    added: readonly PricedPrint[],
    { epoch, before }: Readonly<{ epoch: number; before: number }>,
  ): readonly Entry[] {
    if (!this.#isShared) return [];
    return added.map((print, place) => [keyOf("place", epoch, before + 1 + place), printText(print)]);
  }

  /** Returns the prints after a place. */
  async printsAfter({ after, limit }: PrintRange): Promise<readonly PlacedPrint[]> {
    const bounds = under("place", after && keyOf("place", after.owner, after.position));
    return (await this.#rows.range({ ...bounds, limit })).map(placedIn);
  }

  /**
   * Returns the executed volume. In a shared storage it contains exactly the prints up to the place that it names: prints
   * that others added while it was read are added to what had been read before.
   */
  async volume(reading?: () => void): Promise<VolumeState> {
    const begun = await this.#lastPlace();
    const sums = new VolumeSums();
    for (const kind of ["total", "bar", "pricebar"] as const)
      for await (const page of this.#rows.pages(under(kind))) {
        for (const entry of page) sums.read(kind, entry);
        reading?.();
        if (page.length === ROWS_PER_PAGE) await nextTurn();
      }
    const prints = await this.#printIds(reading);
    const upTo = await this.#lastPlace();
    if (upTo !== undefined) await this.#addLater(sums, { begun, upTo, prints });
    return { ...sums.result(), prints: [...prints.values()].sort(comparePrints), ...(upTo && { upTo }) };
  }

  async #printIds(reading?: () => void): Promise<Map<string, VolumeState["prints"][number]>> {
    const prints = new Map<string, VolumeState["prints"][number]>();
    for await (const page of this.#rows.pages(under("seen"))) {
      for (const [key] of page) {
        const [seen, symbol = "", id = ""] = partsOf(key);
        const print = { symbol: unescaped(symbol), id: unescaped(id), seenAtMs: numberIn(seen) };
        prints.set(printKey(print), print);
      }
      reading?.();
      if (page.length === ROWS_PER_PAGE) await nextTurn();
    }
    return prints;
  }

  async #lastPlace(): Promise<PlacedPrint["place"] | undefined> {
    const { owner, position } = placedText(await this.#rows.value(PLACED));
    return this.#isShared && position > 0 ? { owner, position } : undefined;
  }

  async #addLater(
    sums: VolumeSums,
    {
      begun,
      upTo,
      prints,
    }: Readonly<{
      begun: PlacedPrint["place"] | undefined;
      upTo: PlacedPrint["place"];
      prints: Map<string, VolumeState["prints"][number]>;
    }>,
  ): Promise<void> {
    const from = begun === undefined ? "place " : `${keyOf("place", begun.owner, begun.position)} `;
    const before = `${keyOf("place", upTo.owner, upTo.position)} `;
    for await (const page of this.#rows.pages({ from, before }))
      for (const { place, print } of page.map(placedIn)) {
        sums.add(print, place.position);
        prints.set(printKey(print), { symbol: print.symbol, id: print.id, seenAtMs: print.seenAtMs });
      }
  }

  /** Deletes old bars, and ids of prints with what is kept of them. Throws an InvariantError I60 unless the handle owns them. */
  async deleteVolume({ beforeMs, priceBars = [] }: VolumeCutoff, deleting?: () => void): Promise<void> {
    await this.#delete([], deleting);
    const before = (prefix: string, end: number) => ({ from: `${prefix} `, before: keyOf(prefix, end) });
    const old = Math.max(0, Math.ceil(beforeMs));
    const ranges = [
      before("bar", old),
      ...priceBars.map((cutoff) =>
        before(keyOf("pricebar", cutoff.lengthMs), Math.max(0, Math.ceil(cutoff.beforeMs))),
      ),
    ];
    for (const range of ranges)
      for await (const page of this.#rows.pages(range, ROWS_PER_STEP))
        await this.#delete(
          page.map(([key]) => key),
          deleting,
        );
    for await (const page of this.#rows.pages(before("seen", old), ROWS_PER_STEP)) {
      const prints = page.map(([key]) => `print ${partsOf(key).slice(1).join(" ")}`);
      await this.#delete([...page.map(([key]) => key), ...prints], deleting);
    }
    for await (const page of this.#rows.pages(under("place"), ROWS_PER_STEP)) {
      const first = page.findIndex((entry) => placedIn(entry).print.seenAtMs >= beforeMs);
      const gone = first === -1 ? page : page.slice(0, first);
      await this.#delete(
        gone.map(([key]) => key),
        deleting,
      );
      if (first !== -1) break;
    }
  }

  async #delete(deletes: readonly string[], deleting?: () => void): Promise<void> {
    const isOwned = await this.#rows.write({
      reads: [epochKey(MARKET_SHARD)],
      change: (valueAt) => (this.#owned.owns(MARKET_SHARD, valueAt) ? { deletes } : undefined),
    });
    if (!isOwned) laterOwner();
    deleting?.();
    if (deletes.length > 0) await nextTurn();
  }
}

/** The place of the last print, and the number of writes of the market journal. */
function placedText(
  value: string | undefined,
): Readonly<{ owner: number; position: number; writes: number }> {
  const [owner = 0, position = 0, writes = 0] = value?.split(" ").map(numberIn) ?? [];
  return { owner, position, writes };
}

/** Returns a function that tells whether a print is the first of its symbol and id that it is asked for. */
function isFirst(): (print: PricedPrint) => boolean {
  const requested = new Set<string>();
  return (print) => requested.size < requested.add(printKey(print)).size;
}

/** Returns the amount of a text. Throws an InvariantError I53 for a text that is none. */
function scaledIn<T extends Scaled>(text: string | undefined): T {
  invariant(text !== undefined && /^-?[0-9]+$/.test(text), "I53", `a stored amount is "${text}"`);
  return normalise(BigInt(text)) as T;
}

/** An amount or figures, and the position of the last print that it contains. */
export type Stamped<T> = Readonly<{ position: number; value: T }>;

/** Returns what is in a row. */
export function quantityIn(text: string): Stamped<Quantity> {
  const [position, quantity] = text.split(" ");
  return { position: numberIn(position), value: scaledIn(quantity) };
}

/** Returns what is in a row. */
export function figuresIn(text: string): Stamped<BarFigures> {
  const [position, open, high, low, close, openedAtMs, closedAtMs, quantity, quoteQuantity, prints] =
    text.split(" ");
  return {
    position: numberIn(position),
    value: {
      ...{ open: scaledIn(open), high: scaledIn(high), low: scaledIn(low), close: scaledIn(close) },
      ...{ openedAtMs: numberIn(openedAtMs), closedAtMs: numberIn(closedAtMs) },
      ...{ quantity: scaledIn(quantity), quoteQuantity: scaledIn(quoteQuantity), prints: numberIn(prints) },
    },
  };
}

function figuresText(figures: BarFigures, position: number): string {
  const { open, high, low, close, openedAtMs, closedAtMs, quantity, quoteQuantity, prints } = figures;
  return [position, open, high, low, close, openedAtMs, closedAtMs, quantity, quoteQuantity, prints].join(
    " ",
  );
}

/** What new prints add to the sums of volume. `position` is that of the last of them. */
function volumeEntries(added: readonly PricedPrint[], valueAt: ValueAt, position: number): readonly Entry[] {
  const sums = new Map<string, Quantity>();
  const count = (key: string, quantity: Quantity): void => {
    const stored = valueAt(key);
    const before = sums.get(key) ?? (stored === undefined ? ZERO_QUANTITY : quantityIn(stored).value);
    sums.set(key, add(before, quantity));
  };
  for (const print of added) {
    if (print.fresh) count(totalKey(print.symbol), print.quantity);
    count(barKey(print), print.quantity);
  }
  return [
    ...[...sums].map(([key, sum]): Entry => [key, `${position} ${sum}`]),
    ...barsOf(added).map((bar): Entry => {
      const key = priceBarKey(bar);
      const stored = valueAt(key);
      const figures = stored === undefined ? bar.figures : joinFigures(figuresIn(stored).value, bar.figures);
      return [key, figuresText(figures, position)];
    }),
  ];
}

/** The sums of volume while they are read. */
class VolumeSums {
  readonly #quantities: Map<string, Stamped<Quantity>> = new Map();
  readonly #figures: Map<string, Stamped<BarFigures>> = new Map();

  read(kind: "total" | "bar" | "pricebar", [key, value]: Entry): void {
    if (kind === "pricebar") this.#figures.set(key, figuresIn(value));
    else this.#quantities.set(key, quantityIn(value));
  }

  /** Adds a print to the sums that were read before it was stored. */
  add(print: PricedPrint, position: number): void {
    if (print.fresh) this.#count(totalKey(print.symbol), print.quantity, position);
    this.#count(barKey(print), print.quantity, position);
    for (const bar of barsOf([print])) {
      const key = priceBarKey(bar);
      const before = this.#figures.get(key);
      if (before !== undefined && before.position >= position) continue;
      const value = before === undefined ? bar.figures : joinFigures(before.value, bar.figures);
      this.#figures.set(key, { position, value });
    }
  }

  #count(key: string, quantity: Quantity, position: number): void {
    const before = this.#quantities.get(key);
    if (before !== undefined && before.position >= position) return;
    this.#quantities.set(key, { position, value: add(before?.value ?? ZERO_QUANTITY, quantity) });
  }

  result(): Required<Pick<VolumeState, "totals" | "bars" | "priceBars">> {
    const totals: VolumeState["totals"][number][] = [];
    const bars: VolumeState["bars"][number][] = [];
    for (const [key, { value }] of this.#quantities) {
      const [first = "", symbol = ""] = partsOf(key);
      if (key.startsWith("total ")) totals.push({ symbol: unescaped(first), total: value });
      else bars.push({ symbol: unescaped(symbol), minuteMs: numberIn(first), quantity: value });
    }
    const priceBars = [...this.#figures].map(([key, { value }]): PriceBar => {
      const [length, start, symbol = ""] = partsOf(key);
      const lengthMs = numberIn(length) as BarLengthMs;
      return { symbol: unescaped(symbol), lengthMs, startMs: numberIn(start), figures: value };
    });
    return {
      totals: totals.sort((a, b) => compare(a.symbol, b.symbol)),
      bars: bars.sort((a, b) => compare(a.symbol, b.symbol) || a.minuteMs - b.minuteMs),
      priceBars: priceBars.sort(
        (a, b) => compare(a.symbol, b.symbol) || a.lengthMs - b.lengthMs || a.startMs - b.startMs,
      ),
    };
  }
}

function seenEntries(print: PricedPrint): readonly Entry[] {
  const { symbol, id, seenAtMs } = print;
  return [
    [printKey(print), String(seenAtMs)],
    [keyOf("seen", seenAtMs, escaped(symbol), escaped(id)), ""],
  ];
}

function printText({ symbol, id, price, quantity, timeMs, seenAtMs, fresh }: PricedPrint): string {
  return JSON.stringify([symbol, id, String(price), String(quantity), timeMs, seenAtMs, fresh]);
}

/** Returns what is in a row. */
export function placedIn([key, text]: Entry): PlacedPrint {
  const [owner, position] = partsOf(key);
  const [symbol, id, price, quantity, timeMs, seenAtMs, fresh] = readJson(text) as unknown as readonly [
    ...[symbol: string, id: string, price: string, quantity: string],
    ...[timeMs: number, seenAtMs: number, fresh: boolean],
  ];
  return {
    place: { owner: numberIn(owner), position: numberIn(position) },
    print: { symbol, id, price: scaledIn(price), quantity: scaledIn(quantity), timeMs, seenAtMs, fresh },
  };
}

function quoteEntry({ symbol, bid, ask, timeMs }: StoredQuote): Entry {
  return [keyOf("quote", escaped(symbol)), JSON.stringify([String(bid), String(ask), timeMs])];
}

/** Returns what is in a row. */
export function quoteIn([key, text]: Entry): StoredQuote {
  const [bid, ask, timeMs] = readJson(text) as unknown as readonly [string, string, number];
  return { symbol: unescaped(partsOf(key)[0] ?? ""), bid: scaledIn(bid), ask: scaledIn(ask), timeMs };
}

/** Returns what is in a row. */
export function markIn([key, text]: Entry): MarketMark {
  const [shard, symbol = "", side, position] = partsOf(key);
  const [price, timeMs] = readJson(text) as unknown as readonly [string, number];
  return {
    ...{ shard: numberIn(shard), symbol: unescaped(symbol), side: side as MarketSide },
    ...{ position: numberIn(position), price: scaledIn(price), timeMs },
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function compareMarks(a: MarketMark, b: MarketMark): number {
  return (
    compare(a.symbol, b.symbol) || compare(a.side, b.side) || a.shard - b.shard || a.position - b.position
  );
}

function comparePrints(a: VolumeState["prints"][number], b: VolumeState["prints"][number]): number {
  return a.seenAtMs - b.seenAtMs || compare(a.symbol, b.symbol) || compare(a.id, b.id);
}
