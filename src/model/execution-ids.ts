/** What the versions of one collection share: each sees the first so many ids. */
type Log = { readonly ids: string[]; places: Map<string, number> | undefined };

/** So few ids are looked through; more get an index. */
const FEW = 16;

/**
 * Ids of executions, each once, oldest first. A value: one more makes another collection and leaves this one as it is.
 * Both share what they have in common, so that one more costs the same however many there are, and so does a look-up.
 * Source: invariant I15.
 *
 * @example
 * ```ts
 * import { ExecutionIds } from "managed-orders";
 * const one = ExecutionIds.of(["x1"]);
 * const two = one.with("x2");
 * console.log(one.has("x2"), two.has("x2"), [...two].join()); // false true x1,x2
 * ```
 */
export class ExecutionIds implements Iterable<string> {
  /** No ids. */
  static readonly NONE: ExecutionIds = new ExecutionIds({ ids: [], places: undefined }, 0);
  /** How many ids. */
  readonly size: number;
  readonly #log: Log;

  private constructor(log: Log, size: number) {
    this.#log = log;
    this.size = size;
  }

  /** The ids of an array, which must hold each once. */
  static of(ids: readonly string[]): ExecutionIds {
    return ids.length === 0
      ? ExecutionIds.NONE
      : new ExecutionIds({ ids: [...ids], places: undefined }, ids.length);
  }

  /** Whether an execution was counted. */
  has(id: string): boolean {
    const { ids } = this.#log;
    if (this.size > FEW) return (this.#places().get(id) ?? this.size) < this.size;
    for (let place = 0; place < this.size; place++) if (ids[place] === id) return true;
    return false;
  }

  /** These ids and one more, which must not be among them. */
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

  *[Symbol.iterator](): IterableIterator<string> {
    for (let place = 0; place < this.size; place++) yield this.#log.ids[place] ?? "";
  }

  /** As journals and snapshots hold them. */
  toJSON(): readonly string[] {
    const { ids } = this.#log;
    return ids.length === this.size ? ids : ids.slice(0, this.size);
  }

  #places(): ReadonlyMap<string, number> {
    this.#log.places ??= new Map(this.#log.ids.map((id, place) => [id, place]));
    return this.#log.places;
  }
}
