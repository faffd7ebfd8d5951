import { parsePrice, parseQuantity, price, quantity } from "../../decimal/index.ts";
import type { QuoteInput } from "../../ports/index.ts";
import { holds, same } from "../checks.ts";
import { declareSuite, type TestFramework } from "../suite.ts";
import {
  bestOf,
  type PublishedQuote,
  type QuoteRules,
  type QuoteSourceSubject,
  QuoteWorld,
  quoteOf,
  quoteSourceSubject,
  readQuote,
  tradeOf,
} from "./world.ts";

/** Returns symbol and best prices of the quotes that a sink received. */
const pricesOf = (quotes: readonly QuoteInput[]): readonly unknown[] =>
  quotes.map((quote) => [quote.symbol, bestOf(quote, "bid").price, bestOf(quote, "ask").price]);

const dueOf = (quotes: readonly PublishedQuote[]): readonly unknown[] =>
  quotes.map(({ symbol, bid, ask }) => [symbol, price(bid), price(ask)]);

/** Rules of quotes. */
const quotes: QuoteRules = {
  "a quote arrives once, under the canonical symbol, with its exact prices as decimal text": {
    remedy:
      "Pass on the text of the feed. A number loses digits, and small ones become text such as 1e-8. Translate the market's name into `BTC/USD`.",
    async check(world) {
      const published = [
        quoteOf({ bid: "0.00000001", ask: "0.00000002" }),
        quoteOf({ bid: "59999.12345678", ask: "90071992.54740993" }),
        quoteOf({ symbol: "ETH/USD", bid: "8.2", ask: "8.3" }),
      ];
      for (const quote of published) {
        const before = world.delivered.quotes.length;
        await world.publish([quote]);
        const fresh = pricesOf(world.quotes()).slice(before);
        same(`the quotes after ${quote.bid} to ${quote.ask}`, fresh, dueOf([quote]));
      }
    },
  },
  "quotes arrive in the order of the feed; some may be left out, but never the last": {
    remedy:
      "Process messages one after the other. A source that conflates keeps the newest quote of each market.",
    async check(world) {
      const published = Array.from({ length: 20 }, (_, n) =>
        quoteOf({ bid: String(100 + n), ask: String(101 + n), timeMs: quoteOf().timeMs + n }),
      );
      await world.publish(published);
      const [arrived, due] = [pricesOf(world.quotes()).map(String), dueOf(published).map(String)];
      const places = arrived.map((quote) => due.indexOf(quote));
      const isRising = places.every((place, index) => place > (places[index - 1] ?? -1));
      holds("the quotes after 20 quotes in a row", isRising, "quotes of the feed, in its order", arrived);
      same("the last of them", arrived.at(-1), due.at(-1));
    },
  },
  "the time of a quote is the exchange's, in milliseconds since the epoch": {
    remedy:
      "Convert seconds, microseconds and nanoseconds. The engine drops quotes that are old, or of the future.",
    where: { times: true },
    async check(world) {
      const quote = quoteOf();
      await world.publish([quote]);
      const times = world.quotes().map(({ timeMs }) => timeMs);
      same("timeMs", times, [quote.timeMs]);
    },
  },
  "a source that declares no times gives none": {
    remedy: "Declare `times: true`. A time of this machine hides how old a quote is.",
    where: { times: false },
    async check(world) {
      await world.publish([quoteOf()]);
      const times = world.quotes().map(({ timeMs }) => timeMs);
      same("timeMs", times, [undefined]);
    },
  },
  "the sizes of a quote are those of its best prices, on their own side, as decimal text": {
    remedy: "Set `bidQuantity` and `askQuantity`, or levels with quantities, in units of the base asset.",
    where: { sizes: true },
    async check(world) {
      await world.publish([quoteOf({ bidQuantity: "0.000001", askQuantity: "1.005" })]);
      const [quote] = world.quotes();
      const found = quote && [bestOf(quote, "bid").size, bestOf(quote, "ask").size];
      same("the sizes after 0.000001 and 1.005", found, [quantity("0.000001"), quantity("1.005")]);
    },
  },
  "a source that declares no sizes gives none": {
    remedy: "Declare `sizes: true`. A size of 0, or of the whole market, would be taken as the truth.",
    where: { sizes: false },
    async check(world) {
      await world.publish([quoteOf()]);
      const [quote] = world.quotes();
      const found = quote && [bestOf(quote, "bid").size, bestOf(quote, "ask").size];
      same("the sizes of a quote", found, [undefined, undefined]);
    },
  },
  "every sink receives every quote until it leaves, and nothing after that": {
    remedy: "Keep the sinks in a set, and return a function that removes exactly this one.",
    async check(world) {
      const second = world.listen();
      const first = quoteOf();
      await world.publish([first]);
      same("the quotes of a second sink", pricesOf(second.quotes.map(readQuote)), dueOf([first]));
      second.leave();
      const next = quoteOf({ bid: "99" });
      await world.publish([next]);
      same("the quotes of a sink after it has left", pricesOf(second.quotes.map(readQuote)), dueOf([first]));
      same("the quotes of the sink that stays", pricesOf(world.quotes()), dueOf([first, next]));
    },
  },
  "a source that is closed delivers nothing": {
    remedy: "End the connection, and drop what arrives meanwhile.",
    async check(world) {
      await world.close();
      await world.publish([quoteOf()]);
      same("the quotes after the close", world.delivered.quotes, []);
    },
  },
  "a confirmation of the feed is a heartbeat of its market, and no quote": {
    remedy: "Call `heartbeat` with the canonical symbol. To send the old quote again would make it look new.",
    where: { heartbeats: true },
    async check(world) {
      await world.publish([quoteOf()]);
      const before = world.delivered.heartbeats.length;
      await world.place.confirm?.("BTC/USD");
      await world.place.idle();
      same("the heartbeats after a confirmation", world.delivered.heartbeats.slice(before), ["BTC/USD"]);
      same("the number of quotes", world.delivered.quotes.length, 1);
    },
  },
  "a source that declares no heartbeats sends none": {
    remedy:
      "Declare `heartbeats: true`, and send one only when the feed says so. A timer would keep a dead feed alive.",
    where: { heartbeats: false },
    async check(world) {
      await world.publish([quoteOf(), quoteOf({ symbol: "ETH/USD" })]);
      same("the heartbeats after two quotes", world.delivered.heartbeats, []);
    },
  },
};

const ID = /^[ -~]{1,64}$/;

/** Rules of trades. */
const prints: QuoteRules = {
  "a trade arrives once, with exact price and quantity as decimal text and the exchange's time in milliseconds":
    {
      remedy: "Pass on the text of the feed, and convert its time.",
      where: { prints: true },
      async check(world) {
        const trades = [
          tradeOf({ price: "90071992.54740993", quantity: "0.000001" }),
          tradeOf({ symbol: "ETH/USD", price: "0.00000001", quantity: "123456789.000001", tradeId: 2 }),
        ];
        await world.trade(trades);
        const found = world.prints().map(({ symbol, price: at, quantity: size, timeMs }) => ({
          ...{ symbol, price: parsePrice(at) ?? at, quantity: parseQuantity(size) ?? size, timeMs },
        }));
        const due = trades.map(({ symbol, price: at, quantity: size, timeMs }) => ({
          ...{ symbol, price: price(at), quantity: quantity(size), timeMs },
        }));
        same("the prints after two trades", found, due);
      },
    },
  "a trade has the same id whenever it comes, and no other trade of its market has it": {
    remedy:
      "Use the exchange's id of the trade. An id made of time, price or a count names two trades, or one trade twice.",
    where: { prints: true },
    async check(world) {
      const [first, second] = [tradeOf(), tradeOf({ tradeId: 2 })];
      await world.trade([first, second, first]);
      const found = world.prints().map(({ id }) => id);
      holds(
        "the ids of the prints",
        found.length >= 2 && found.every((id) => ID.test(id)),
        "1 to 64 printable characters",
        found,
      );
      same("the number of ids of two trades, one of which came twice", new Set(found).size, 2);
    },
  },
  "the trade of an own fill comes as `ownFillsInPrints` says: by its execution id, by another id, or not at all":
    {
      remedy:
        "Declare what your feed does. A POV counts its own fills as volume and must not follow them, so it has to know how to tell them.",
      where: { prints: true },
      async check(world) {
        const [trade, executionId] = [tradeOf(), "execution-1"];
        await world.place.ownTrade?.(trade, executionId);
        await world.place.idle();
        const given = world.source.ownFillsInPrints ?? "by-execution-id";
        const found = world.prints().map(({ id }) => id);
        const appears = { "by-execution-id": [executionId], "other-id": [found[0]], none: [] }[given];
        same(`the ids of the prints after an own fill, with ownFillsInPrints: ${given}`, found, appears);
        holds(
          "the id of the print",
          given !== "other-id" || found[0] !== executionId,
          "another id",
          found[0],
        );
      },
    },
  "a source that declares no prints delivers none": {
    remedy: "Declare `prints: true`. Volume that comes from quotes is wrong.",
    where: { prints: false },
    async check(world) {
      await world.publish([quoteOf(), quoteOf({ bid: "99", ask: "100" })]);
      same("the prints after two quotes", world.delivered.prints, []);
    },
  },
};

/** Rules of a connection that breaks. */
const outages: QuoteRules = {
  "complaint 35: after a reconnect the current quote of each market arrives, and each later quote once": {
    remedy:
      "Subscribe again after each connection, and ask for the current quotes. Remove the old subscription first.",
    where: { reconnects: true },
    async check(world) {
      const symbols = ["BTC/USD", "ETH/USD"] as const;
      await world.publish(symbols.map((symbol) => quoteOf({ symbol })));
      await world.place.setOutage?.(true);
      const missed = symbols.map((symbol) =>
        quoteOf({ symbol, bid: "90", ask: "91", timeMs: quoteOf().timeMs + 1 }),
      );
      await world.publish(missed);
      await world.place.setOutage?.(false);
      await world.place.idle();
      const last = symbols.map((symbol) => world.quotes().findLast((quote) => quote.symbol === symbol));
      same("the last quote of each market after the reconnect", pricesOf(last.map(readQuote)), dueOf(missed));
      const before = world.delivered.quotes.length;
      const next = quoteOf({ bid: "80", ask: "81", timeMs: quoteOf().timeMs + 2 });
      await world.publish([next]);
      same("the quotes after one more quote", pricesOf(world.quotes()).slice(before), dueOf([next]));
    },
  },
  "complaint 35: after a reconnect, trades arrive again, and those of before have the ids that they had": {
    remedy:
      "Subscribe to the trades again, too, after each connection. Without them, every POV waits for ever. An id that contains the connection counts a trade of before twice.",
    where: { reconnects: true, prints: true },
    async check(world) {
      const [first, second] = [tradeOf(), tradeOf({ price: "90", tradeId: 2 })];
      await world.trade([first]);
      await world.place.setOutage?.(true);
      await world.place.setOutage?.(false);
      await world.place.idle();
      await world.trade([first, second]);
      const prints = world.prints();
      const last = prints.at(-1);
      same("the price of the last print after one more trade", last && parsePrice(last.price), price("90"));
      const different = new Set(prints.map(({ id }) => id)).size;
      same("the number of ids of two trades, one of which came again after the reconnect", different, 2);
    },
  },
  "complaint 34: while the connection is broken, nothing arrives that looks new": {
    remedy:
      "Send neither heartbeats nor the last quote again. The engine must see that the source is silent.",
    where: { reconnects: true },
    async check(world) {
      await world.publish([quoteOf()]);
      const { quotes, heartbeats } = world.delivered;
      const before = [quotes.length, heartbeats.length];
      await world.place.setOutage?.(true);
      await world.place.confirm?.("BTC/USD");
      await world.place.idle();
      same(
        "the number of quotes and heartbeats during the outage",
        [quotes.length, heartbeats.length],
        before,
      );
    },
  },
};

/** All rules of the market data port. */
export const quoteSourceRules: Readonly<Record<string, QuoteRules>> = { quotes, trades: prints, outages };

/**
 * Declares one test for each rule of the market data port. Every test has a feed of its own, which it creates and
 * removes. Throws a TypeError that names a part of the description that is missing, unknown or of the wrong type; a test
 * that fails throws a {@link ConformanceError}.
 *
 * @example
 * ```ts
 * import { describe, it } from "node:test";
 * import { type QuoteSourcePlace, testQuoteSource } from "managed-orders/conformance";
 *
 * export const declareTests = (createPlace: () => QuoteSourcePlace): void =>
 *   testQuoteSource({ describe, it }, {
 *     name: "my feed",
 *     supports: { times: true, sizes: true, prints: true, heartbeats: false, reconnects: true },
 *     createPlace,
 *   });
 * ```
 */
export function testQuoteSource(framework: TestFramework, subject: QuoteSourceSubject): void {
  quoteSourceSubject(subject, "testQuoteSource");
  declareSuite(framework, {
    port: "quote source",
    subject,
    groups: quoteSourceRules,
    open: (atEnd) => QuoteWorld.create(subject, atEnd),
  });
}
