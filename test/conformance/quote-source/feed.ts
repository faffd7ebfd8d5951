import type {
  OpenQuoteSource,
  PublishedQuote,
  PublishedTrade,
  QuoteSourcePlace,
} from "../../../src/conformance/index.ts";
import type { MarketData, MarketSink } from "../../../src/ports/index.ts";

/** A message of a feed that has a connection. */
type Message =
  | Readonly<{ kind: "quote"; quote: PublishedQuote }>
  | Readonly<{ kind: "trade"; trade: PublishedTrade; executionId?: string }>
  | Readonly<{ kind: "confirmed"; symbol: string }>;

/** A feed in memory whose connection can break. A new connection begins with the current quotes. */
class Feed {
  readonly #current: Map<string, PublishedQuote> = new Map();
  readonly #receivers: Set<(message: Message) => void> = new Set();
  readonly #ends: Set<() => void> = new Set();
  #isOut = false;

  /** Connects; `ended` is called when the connection breaks, and `connected` when the feed can be reached again. */
  connect(receive: (message: Message) => void, ended: () => void): () => void {
    this.#receivers.add(receive);
    this.#ends.add(ended);
    for (const quote of this.#current.values()) receive({ kind: "quote", quote });
    return () => {
      this.#receivers.delete(receive);
      this.#ends.delete(ended);
    };
  }

  send(message: Message): void {
    if (message.kind === "quote") this.#current.set(message.quote.symbol, message.quote);
    if (!this.#isOut) for (const receive of [...this.#receivers]) receive(message);
  }

  setOutage(isOut: boolean): void {
    this.#isOut = isOut;
    if (isOut) return;
    // The old connections end when the feed is back, as after a timeout.
    for (const ended of [...this.#ends]) ended();
  }
}

/** A source on that feed. */
function createSource(feed: Feed): OpenQuoteSource {
  const sinks = new Set<MarketSink>();
  const receive = (message: Message): void => {
    for (const sink of [...sinks]) deliver(sink, message);
  };
  let leave = (): void => undefined;
  const connect = (): void => {
    leave();
    leave = feed.connect(receive, connect);
  };
  connect();
  const marketData: MarketData = {
    subscribe(sink) {
      // Each subscription is its own, also of one sink.
      const own: MarketSink = {
        quote: (quote) => sink.quote(quote),
        heartbeat: (symbol) => sink.heartbeat(symbol),
        print: (print) => sink.print(print),
      };
      sinks.add(own);
      return () => void sinks.delete(own);
    },
  };
  return { marketData, close: () => leave() };
}

function deliver(sink: MarketSink, message: Message): void {
  if (message.kind === "quote") sink.quote(message.quote);
  else if (message.kind === "confirmed") sink.heartbeat(message.symbol);
  else {
    const { tradeId, ...print } = message.trade;
    sink.print({ ...print, id: message.executionId ?? String(tradeId) });
  }
}

/** A fault between the source and the suite, fresh for each opening. */
export type SourceChange = (honest: MarketData) => MarketData;

/** A feed with that source. */
export function feedPlace(change: SourceChange = (honest) => honest): QuoteSourcePlace {
  const feed = new Feed();
  return {
    open() {
      const { marketData, close } = createSource(feed);
      return { marketData: change(marketData), close };
    },
    quote: (quote) => feed.send({ kind: "quote", quote }),
    idle: async () => undefined,
    remove: () => undefined,
    trade: (trade) => feed.send({ kind: "trade", trade }),
    ownTrade: (trade, executionId) => feed.send({ kind: "trade", trade, executionId }),
    confirm: (symbol) => feed.send({ kind: "confirmed", symbol }),
    setOutage: (isOut) => feed.setOutage(isOut),
  };
}
