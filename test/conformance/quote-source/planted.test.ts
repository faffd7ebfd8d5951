import {
  type QuoteSourceSubject,
  type QuoteSourceSupport,
  testQuoteSource,
} from "../../../src/conformance/index.ts";
import { quoteSourceRules } from "../../../src/conformance/quote-source/quote-source.ts";
import type { MarketSink, PrintInput, QuoteInput } from "../../../src/ports/index.ts";
import { type PlantedFault, testPlantedFaults } from "../../support/planted-faults.ts";
import { feedPlace, type SourceChange } from "./feed.ts";

const ALL: QuoteSourceSupport = {
  times: true,
  sizes: true,
  prints: true,
  heartbeats: true,
  reconnects: true,
};

const subjectOf = (name: string, create: () => SourceChange, supports = {}): QuoteSourceSubject => ({
  name,
  supports: { ...ALL, ...supports },
  createPlace: () => feedPlace(create()),
});

type Planted = PlantedFault<QuoteSourceSubject>;

/** A source that puts a sink of its own in front of each sink. */
const before = (front: (sink: MarketSink) => Partial<MarketSink>) => (): SourceChange => (honest) => ({
  subscribe: (sink) =>
    honest.subscribe({
      quote: (quote) => sink.quote(quote),
      heartbeat: (symbol) => sink.heartbeat(symbol),
      print: (print) => sink.print(print),
      ...front(sink),
    }),
});

const quoting = (change: (quote: QuoteInput) => object): (() => SourceChange) =>
  before((sink) => ({ quote: (quote) => sink.quote(change(quote) as QuoteInput) }));
const printing = (change: (print: PrintInput) => object): (() => SourceChange) =>
  before((sink) => ({ print: (print) => sink.print(change(print) as PrintInput) }));

const planted = (rule: string, fault: string, create: () => SourceChange, supports = {}): Planted => ({
  fault,
  breaks: [rule],
  subject: subjectOf(fault, create, supports),
});

const asNumber = (text: string): string => String(Number(text));

const QUOTE = "a quote arrives once";
const PRINT = "a trade arrives once";
let made = 0;

const faults: readonly Planted[] = [
  planted(
    QUOTE,
    "prices through a number",
    quoting((quote) => ({ ...quote, bid: asNumber(quote.bid), ask: asNumber(quote.ask) })),
  ),
  planted(
    QUOTE,
    "prices as numbers",
    quoting((quote) => ({ ...quote, bid: Number(quote.bid) })),
  ),
  planted(
    QUOTE,
    "bid and ask exchanged",
    quoting((quote) => ({ ...quote, bid: quote.ask, ask: quote.bid })),
  ),
  planted(
    QUOTE,
    "the exchange's name of the market",
    quoting((quote) => ({ ...quote, symbol: quote.symbol.replace("/", "-") })),
  ),
  planted(
    QUOTE,
    "every quote under one symbol",
    quoting((quote) => ({ ...quote, symbol: "BTC/USD" })),
  ),
  planted(
    QUOTE,
    "each twice",
    before((sink) => ({
      quote(quote) {
        sink.quote(quote);
        return sink.quote(quote);
      },
    })),
  ),
  planted(
    "quotes arrive in the order",
    "the last is left out",
    before((sink) => {
      let last: QuoteInput | undefined;
      return {
        quote: (quote) => {
          if (last) sink.quote(last);
          last = quote;
          return "counted";
        },
      };
    }),
  ),
  planted(
    "quotes arrive in the order",
    "newest first",
    before((sink) => {
      const waiting: QuoteInput[] = [];
      return {
        quote(quote) {
          waiting.push(quote);
          if (waiting.length === 20) for (const one of waiting.toReversed()) sink.quote(one);
          return "counted";
        },
      };
    }),
  ),
  planted(
    "the time of a quote",
    "seconds",
    quoting((quote) => ({ ...quote, timeMs: Math.floor((quote.timeMs ?? 0) / 1_000) })),
  ),
  planted(
    "the time of a quote",
    "nanoseconds",
    quoting((quote) => ({ ...quote, timeMs: (quote.timeMs ?? 0) * 1e6 })),
  ),
  planted(
    "the time of a quote",
    "the clock of the machine",
    quoting((quote) => ({ ...quote, timeMs: Date.now() })),
  ),
  planted(
    "declares no times",
    "gives them",
    before(() => ({})),
    { times: false },
  ),
  planted(
    "the sizes of a quote",
    "exchanged",
    quoting((quote) => ({ ...quote, bidQuantity: quote.askQuantity, askQuantity: quote.bidQuantity })),
  ),
  planted(
    "the sizes of a quote",
    "as numbers",
    quoting((quote) => ({ ...quote, bidQuantity: Number(quote.bidQuantity) })),
  ),
  planted(
    "declares no sizes",
    "gives them",
    before(() => ({})),
    { sizes: false },
  ),
  planted("every sink receives", "only the first sink", () => {
    let has = false;
    return (honest) => ({
      subscribe(sink) {
        if (has) return () => undefined;
        has = true;
        return honest.subscribe(sink);
      },
    });
  }),
  planted("every sink receives", "sinks cannot leave", () => (honest) => ({
    subscribe(sink) {
      honest.subscribe(sink);
      return () => undefined;
    },
  })),
  planted("every sink receives", "one that leaves takes all along", () => {
    const leaves: (() => void)[] = [];
    return (honest) => ({
      subscribe(sink) {
        leaves.push(honest.subscribe(sink));
        return () => leaves.forEach((leave) => void leave());
      },
    });
  }),
  {
    fault: "does not end its connection",
    breaks: ["a source that is closed"],
    subject: {
      ...subjectOf(
        "never closed",
        before(() => ({})),
      ),
      createPlace: unclosed,
    },
  },
  planted(
    "a confirmation of the feed",
    "sends the quote again",
    before((sink) => {
      let last: QuoteInput | undefined;
      return {
        quote(quote) {
          last = quote;
          return sink.quote(quote);
        },
        heartbeat() {
          if (last) sink.quote(last);
        },
      };
    }),
  ),
  planted(
    "a confirmation of the feed",
    "drops it",
    before(() => ({ heartbeat: () => undefined })),
  ),
  planted(
    "declares no heartbeats",
    "one with each quote",
    before((sink) => ({
      quote(quote) {
        sink.heartbeat(quote.symbol);
        return sink.quote(quote);
      },
    })),
    { heartbeats: false },
  ),
  planted(
    PRINT,
    "prices through a number",
    printing((print) => ({ ...print, price: asNumber(print.price) })),
  ),
  planted(
    PRINT,
    "quantities as numbers",
    printing((print) => ({ ...print, quantity: Number(print.quantity) })),
  ),
  planted(
    PRINT,
    "seconds",
    printing((print) => ({ ...print, timeMs: Math.floor(print.timeMs / 1_000) })),
  ),
  planted(
    "a trade has the same id",
    "a count as the id",
    printing((print) => ({ ...print, id: String(++made) })),
  ),
  planted(
    "a trade has the same id",
    "price and time as the id",
    printing((print) => ({ ...print, id: `${print.price} ${print.timeMs}` })),
  ),
  planted("the trade of an own fill", "another id than it declares", () => (honest) => ({
    ownFillsInPrints: "other-id",
    subscribe: (sink) => honest.subscribe(sink),
  })),
  planted("the trade of an own fill", "a print although it declares none", () => (honest) => ({
    ownFillsInPrints: "none",
    subscribe: (sink) => honest.subscribe(sink),
  })),
  planted(
    "the trade of an own fill",
    "left out without a word",
    before((sink) => ({
      print: (print) => (print.id.startsWith("execution") ? undefined : sink.print(print)),
    })),
  ),
  planted(
    "declares no prints",
    "volume from quotes",
    before((sink) => ({
      quote(quote) {
        sink.print({ symbol: quote.symbol, price: quote.bid, quantity: "1", id: "1", timeMs: 0 });
        return sink.quote(quote);
      },
    })),
    { prints: false },
  ),
  planted("after a reconnect the current quote", "does not connect again", () => {
    const seen = new Set<string>();
    return before((sink) => ({
      quote: (quote) => (quote.bid === "100" || seen.has(quote.bid) ? sink.quote(quote) : "counted"),
    }))();
  }),
  planted(
    "after a reconnect the current quote",
    "subscribes to one market only when it connects again",
    before((sink) => ({
      quote: (quote) => (quote.symbol === "ETH/USD" && quote.bid === "90" ? "counted" : sink.quote(quote)),
    })),
  ),
  planted("after a reconnect, trades", "subscribes to quotes only when it connects again", () => {
    let trades = 0;
    return before((sink) => ({ print: (print) => (++trades > 1 ? undefined : sink.print(print)) }))();
  }),
  planted("after a reconnect, trades", "ids contain the connection", () => {
    let trades = 0;
    return before((sink) => ({
      print: (print) => sink.print({ ...print, id: `${++trades > 1 ? "b" : "a"}-${print.id}` }),
    }))();
  }),
  planted(
    "after a reconnect the current quote",
    "the old subscription stays too",
    before((sink) => {
      let count = 0;
      return {
        quote(quote) {
          if (++count > 2) sink.quote(quote);
          return sink.quote(quote);
        },
      };
    }),
  ),
  {
    fault: "its own heartbeats",
    breaks: ["while the connection is broken"],
    subject: {
      ...subjectOf(
        "own heartbeats",
        before(() => ({})),
      ),
      createPlace: ownHeartbeats,
    },
  },
];

function unclosed(): ReturnType<QuoteSourceSubject["createPlace"]> {
  const place = feedPlace();
  return { ...place, open: async () => ({ ...(await place.open()), close: () => undefined }) };
}

/** A source that says that it is alive although its connection is broken. */
function ownHeartbeats(): ReturnType<QuoteSourceSubject["createPlace"]> {
  const sinks: MarketSink[] = [];
  const place = feedPlace((honest) => ({
    subscribe(sink) {
      sinks.push(sink);
      return honest.subscribe(sink);
    },
  }));
  const confirm = (symbol: string): void => {
    for (const sink of sinks) sink.heartbeat(symbol);
  };
  return { ...place, confirm };
}

/** A source without optional parts. */
const plain = subjectOf(
  "a source without optional parts",
  before((sink) => ({
    quote: ({ symbol, bid, ask }) => sink.quote({ symbol, bid, ask }),
    heartbeat: () => undefined,
    print: () => undefined,
  })),
  { times: false, sizes: false, prints: false, heartbeats: false, reconnects: false },
);

testPlantedFaults("quote source", {
  declare: testQuoteSource,
  groups: quoteSourceRules,
  sound: [
    subjectOf(
      "a feed with a connection",
      before(() => ({})),
    ),
    plain,
  ],
  faults,
});
