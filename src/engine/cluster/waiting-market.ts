import { readPrintInput, readQuoteInput } from "../../host-answers/index.ts";
import type { Instruments, MarketSink, PrintInput, QuoteInput, QuoteVerdict } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { Fifo } from "../core/fifo.ts";
import { QuoteGate } from "../market/quote-gate.ts";

/**
 * The market as a standby sees it. It counts quotes in gates that the engine goes on with after a takeover, so that no
 * wild first quote is believed: the first one of each market must be confirmed by a second near it. It keeps the prints
 * of the last two ttl, of which the engine counts those that the owner of the shards did not.
 */
export class WaitingMarket implements MarketSink {
  readonly gates: ReadonlyMap<string, QuoteGate>;
  readonly #core: Core;
  readonly #keepMs: number;
  readonly #prints: Fifo<Readonly<{ print: PrintInput; atMs: number }>> = new Fifo();
  #successor: MarketSink | undefined;

  constructor(core: Core, instruments: Instruments, ttlMs: number) {
    this.#core = core;
    this.#keepMs = 2 * ttlMs;
    this.gates = new Map(
      instruments.all().map(({ symbol }) => {
        const gate = new QuoteGate(core.settings);
        gate.remember({});
        return [symbol, gate];
      }),
    );
  }

  /** Gates that have counted a quote. */
  get warm(): ReadonlyMap<string, QuoteGate> {
    return new Map([...this.gates].filter(([, gate]) => gate.last !== undefined));
  }

  quote(said: QuoteInput): QuoteVerdict {
    if (this.#successor !== undefined) return this.#successor.quote(said);
    const input = readQuoteInput(said);
    const gate = input && this.gates.get(input.symbol);
    if (input === undefined) return "malformed";
    if (gate === undefined) return "unknown-symbol";
    const taken = gate.take(input, this.#core.time.moment());
    return typeof taken === "string" ? taken : "counted";
  }

  heartbeat(symbol: string): void {
    if (this.#successor !== undefined) return this.#successor.heartbeat(symbol);
    this.gates.get(symbol)?.heartbeat(this.#core.time.moment());
  }

  print(said: PrintInput): void {
    if (this.#successor !== undefined) return this.#successor.print(said);
    if (readPrintInput(said) === undefined) return;
    const atMs = this.#core.monotonicMs();
    this.#drop(atMs - this.#keepMs);
    this.#prints.push({ print: said, atMs });
  }

  /** Passes everything on to the engine that took over, the prints of the last two ttl first. */
  passOn(market: MarketSink): void {
    this.#drop(this.#core.monotonicMs() - this.#keepMs);
    this.#successor = market;
    for (let one = this.#prints.first; one !== undefined; one = this.#prints.first) {
      this.#prints.shift();
      market.print(one.print);
    }
  }

  #drop(beforeMs: number): void {
    const { maxPendingPrints } = this.#core.settings;
    for (let one = this.#prints.first; one !== undefined; one = this.#prints.first) {
      if (one.atMs >= beforeMs && this.#prints.size < maxPendingPrints) return;
      this.#prints.shift();
    }
  }
}
