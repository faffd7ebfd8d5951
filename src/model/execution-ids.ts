/** Keys that the versions of one collection share. Each version sees the first `size` of them. */
type Log = { readonly keys: string[]; places: Places | undefined };

/** The place of each key, and for each id the first place at which a child has it. */
type Places = Readonly<{ keys: Map<string, number>; ids: Map<string, number> }>;

/** Size up to which keys are searched linearly. Larger collections get an index. */
const FEW = 16;

/**
 * An immutable collection of executions, oldest first. An execution is identified by its child and its execution id: a venue
 * may number executions per order, per day or per market, so that ids repeat from child to child (invariant I15). Adding
 * one creates another collection and leaves this one unchanged. Both share their common part, so adding takes the same time
 * at any size, and so does a look-up.
 *
 * @example
 * ```ts
 * import { ExecutionIds } from "managed-orders/rules";
 * const one = ExecutionIds.NONE.with("aqc-74-mggs-1", "x1");
 * const two = one.with("aqc-74-mggs-2", "x1");
 * console.log(one.has("aqc-74-mggs-2", "x1"), two.has("aqc-74-mggs-2", "x1"), [...two].join()); // false true 1 x1,2 x1
 * ```
 */
export class ExecutionIds implements Iterable<string> {
  /** No executions. */
  static readonly NONE: ExecutionIds = new ExecutionIds({ keys: [], places: undefined }, 0);
  /** Number of executions. */
  readonly size: number;
  readonly #log: Log;

  private constructor(log: Log, size: number) {
    this.#log = log;
    this.size = size;
  }

  /** Creates a collection from an array of unique texts that {@link ExecutionIds.toJSON} has returned. */
  static of(keys: readonly string[]): ExecutionIds {
    return keys.length === 0
      ? ExecutionIds.NONE
      : new ExecutionIds({ keys: [...keys], places: undefined }, keys.length);
  }

  /** Returns whether an execution of a child of this parent was counted. */
  has(childId: string, executionId: string): boolean {
    const key = keyOf(childId, executionId);
    const { keys } = this.#log;
    if (this.size > FEW) return (this.#places().keys.get(key) ?? this.size) < this.size;
    for (let place = 0; place < this.size; place++) if (keys[place] === key) return true;
    return false;
  }

  /** Returns whether an execution of any child with this id was counted. */
  names(executionId: string): boolean {
    return this.size > 0 && (this.#places().ids.get(executionId) ?? this.size) < this.size;
  }

  /** Returns these executions and one more, which must be new. */
  with(childId: string, executionId: string): ExecutionIds {
    const isNewest = this.size > 0 && this.#log.keys.length === this.size;
    const log: Log = isNewest ? this.#log : { keys: [...this], places: undefined };
    const key = keyOf(childId, executionId);
    log.keys.push(key);
    if (log.places !== undefined) addPlace(log.places, key, this.size);
    return new ExecutionIds(log, this.size + 1);
  }

  /** The newest execution id; undefined when there is none. */
  get last(): string | undefined {
    const key = this.#log.keys[this.size - 1];
    return this.size === 0 || key === undefined ? undefined : idIn(key);
  }

  /** Yields the executions in the order in which they were added: the attempt of the child, a space, and the id. */
  *[Symbol.iterator](): IterableIterator<string> {
    for (let place = 0; place < this.size; place++) yield this.#log.keys[place] ?? "";
  }

  /** Returns the executions in the format of journals and snapshots. */
  toJSON(): readonly string[] {
    const { keys } = this.#log;
    return keys.length === this.size ? keys : keys.slice(0, this.size);
  }

  #places(): Places {
    const { keys, places } = this.#log;
    if (places !== undefined) return places;
    const built: Places = { keys: new Map(), ids: new Map() };
    for (const [place, key] of keys.entries()) addPlace(built, key, place);
    this.#log.places = built;
    return built;
  }
}

/** The children of a parent differ in the last part of their ids, the attempt. */
const keyOf = (childId: string, executionId: string): string =>
  `${childId.slice(childId.lastIndexOf("-") + 1)} ${executionId}`;

const idIn = (key: string): string => key.slice(key.indexOf(" ") + 1);

function addPlace({ keys, ids }: Places, key: string, place: number): void {
  keys.set(key, place);
  const id = idIn(key);
  if (!ids.has(id)) ids.set(id, place);
}
