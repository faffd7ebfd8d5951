import type { Core } from "../core/core.ts";
import type { Timers } from "../time/timers.ts";
import type { MarketHub } from "./market-hub.ts";

/** Markets that are named in one alert. */
const MOST_NAMED = 10;

/**
 * Finds markets that open orders watch and of which no quote has counted for `stalledAfterMs`. One timer looks at the
 * market that may be silent first, so that a quote costs nothing.
 */
export class QuoteWatch {
  readonly #core: Core;
  readonly #timers: Timers;
  readonly #market: MarketHub;
  /** By symbol: since when a market is watched, by the monotonic clock. */
  readonly #watchedSinceMs: Map<string, number> = new Map();
  readonly #stopped: Set<string> = new Set();
  #isWaiting = false;
  /** Ends the wait for an input, while no watched market has quotes. */
  #endSilence: (() => void) | undefined;

  constructor(core: Core, timers: Timers, market: MarketHub) {
    this.#core = core;
    this.#timers = timers;
    this.#market = market;
  }

  /** Looks at the markets from now on while open orders watch any. */
  begin(): void {
    if (!this.#isWaiting) return this.#look();
    if (this.#endSilence === undefined) return;
    // In silence no input comes: a market that is watched from now on would never be looked at.
    this.#endSilence();
    this.#look();
  }

  /** The markets whose quotes do not count. One with a fresh quote is none, also before the next look tells so. */
  get stopped(): readonly string[] {
    return [...this.#stopped].filter((symbol) => this.#market.now(symbol)?.fresh !== true);
  }

  /** Returns by which cause the quotes of a market do not count, in words. */
  causeOf(symbol: string): string {
    const dropped = this.#market.droppedSince(symbol);
    if (dropped === undefined) return "no quote comes";
    return `${dropped.count} dropped since the last that counted, the last one as ${dropped.last}`;
  }

  #look(): void {
    this.#isWaiting = false;
    this.#endSilence = undefined;
    const nowMs = this.#core.monotonicMs();
    const { stalledAfterMs } = this.#core.settings;
    const watched = this.#market.memory.watched();
    const [stopped, resumed]: [string[], string[]] = [[], []];
    let nextMs = nowMs + stalledAfterMs;
    for (const symbol of watched) {
      const atMs = this.#lastMs(symbol, nowMs) + stalledAfterMs;
      const isSilent = atMs <= nowMs && this.#market.now(symbol)?.fresh !== true;
      if (isSilent && !this.#stopped.has(symbol)) stopped.push(symbol);
      if (!isSilent && this.#stopped.delete(symbol)) resumed.push(symbol);
      if (!isSilent) nextMs = Math.min(nextMs, Math.max(atMs, nowMs + stalledAfterMs / 10));
    }
    this.#evict(new Set(watched));
    for (const symbol of stopped) this.#stopped.add(symbol);
    const { effects } = this.#core;
    if (stopped.length > 0) effects.emit({ kind: "QUOTES_STOPPED", detail: this.#named(stopped) });
    if (resumed.length > 0)
      effects.emit({ kind: "QUOTES_RESUMED", detail: `quotes count again: ${listed(resumed)}` });
    if (watched.length === 0) return;
    this.#isWaiting = true;
    // Once no market has quotes, only an input can change that.
    if (this.#stopped.size < watched.length) this.#timers.after(nextMs - nowMs, () => this.#look());
    else {
      const atMs = this.#core.nowMs() + stalledAfterMs / 10;
      this.#endSilence = this.#timers.whileQuoted(atMs, () => this.#look());
    }
  }

  /** Returns when the last counted quote of a market was confirmed, or since when it is watched if that is later. */
  #lastMs(symbol: string, nowMs: number): number {
    const sinceMs = this.#watchedSinceMs.get(symbol) ?? nowMs;
    this.#watchedSinceMs.set(symbol, sinceMs);
    return Math.max(sinceMs, this.#market.confirmedMs(symbol) ?? sinceMs);
  }

  /** Forgets the markets that no open order watches any more. */
  #evict(watched: ReadonlySet<string>): void {
    for (const symbol of this.#stopped) if (!watched.has(symbol)) this.#stopped.delete(symbol);
    for (const symbol of this.#watchedSinceMs.keys())
      if (!watched.has(symbol)) this.#watchedSinceMs.delete(symbol);
  }

  #named(symbols: readonly string[]): string {
    const seconds = this.#core.settings.stalledAfterMs / 1_000;
    const causes = symbols.slice(0, MOST_NAMED).map((symbol) => `${symbol} (${this.causeOf(symbol)})`);
    return `no quote has counted for ${seconds} s in a market that open orders watch: ${listed(causes, symbols.length)}`;
  }
}

/** Returns some names, and how many more there are. */
function listed(names: readonly string[], of: number = names.length): string {
  const more = of - Math.min(names.length, MOST_NAMED);
  return `${names.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
