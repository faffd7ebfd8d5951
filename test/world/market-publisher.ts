import type { Random } from "../../src/common/random.ts";
import type { PrintInput, QuoteInput, QuoteVerdict } from "../../src/ports/index.ts";
import type { Instance } from "./instance.ts";
import type { BadQuote, Market, ReportedQuote } from "./market.ts";
import type { WorldParts } from "./parts.ts";
import { readSeen } from "./seen-markets.ts";

/**
 * Faults of quotes that can never count. Other bad quotes may count, if the previous quote confirms them or their time
 * has come.
 */
const NEVER: readonly BadQuote[] = ["zero", "crossed", "malformed"];

/** Writes a decimal as many markets do: with eight decimals, of which the last are zeros. */
const eight = (text: string): string => {
  const [whole = "", decimals = ""] = text.split(".");
  return /^[0-9]+(\.[0-9]{1,8})?$/.test(text) ? `${whole}.${decimals.padEnd(8, "0")}` : text;
};

function inEightDecimals(quote: QuoteInput): QuoteInput {
  const { bid, ask, bidQuantity, askQuantity } = quote;
  return {
    ...quote,
    bid: eight(bid),
    ask: eight(ask),
    ...(bidQuantity !== undefined && { bidQuantity: eight(bidQuantity) }),
    ...(askQuantity !== undefined && { askQuantity: eight(askQuantity) }),
  };
}

/** Sends a quote to a process, judges its verdict (I30), and records a quote that it has counted. */
export function showQuote(parts: WorldParts, instance: Instance, reported: ReportedQuote): void {
  instance.enter(() => {
    const { wallMs: nowMs, monotonicMs } = instance.now(parts.time);
    const quote = { ...reported.quote, timeMs: reported.quote.timeMs ?? nowMs };
    const verdict = instance.sink?.quote(reported.quote);
    if (verdict === undefined) return;
    observedVerdict(parts, instance, { ...reported, quote }, verdict);
    const { requireThat, plan } = parts;
    const seen = readSeen(quote, quote.timeMs);
    if (verdict !== "counted")
      return instance.markets.dropped(quote.symbol, verdict, seen, plan.settings.quoteJumpFactor);
    const ageMs = nowMs - quote.timeMs;
    const isTimely = ageMs <= plan.settings.quoteMaxAgeMs && -ageMs <= plan.settings.quoteMaxAheadMs;
    const isGood =
      seen !== undefined && isTimely && (reported.bad === undefined || !NEVER.includes(reported.bad));
    requireThat(isGood, "I30", () => `a quote counts: ${JSON.stringify(quote)}, ${ageMs} ms old`);
    if (seen !== undefined) instance.markets.counted(seen, monotonicMs);
  });
}

/** Sends a heartbeat of a market to a process. */
export function showHeartbeat({ time }: WorldParts, instance: Instance, symbol: string): void {
  instance.enter(() => {
    if (instance.sink === undefined) return;
    instance.sink.heartbeat(symbol);
    const isFirst = instance.engine?.quote(symbol) !== undefined;
    instance.markets.heartbeat(symbol, instance.now(time), isFirst);
  });
}

function observedVerdict(
  { situations, time }: WorldParts,
  instance: Instance,
  { bad, quote }: ReportedQuote,
  verdict: QuoteVerdict,
): void {
  if (verdict === "jump") situations.observe("jump held back");
  if (verdict === "counted" && bad === "jump") situations.observe("jump confirmed");
  if (verdict === "stale") situations.observe("stale quote dropped");
  if (verdict === "future") situations.observe("future quote dropped");
  if (verdict === "out-of-order") situations.observe("quote out of order dropped");
  if (verdict === "zero" || verdict === "crossed" || verdict === "malformed")
    situations.observe("bad quote dropped");
  const { monotonicMs } = instance.now(time);
  const isLate = instance.markets.ageMs(quote.symbol, { wallMs: quote.timeMs ?? 0, monotonicMs }) > 5_000;
  if (isLate && instance.markets.last(quote.symbol) !== undefined)
    situations.observe("no quote for longer than its age");
}

/** Publishes the data of the markets. */
export class MarketPublisher {
  readonly #parts: WorldParts;
  readonly #random: Random;
  readonly #decimals: Random;
  #silentUntilMs = 0;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#decimals = parts.random.of("written decimals");
    this.#random = parts.random.of("market desk");
  }

  /** Publishes one quote of one market to all processes. */
  quote(): void {
    const { fleet, time, faults } = this.#parts;
    const market = this.#market();
    const reported = market.next(time.trueMs);
    const gapMs = 2_000 + this.#random.below(12_000);
    if (faults.strikes("quotes leave gaps", this.#random, 0.01)) this.#silentUntilMs = time.trueMs + gapMs;
    if (time.trueMs < this.#silentUntilMs) return;
    const shown = this.#isInEight() ? { ...reported, quote: inEightDecimals(reported.quote) } : reported;
    for (const instance of fleet.alive) showQuote(this.#parts, instance, shown);
  }

  /** Publishes a trade. */
  print(): void {
    const { fleet, time, tape } = this.#parts;
    const print = tape.next(this.#market().symbol, time.wallMs);
    const { price, quantity } = print;
    const reported = this.#isInEight() ? { ...print, price: eight(price), quantity: eight(quantity) } : print;
    for (const instance of fleet.alive)
      instance.enter(() => {
        if (instance.sink !== undefined && !this.#isFuture(print, instance))
          tape.receivedBy(instance.generation, print);
        instance.sink?.print(reported);
      });
  }

  /** Whether a trade is in the future by the clock of a process, which then does not count it until it reads it as stored. */
  #isFuture({ timeMs }: PrintInput, instance: Instance): boolean {
    const { time, plan } = this.#parts;
    const { wallMs } = instance.now(time);
    return (timeMs ?? wallMs) - wallMs > plan.settings.quoteMaxAheadMs;
  }

  /** Sends a heartbeat of every source, so that quotes stay fresh. */
  heartbeat(): void {
    const { fleet, markets, time } = this.#parts;
    if (time.trueMs < this.#silentUntilMs) return;
    for (const instance of fleet.alive)
      for (const { symbol } of markets) showHeartbeat(this.#parts, instance, symbol);
  }

  #isInEight(): boolean {
    return this.#parts.faults.strikes("market writes eight decimals", this.#decimals, 0.3);
  }

  #market(): Market {
    return this.#random.pick(this.#parts.markets);
  }
}
