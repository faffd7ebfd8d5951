import { readPrintInput, readQuoteInput } from "../../host-answers/index.ts";
import type { Instruments, MarketSink, PrintInput, QuoteInput, QuoteVerdict } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { Fifo } from "../core/fifo.ts";
import { ListedInstruments } from "../market/listed.ts";
import type { MarketHub } from "../market/market-hub.ts";
import { QuoteGate } from "../market/quote-gate.ts";

/** A print, and when it was heard by the monotonic clock and by the wall clock. */
type ReceivedPrint = Readonly<{ print: PrintInput; atMs: number; wallMs: number }>;

/**
 * The market as a node hears it before its engine runs. It counts quotes in gates that the engine goes on with, so that no wild
 * first quote is believed: the first one of each market must be confirmed by a second near it. It keeps the prints of the last
 * two ttl, which the engine then counts.
 */
export class WaitingMarket implements MarketSink {
  readonly gates: Map<string, QuoteGate> = new Map();
  readonly #listed: ListedInstruments;
  readonly #core: Core;
  readonly #retentionMs: number;
  readonly #prints: Fifo<ReceivedPrint> = new Fifo();
  #successor: MarketSink | undefined;

  constructor(core: Core, instruments: Pick<Instruments, "find">, ttlMs: number) {
    this.#core = core;
    this.#listed = new ListedInstruments(core, instruments);
    this.#retentionMs = 2 * ttlMs;
  }

  /** Returns the gate of a market; undefined if the host has no such instrument. */
  #gateOf(symbol: string): QuoteGate | undefined {
    const known = this.gates.get(symbol);
    if (known !== undefined || !this.#listed.has(symbol)) return known;
    const gate = new QuoteGate(this.#core.settings);
    gate.restore({});
    this.gates.set(symbol, gate);
    return gate;
  }

  quote(given: QuoteInput): QuoteVerdict {
    if (this.#successor !== undefined) return this.#successor.quote(given);
    const input = readQuoteInput(given);
    if (input === undefined) return "malformed";
    const gate = this.#gateOf(input.symbol);
    if (gate === undefined) return "unknown-symbol";
    const taken = gate.take(input, this.#core.time.moment());
    return typeof taken === "string" ? taken : "counted";
  }

  heartbeat(symbol: string): void {
    if (this.#successor !== undefined) return this.#successor.heartbeat(symbol);
    this.gates.get(symbol)?.heartbeat(this.#core.time.moment());
  }

  print(given: PrintInput): void {
    if (this.#successor !== undefined) return this.#successor.print(given);
    if (readPrintInput(given) === undefined) return;
    const atMs = this.#core.monotonicMs();
    this.#drop(atMs - this.#retentionMs);
    this.#prints.push({ print: given, atMs, wallMs: this.#core.time.moment().wallMs });
  }

  /** Passes everything on to the engine, the prints of the last two ttl first. A print is as old as it was when it was heard. */
  passOn(market: Pick<MarketHub, keyof MarketSink | "receivePrint">): void {
    this.#drop(this.#core.monotonicMs() - this.#retentionMs);
    this.#successor = market;
    for (let one = this.#prints.first; one !== undefined; one = this.#prints.first) {
      this.#prints.shift();
      market.receivePrint(one.print, one.wallMs);
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
