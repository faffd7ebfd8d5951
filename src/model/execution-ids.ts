/** Ids that the versions of one collection share. Each version sees the first `size` of them. */
type Log = { readonly ids: string[]; places: Map<string, number> | undefined };

/** Size up to which ids are searched linearly. Larger collections get an index. */
const FEW = 16;

/**
 * An immutable collection of unique execution ids, oldest first. Adding an id creates another collection and leaves
 * this one unchanged. Both share their common part, so adding an id takes the same time at any size, and so does a
 * look-up (invariant I15).
 *
 *
 * @example
 * ```ts
 * import { ExecutionIds } from "managed-orders/rules";
 * const one = ExecutionIds.of(["x1"]);
 * const two = one.with("x2");
 * console.log(one.has("x2"), two.has("x2"), [...two].join()); // false true x1,x2
 * ```
 */
export class ExecutionIds implements Iterable<string> {
  /** No ids. */
  static readonly NONE: ExecutionIds = new ExecutionIds({ ids: [], places: undefined }, 0);
  /** Number of ids. */
  readonly size: number;
  readonly #log: Log;

  private constructor(log: Log, size: number) {
    this.#log = log;
    this.size = size;
  }

  /** Creates a collection from an array of unique ids. */
  static of(ids: readonly string[]): ExecutionIds {
    return ids.length === 0
      ? ExecutionIds.NONE
      : new ExecutionIds({ ids: [...ids], places: undefined }, ids.length);
  }

  /** Returns whether an execution was counted. */
  has(id: string): boolean {
    const { ids } = this.#log;
    if (this.size > FEW) return (this.#places().get(id) ?? this.size) < this.size;
    for (let place = 0; place < this.size; place++) if (ids[place] === id) return true;
    return false;
  }

  /** Returns these ids and one more, which must be new. */
  with(id: string): ExecutionIds {
    const isNewest = this.size > 0 && this.#log.ids.length === this.size;
    const log: Log = isNewest ? this.#log : { ids: [...this], places: undefined };
    log.ids.push(id);
    log.places?.set(id, this.size);
    return new ExecutionIds(log, this.size + 1);
  }

  /** The newest id; undefined when there is none. */
  get last(): string | undefined {
    return this.size === 0 ? undefined : this.#log.ids[this.size - 1];
  }

  /** Yields the ids in the order in which they were added. */
  *[Symbol.iterator](): IterableIterator<string> {
    for (let place = 0; place < this.size; place++) yield this.#log.ids[place] ?? "";
  }

  /** Returns the ids in the format of journals and snapshots. */
  toJSON(): readonly string[] {
    const { ids } = this.#log;
    return ids.length === this.size ? ids : ids.slice(0, this.size);
  }

  #places(): ReadonlyMap<string, number> {
    this.#log.places ??= new Map(this.#log.ids.map((id, place) => [id, place]));
    return this.#log.places;
  }
}
