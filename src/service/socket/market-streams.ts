import type { Engine, PrintUpdate } from "../../engine/index.ts";
import type { Quote } from "../../model/index.ts";
import type { Clock } from "../../ports/index.ts";
import type { StreamKind } from "../../requests/index.ts";
import { type JsonInput, writeJson } from "../../wire/index.ts";
import type { EventSink } from "./account-streams.ts";
import { bookTicker, depthUpdate, partialDepth, trade } from "./market-payloads.ts";

/** A stream of one market. */
export type MarketStream = Readonly<{ symbol: string; kind: StreamKind }>;

type Market = { readonly sinks: Map<StreamKind, Set<EventSink>>; before: Quote | undefined };

/**
 * The public streams. An event goes out for each counted quote and print. Its text is made once for all subscribers.
 * While there are no subscribers, the streams do not listen to the engine. Source: decision 45; convention 4.12.
 */
export class MarketStreams {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #markets: Map<string, Market> = new Map();
  #unsubscribes: readonly (() => void)[] = [];

  constructor(parts: Readonly<{ engine: Engine; clock: Clock }>) {
    this.#engine = parts.engine;
    this.#clock = parts.clock;
  }

  /** Passes every later event of a stream to `sink` until the returned function is called. */
  subscribe({ symbol, kind }: MarketStream, sink: EventSink): () => void {
    if (this.#markets.size === 0) this.#listen();
    const market = this.#market(symbol);
    const sinks = market.sinks.get(kind) ?? new Set();
    market.sinks.set(kind, sinks.add(sink));
    return () => {
      sinks.delete(sink);
      if (sinks.size === 0 && market.sinks.get(kind) === sinks) market.sinks.delete(kind);
      if (market.sinks.size > 0 || this.#markets.get(symbol) !== market) return;
      this.#markets.delete(symbol);
      if (this.#markets.size === 0) this.#rest();
    };
  }

  #market(symbol: string): Market {
    const known = this.#markets.get(symbol);
    if (known !== undefined) return known;
    const market: Market = { sinks: new Map(), before: this.#engine.quote(symbol)?.quote };
    this.#markets.set(symbol, market);
    return market;
  }

  #listen(): void {
    const { events } = this.#engine;
    this.#unsubscribes = [
      events.on("quote", (quote) => this.#quote(quote)),
      events.on("print", (print) => this.#print(print)),
    ];
  }

  #rest(): void {
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
  }

  #quote(quote: Quote): void {
    const market = this.#markets.get(quote.symbol);
    if (market === undefined) return;
    const { before } = market;
    market.before = quote;
    const nowMs = this.#clock.nowMs();
    tell(market, "bookTicker", () => bookTicker(quote, nowMs));
    tell(market, "depth", () => depthUpdate({ before, quote }, nowMs));
    tell(market, "depth20", () => partialDepth(quote, nowMs));
  }

  #print(print: PrintUpdate): void {
    const market = this.#markets.get(print.symbol);
    if (market !== undefined) tell(market, "trade", () => trade(print, this.#clock.nowMs()));
  }
}

function tell({ sinks }: Market, kind: StreamKind, payload: () => JsonInput): void {
  const listening = sinks.get(kind);
  if (listening === undefined) return;
  const event = writeJson(payload());
  for (const sink of [...listening]) sink(event);
}
