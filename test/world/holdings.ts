import { MARKET_SHARD } from "../../src/model/index.ts";

/** All shards, and the market journal. */
export const EVERY_SHARD: readonly number[] = Array.from({ length: MARKET_SHARD + 1 }, (_, shard) => shard);

/** One time for which a process had a shard. */
type Span = {
  readonly fromMs: number;
  /** When another process took the shard. */
  lostAtMs: number | undefined;
  /** When this process gave the shard back by itself. */
  releasedAtMs: number | undefined;
};

/**
 * The shards that a process has taken over, as the store knows it, with the market journal as one of them. All times are
 * true times.
 */
export class Holdings {
  readonly #spans: Map<number, Span[]> = new Map();

  /** Notes that the process has taken a shard. One that it owns already stays as it is. */
  take(shard: number, atMs: number): void {
    if (this.owns(shard)) return;
    const spans = this.#spans.get(shard) ?? [];
    spans.push({ fromMs: atMs, lostAtMs: undefined, releasedAtMs: undefined });
    this.#spans.set(shard, spans);
  }

  /** Notes that another process has taken a shard. */
  lose(shard: number, atMs: number): void {
    const span = this.#last(shard);
    if (span !== undefined) span.lostAtMs ??= atMs;
  }

  /** Notes that the process has given a shard back. */
  release(shard: number, atMs: number): void {
    const span = this.#last(shard);
    if (span !== undefined && span.lostAtMs === undefined) span.releasedAtMs ??= atMs;
  }

  /** Notes that the process has given everything back. */
  releaseAll(atMs: number): void {
    for (const shard of this.#spans.keys()) this.release(shard, atMs);
  }

  /** Whether the process owns a shard. */
  owns(shard: number): boolean {
    return this.isLast(shard) && this.#last(shard)?.releasedAtMs === undefined;
  }

  /** Whether no other process has taken a shard since this one did, whether or not it has given it back. */
  isLast(shard: number): boolean {
    const span = this.#last(shard);
    return span !== undefined && span.lostAtMs === undefined;
  }

  /** Whether the process has given a shard back, and nobody has taken it since. */
  hasReleased(shard: number): boolean {
    return this.isLast(shard) && !this.owns(shard);
  }

  /** Whether the process has ever owned a shard. */
  hadOnce(shard: number): boolean {
    return this.#spans.has(shard);
  }

  /** Whether the process owned a shard at a time. */
  ownedAt(shard: number, atMs: number): boolean {
    const spans = this.#spans.get(shard) ?? [];
    return spans.some(
      ({ fromMs, lostAtMs = atMs, releasedAtMs = atMs }) =>
        fromMs <= atMs && Math.min(lostAtMs, releasedAtMs) >= atMs,
    );
  }

  /** When another process took a shard that this one had taken last; undefined if none has. */
  lostAtMs(shard: number): number | undefined {
    return this.#last(shard)?.lostAtMs;
  }

  /** Returns what tells two times of owning a shard apart; undefined if the process does not own it. */
  spanOf(shard: number): unknown {
    return this.owns(shard) ? this.#last(shard) : undefined;
  }

  /** The shards that the process owns. */
  get owned(): readonly number[] {
    return [...this.#spans.keys()].filter((shard) => this.owns(shard));
  }

  #last(shard: number): Span | undefined {
    return this.#spans.get(shard)?.at(-1);
  }
}
