import type { Price } from "../decimal/index.ts";
import type { Activation, MarketMark } from "../model/index.ts";
import { currentGroup, type Entry } from "./entry.ts";
import { everyHit, type Hit, levelHit } from "./firing-order.ts";
import { LevelHeaps } from "./level-heaps.ts";
import type { MarketOf, MarkHistory } from "./mark-history.ts";
import { MarkRecorder } from "./mark-recorder.ts";
import { TrailingGroups } from "./trailing-groups.ts";
import type { Watcher } from "./watch.ts";

/** What a quote did on both sides, before it is put in order. */
export type Outcome = Readonly<{
  hits: Hit[];
  activated: Readonly<{ watcher: Watcher; activation: Activation }>[];
}>;

/** The part of a trigger book that observes one side of the market. */
export class SideBook {
  readonly #levels: LevelHeaps = new LevelHeaps();
  readonly #groups: TrailingGroups;
  readonly #marks: MarkRecorder;
  /** Entries that fire on the next quote. */
  readonly #every: Set<Entry> = new Set();
  /** Trailing entries that become active at the end of the next quote, or of this one. */
  readonly #activating: Set<Entry> = new Set();

  constructor(market: MarketOf, history: MarkHistory) {
    this.#groups = new TrailingGroups(market.side);
    this.#marks = new MarkRecorder(market, history);
  }

  /** Takes in an entry whose watch observes this side. */
  add(entry: Entry): void {
    const { watch } = entry.watcher;
    if (watch.kind === "every") this.#every.add(entry);
    else if (watch.kind === "level") this.#levels.add(entry, watch.condition);
    else if (watch.activation !== undefined)
      this.#groups.restore(entry, this.#marks.referenceSince(watch.activation));
    else if (watch.gate !== undefined) this.#levels.add(entry, watch.gate);
    else this.#activating.add(entry);
  }

  /** Removes an entry that is in this book. */
  remove(entry: Entry): void {
    const { watch } = entry.watcher;
    if (watch.kind === "every") this.#every.delete(entry);
    else if (watch.kind === "level") this.#levels.remove(entry, watch.condition);
    else if (entry.group !== undefined) this.#groups.remove(entry);
    else if (watch.gate !== undefined) this.#levels.remove(entry, watch.gate);
    else this.#activating.delete(entry);
  }

  /** The reference of an active trailing entry. */
  reference(entry: Entry): Price | undefined {
    return currentGroup(entry)?.reference;
  }

  /** Checks every condition with the references as they are, then moves these, then activates (decision 20). */
  observe(price: Price, timeMs: number, outcome: Outcome): void {
    if (this.#every.size > 0) this.#fireEvery(price, outcome.hits);
    this.#takeMetLevels(price, outcome.hits);
    this.#groups.fire(price, outcome.hits);
    if (this.#groups.move(price)) this.#marks.move(price, timeMs);
    if (this.#activating.size > 0) this.#activate(price, timeMs, outcome);
  }

  /** Whether marks were made since the last call of {@link takeMarks}. */
  get hasMarks(): boolean {
    return this.#marks.hasUntaken;
  }

  /** The marks made since the last call. */
  takeMarks(): readonly MarketMark[] {
    return this.#marks.take();
  }

  #fireEvery(price: Price, hits: Hit[]): void {
    for (const entry of this.#every) hits.push(everyHit(entry.watcher, price));
    this.#every.clear();
  }

  #takeMetLevels(price: Price, hits: Hit[]): void {
    for (let entry = this.#levels.takeMet(price); entry !== undefined; entry = this.#levels.takeMet(price)) {
      const { watch } = entry.watcher;
      if (watch.kind === "level")
        hits.push(levelHit(entry.watcher, { observed: price, level: watch.condition.level }));
      else this.#activating.add(entry);
    }
  }

  #activate(price: Price, timeMs: number, outcome: Outcome): void {
    const activation = { position: this.#marks.seed(price, timeMs), seed: price };
    for (const entry of this.#activating) {
      this.#groups.join(entry, price);
      outcome.activated.push({ watcher: entry.watcher, activation });
    }
    this.#activating.clear();
  }
}
