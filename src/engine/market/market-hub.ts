import type { Price, Quantity } from "../../decimal/index.ts";
import { readPrintInput, readQuoteInput, readQuoteSymbol } from "../../host-answers/index.ts";
import type { MarketMark, PricedPrint, Quote, StoredQuote } from "../../model/index.ts";
import type {
  Instruments,
  MarketSink,
  PrintInput,
  QuoteDrop,
  QuoteInput,
  QuoteVerdict,
  VolumeState,
} from "../../ports/index.ts";
import { MarkHistory, TriggerBook } from "../../triggers/index.ts";
import type { MarketCounts, QuoteNow } from "../core/api.ts";
import type { Core } from "../core/core.ts";
import type { EventStream } from "../core/event-stream.ts";
import type { PrintUpdate } from "../core/events.ts";
import type { ParentStep } from "../core/live-order.ts";
import type { Bursts } from "../time/bursts.ts";
import type { Timers } from "../time/timers.ts";
import { type DroppedQuotes, ListedInstruments, Market, type OrderWatch } from "./market.ts";
import type { MarketFacts } from "./market-backlog.ts";
import { PrintHistory } from "./print-history.ts";
import { QuoteGate, QuoteMemory } from "./quote-gate.ts";
import { isFinerPrint } from "./symbol-tape.ts";
import { type PrintVerdict, VolumeTape } from "./volume-tape.ts";

/** Orders that a quote touches in one step. This is as much work as one decision. */
const ORDERS_PER_STEP = 16;

/**
 * Quotes and orders of one market that may wait for a quote to be processed. Above this the quote is processed to its
 * end at once, also while the store is behind.
 */
const MOST_WAITING = 10_000;

/** Dependencies of {@link MarketHub}. */
type MarketParts = Readonly<{
  instruments: Pick<Instruments, "find">;
  timers: Timers;
  bursts: Bursts;
  stream: EventStream;
}>;

/** What a node has made before the opening: quote gates, which count quotes until it is over, and which markets are watched. */
type MarketAhead = Readonly<{ gates: Map<string, QuoteGate>; memory: QuoteMemory }>;

/** Market data in the store, and what was made before the opening. */
export type StoredMarket = Readonly<{
  marks: readonly MarketMark[];
  volume: VolumeState;
  quotes: readonly StoredQuote[];
  ahead?: MarketAhead;
}>;

/**
 * The market side of an engine: its markets, the executed volume, and the durable marks. A market is opened by the first order
 * that is armed in it, and by the first quote or print of an instrument that the host has then.
 */
export class MarketHub implements MarketSink {
  readonly dropped: Record<QuoteDrop, number> = {
    "unknown-symbol": 0,
    malformed: 0,
    zero: 0,
    crossed: 0,
    "out-of-order": 0,
    future: 0,
    stale: 0,
    jump: 0,
    unconfirmed: 0,
  };
  counted = 0;
  /** Number of processed quotes that left untaken marks in their market. A change shows that marks still arrive. */
  marking = 0;
  printsCounted = 0;
  printsDropped = 0;
  /** Counted prints with decimals below the steps, which were cut off. */
  printsRounded = 0;
  /** Executed volume, counted once per trade. */
  readonly tape: VolumeTape;
  /** Bars with the prices of these trades, and the newest of them. */
  readonly prints: PrintHistory;
  /** Durable marks only. */
  readonly history: MarkHistory = new MarkHistory();
  /** Prices against which the first quotes after an opening are checked. */
  readonly memory: QuoteMemory;
  readonly #markets: Map<string, Market> = new Map();
  /** Gates by market. Those of a standby are in the same map, so that both have one for each market. */
  readonly #gates: Map<string, QuoteGate>;
  /** Books with marks that were not taken yet. A commit looks at no other book. */
  readonly #marked: Set<TriggerBook> = new Set();
  /** Markets of which a print has contradicted the log. Each is told once. */
  readonly #outOfLog: Set<string> = new Set();
  /** Quotes of the append that is under way. */
  #quotesUnderWay: readonly StoredQuote[] = [];
  #isClosing = false;
  readonly #core: Core;
  readonly #parts: MarketParts;
  readonly #listed: ListedInstruments;

  constructor(core: Core, options: StoredMarket, parts: MarketParts) {
    this.#core = core;
    this.#parts = parts;
    this.#listed = new ListedInstruments(core, parts.instruments);
    const { ahead } = options;
    this.#gates = ahead?.gates ?? new Map();
    for (const mark of options.marks) this.history.add(mark);
    this.memory = ahead?.memory ?? new QuoteMemory();
    this.memory.stored(options.quotes);
    for (const { seenAtMs } of options.volume.prints) core.time.startFrom(seenAtMs);
    const pendingOf = (symbol: string) => this.tape.pendingOf(symbol);
    this.prints = new PrintHistory(options.volume.priceBars, pendingOf);
    this.tape = new VolumeTape({
      state: options.volume,
      maxAgeMs: core.settings.quoteMaxAgeMs,
      maxAheadMs: core.settings.quoteMaxAheadMs,
      maxWaiting: core.settings.maxPendingPrints,
      settled: (print) => this.prints.settled(print),
    });
    for (const symbol of [...this.#gates.keys()]) this.open(symbol);
  }

  /** Opens a market if it is not open, and returns its book. */
  open(symbol: string): TriggerBook {
    return this.#opened(symbol).book;
  }

  #opened(symbol: string): Market {
    const open = this.#markets.get(symbol);
    if (open !== undefined) return open;
    const market = new Market(
      this.#gates.get(symbol) ?? new QuoteGate(this.#core.settings),
      new TriggerBook(symbol, this.history),
    );
    this.#markets.set(symbol, market);
    this.#gates.set(symbol, market.gate);
    this.memory.opened(symbol);
    market.gate.restore(this.memory.before(symbol, this.history));
    return market;
  }

  /** Returns the market of a quote or print; undefined if it is not open and the host has no such instrument. */
  #marketOf(symbol: string): Market | undefined {
    return this.#markets.get(symbol) ?? (this.#listed.has(symbol) ? this.#opened(symbol) : undefined);
  }

  /**
   * Starts the markets of the open parents that were read from the store, and those that were quoted since, with the
   * remembered quotes.
   */
  begin(): void {
    for (const symbol of this.#gates.keys())
      this.#opened(symbol).gate.restore(this.memory.before(symbol, this.history));
  }

  /** Takes the durable marks of a shard that begins to run here. Earlier ones of it count no more. */
  arrive(shard: number, marks: readonly MarketMark[]): void {
    this.history.prune(shard);
    for (const { book } of this.#markets.values()) book.pruneShard(shard);
    for (const mark of marks) if (mark.shard === shard) this.history.add(mark);
  }

  quote(given: QuoteInput): QuoteVerdict {
    const taken = this.take(given);
    return typeof taken === "string" ? taken : "counted";
  }

  /** Like {@link quote}, and returns the quote if it counts. */
  take(given: QuoteInput): Quote | QuoteDrop {
    const now = this.#parts.timers.runDue();
    const input = readQuoteInput(given);
    if (input === undefined) return this.#drop("malformed", readQuoteSymbol(given));
    const market = this.#marketOf(input.symbol);
    if (market === undefined) return this.#drop("unknown-symbol");
    const taken = market.gate.take(input, now);
    if (typeof taken === "string") return this.#drop(taken, input.symbol);
    market.quoted();
    this.#parts.timers.quoted(now.monotonicMs + this.#core.settings.quoteMaxAgeMs);
    this.#counts(market, taken);
    return taken;
  }

  #counts(market: Market, quote: Quote): void {
    market.dropped = undefined;
    this.counted++;
    this.memory.counted(quote);
    this.#show(market, quote);
  }

  /** Gives a quote to the book after what was due before it. */
  #show(market: Market, quote: Quote, isNew = true): void {
    if (this.#parts.timers.isBehind) this.#parts.timers.afterDue(() => this.#act(market, quote, isNew));
    else this.#act(market, quote, isNew);
  }

  /**
   * Processes a quote, in turns if it meets many orders. A quote that comes meanwhile is processed after it. A quote
   * that meets no order and has no listener is not activity, so that an engine at rest stays at rest.
   */
  #act(market: Market, quote: Quote, isNew: boolean): void {
    const { book } = market;
    market.shown = quote;
    if (book.begin(quote)) {
      const { bursts } = this.#parts;
      this.#core.counters.activity++;
      if (!bursts.has("quotes", book.symbol)) bursts.add("quotes", book.symbol, this.#steps(market));
      // No step runs while the store is behind. What this adds to its backlog is bounded: an order becomes active once.
      while (book.waiting > MOST_WAITING) this.#resume(book, Number.POSITIVE_INFINITY);
    }
    this.#noteMarks(book);
    if (isNew && this.#parts.stream.quoted(quote)) this.#core.counters.activity++;
  }

  *#steps(market: Market): Generator<number, void> {
    const { book } = market;
    while (book.isBusy)
      yield this.#resume(book, book.waiting > MOST_WAITING ? Number.POSITIVE_INFINITY : ORDERS_PER_STEP);
    this.#seed(market);
  }

  /**
   * Returns the quote that stands in a market: the last counted one, if it is fresh and the book has seen it. After an opening
   * nothing stands until the source has spoken.
   */
  #standing({ gate, shown }: Market): Quote | undefined {
    const isShown = shown !== undefined && shown === gate.last && !this.#isClosing;
    return isShown && gate.isFresh(this.#core.time.moment()) ? shown : undefined;
  }

  /** Nothing stands any more: the engine closes, and a child that is decided now would not be handed over. */
  close(): void {
    this.#isClosing = true;
  }

  /**
   * Offers the standing quote to orders of one market that were put into its book since the last quote, as if it came now:
   * those whose condition it meets leave the book and fire, and it activates those that begin to trail, which it does not
   * trigger.
   */
  offer(symbol: string, watches: readonly OrderWatch[]): void {
    const market = this.#markets.get(symbol);
    const quote = market && this.#standing(market);
    if (market === undefined || quote === undefined) return;
    const fired = market.fire(watches, quote);
    // An amended order changes in the book behind what waits there: then it must meet what stands.
    if (market.book.isBusy && watches.some(({ isAmended }) => isAmended)) market.book.begin(quote);
    this.#seed(market);
    if (fired.length > 0) this.#core.effects.emit({ kind: "FIRED", fired, quote });
  }

  /** Activates the orders that begin to trail on the standing quote. */
  #seed(market: Market): void {
    const quote = market.book.isBusy ? undefined : this.#standing(market);
    if (quote === undefined) return;
    for (const activated of market.book.seed(quote))
      this.#core.effects.emit({ kind: "ACTIVATED", activated, quote });
    this.#noteMarks(market.book);
  }

  /** Lets the quote that is being processed touch at most `most` more orders. Returns the units that this took. */
  #resume(book: TriggerBook, most: number): number {
    const { effects } = this.#core;
    const { quote, fired, activated } = book.resume(most);
    for (const one of activated) effects.emit({ kind: "ACTIVATED", activated: one, quote });
    if (fired.length > 0) effects.emit({ kind: "FIRED", fired, quote });
    this.#noteMarks(book);
    return 1 + activated.length;
  }

  #noteMarks(book: TriggerBook): void {
    if (!book.hasMarks) return;
    this.marking++;
    this.#marked.add(book);
    this.#core.effects.emit({ kind: "MARKET_MOVED" });
  }

  #drop(drop: QuoteDrop, symbol?: string): QuoteDrop {
    this.dropped[drop]++;
    // Only of markets that are open: a stranger to the engine must not make it remember names.
    const market = symbol === undefined ? undefined : this.#markets.get(symbol);
    if (market !== undefined) market.dropped = { count: (market.dropped?.count ?? 0) + 1, last: drop };
    return drop;
  }

  get counts(): MarketCounts {
    const { counted: quotesCounted, dropped, printsCounted, printsDropped, printsRounded } = this;
    return { quotesCounted, quotesDropped: { ...dropped }, printsCounted, printsDropped, printsRounded };
  }

  /** Returns what became of the quotes of a market that came after the last counted one; undefined if none came. */
  droppedSince(symbol: string): DroppedQuotes | undefined {
    return this.#markets.get(symbol)?.dropped;
  }

  /** Returns when the last counted quote of a market was confirmed last, by the monotonic clock. */
  confirmedMs(symbol: string): number | undefined {
    return this.#gates.get(symbol)?.confirmedMs;
  }

  heartbeat(symbol: string): void {
    const now = this.#parts.timers.runDue();
    const market = this.#markets.get(symbol);
    const before = market?.gate.last;
    const quote = market?.gate.heartbeat(now);
    if (market === undefined || quote === undefined) return;
    market.confirmed(now.monotonicMs);
    this.#parts.timers.quoted(now.monotonicMs + this.#core.settings.quoteMaxAgeMs);
    if (quote !== before) this.#counts(market, quote);
    // It is offered again to those that wait inside; the others are not looked at.
    else if (quote !== market.shown || !market.book.isUnmet) this.#show(market, quote, false);
  }

  /**
   * Counts an executed trade, once per id, and returns it. An unreadable price, a time in the future and a duplicate are not
   * counted.
   */
  print(given: PrintInput): PrintUpdate | undefined {
    return this.#count(given, this.#parts.timers.runDue().wallMs);
  }

  /** Counts an executed trade that was heard before this engine ran: its age is that of `receivedAtMs`, by the wall clock. */
  receivePrint(given: PrintInput, receivedAtMs: number): void {
    this.#parts.timers.runDue();
    this.#count(given, receivedAtMs);
  }

  /** A print that no order follows and without a listener is not activity, as a quote that meets none. */
  #count(given: PrintInput, wallMs: number): PrintUpdate | undefined {
    const print = readPrintInput(given);
    if (print === undefined) return this.#dropPrint("malformed", "");
    if (this.#marketOf(print.symbol) === undefined) return this.#dropPrint("unknown-symbol", print.symbol);
    const isOverfull = !this.writes && this.tape.isFull;
    const counted = this.tape.take(print, { wallMs, nowMs: this.#core.nowMs() });
    if (typeof counted === "string") return this.#dropPrint(counted, print.symbol);
    if (isOverfull) this.#core.effects.emit({ kind: "PRINT_DROPPED" });
    if (isFinerPrint(print)) this.printsRounded++;
    const numbered = this.#counted(counted);
    this.publish([numbered]);
    return numbered;
  }

  /**
   * Takes a print that the writer of the market journal has stored. It counts if it was not heard here, and is then
   * returned for {@link publish}.
   */
  printStored(print: PricedPrint): PrintUpdate | undefined {
    this.#core.counters.activity++;
    const { wallMs } = this.#parts.timers.runDue();
    const counted = this.tape.takeStored(print, wallMs);
    return counted && this.#counted(counted);
  }

  /** Tells orders and streams of counted prints. */
  publish(prints: readonly PrintUpdate[]): void {
    this.#parts.timers.afterDue(() => {
      for (const print of prints) {
        this.#core.effects.emit({ kind: "PRINTED", print });
        if (this.#parts.stream.printed(print)) this.#core.counters.activity++;
      }
    });
  }

  #counted(counted: PricedPrint): PrintUpdate {
    this.printsCounted++;
    if (this.hasPrints) this.#core.effects.emit({ kind: "MARKET_MOVED" });
    return this.prints.counted(counted);
  }

  #dropPrint(why: Exclude<PrintVerdict, "counted">, symbol: string): undefined {
    this.#core.counters.activity++;
    this.printsDropped++;
    if (why === "backlog") this.#core.effects.emit({ kind: "PRINT_DROPPED" });
    if (why !== "out-of-log" || this.#outOfLog.has(symbol)) return;
    this.#outOfLog.add(symbol);
    this.#core.telemetry.event("error", "market.out-of-log", { symbol });
  }

  /** Returns the last counted quote of a symbol, and whether it is fresh. */
  now(symbol: string): QuoteNow | undefined {
    const gate = this.#gates.get(symbol);
    if (gate?.last === undefined) return undefined;
    return { quote: gate.last, fresh: gate.isFresh(this.#core.time.moment()) };
  }

  /**
   * Returns the last counted quote with what own children have left of its sizes, whether it is fresh, and the number of the
   * quote or heartbeat that brought it.
   */
  left(symbol: string): (QuoteNow & Readonly<{ observation: number }>) | undefined {
    const now = this.now(symbol);
    const market = this.#markets.get(symbol);
    if (now === undefined || market === undefined) return undefined;
    return { quote: market.left(now.quote), fresh: now.fresh, observation: market.observation };
  }

  /** Follows what children of durable steps take from the sizes of their markets. */
  follow(steps: readonly ParentStep[]): void {
    const atMs = this.#core.monotonicMs();
    for (const step of steps) this.#markets.get(step.order.intent.symbol)?.follow(step, atMs);
  }

  /** Markets with a last quote that is too old, without those that the host has withdrawn and no open parent watches. */
  get stopped(): readonly string[] {
    return [...this.#gates.keys()].filter(
      (symbol) =>
        this.now(symbol)?.fresh === false &&
        (this.memory.hasParents(symbol) || !this.#listed.hasWithdrawn(symbol)),
    );
  }

  /** Returns the total of a market's own log if it is known to be that of now. */
  loggedNow(symbol: string): Quantity | undefined {
    return this.tape.loggedNow(symbol, this.#core.wallMs());
  }

  lastPrice(symbol: string): Price | undefined {
    return this.prints.latest(symbol)?.price;
  }

  book(symbol: string): TriggerBook | undefined {
    return this.#markets.get(symbol)?.book;
  }

  /** Whether there are prints to keep. */
  get hasPrints(): boolean {
    return this.tape.hasPrints;
  }

  /** Whether there are marks or prints to keep. */
  get hasFacts(): boolean {
    return this.#marked.size > 0 || this.hasPrints;
  }

  /** Whether there are marks to keep, and no prints. */
  get hasOnlyMarks(): boolean {
    return this.#marked.size > 0 && !this.hasPrints;
  }

  /** About how many marks {@link takeFacts} returns. */
  get marksDue(): number {
    let due = 0;
    for (const book of this.#marked) due += book.marksDue;
    return due;
  }

  /**
   * Returns the market facts since the last call. With `onlyDue`, marks of moved references wait for a later call, and
   * only those on which new records rest are returned.
   */
  takeFacts({ onlyDue }: Readonly<{ onlyDue: boolean }>): MarketFacts {
    const marks: MarketMark[] = [];
    for (const book of this.#marked) {
      for (const mark of onlyDue ? book.takeDueMarks() : book.takeMarks()) marks.push(mark);
    }
    if (!onlyDue) this.#marked.clear();
    return { marks, prints: this.tape.takePrints() };
  }

  /** Returns the last counted quotes that the store lacks: of markets with open parents and of those in `touched`. */
  quotesToStore(touched: Iterable<string>): readonly StoredQuote[] {
    if (!this.writes || this.tape.isAside) return [];
    this.#quotesUnderWay = this.memory.due((symbol) => this.#gates.get(symbol)?.last, touched);
    return this.#quotesUnderWay;
  }

  /** Stores marks, prints and quotes that became durable. */
  stored({ marks, prints, quotes }: MarketFacts & Pick<StoredMarket, "quotes">): void {
    for (const mark of marks) this.history.add(mark);
    this.tape.stored(prints);
    if (quotes === this.#quotesUnderWay) this.memory.stored(quotes);
  }

  /** Keeps the prints of an append that failed for the next one. */
  notStored(prints: readonly PricedPrint[]): void {
    this.tape.requeue(prints);
  }

  /** Whether this engine writes the market journal: prints, quotes and bars. If not, {@link takeFacts} has marks only. */
  get writes(): boolean {
    return this.tape.writes;
  }

  /**
   * Writes the market journal from now on, first the prints that are not known to be stored. A node of a cluster calls it
   * after it has claimed the market journal, and has followed the market once more after that claim.
   */
  startWriting(): void {
    if (this.writes) return;
    this.tape.startWriting();
    this.memory.doubt();
    if (this.hasPrints) this.#core.effects.emit({ kind: "MARKET_MOVED" });
  }

  /** Writes the market journal no more. What an append under way has stored of it is found by following the market. */
  stopWriting(): void {
    this.tape.stopWriting();
    this.#quotesUnderWay = [];
  }
}
