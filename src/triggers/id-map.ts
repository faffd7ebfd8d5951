/** Ids that stand close together share a page: 64 managed ids of one shard, or of each of the 256. */
const IDS_PER_PAGE: number = 64 * 256;

/**
 * Values by order id, of any number of orders. One `Map` of a million moves all of them in one step when it grows,
 * 50 ms and more; here a page holds those of neighbouring ids, and only a page ever grows.
 *
 * @example
 * ```ts
 * import { IdMap } from "managed-orders";
 * const ids = new IdMap<string>();
 * ids.set(-256, "first");
 * console.log(ids.get(-256), ids.size); // first 1
 * ```
 */
export class IdMap<V> {
  readonly #pages: Map<number, Map<number, V>> = new Map();
  #size = 0;

  /** How many ids have a value. */
  get size(): number {
    return this.#size;
  }

  /** The value of an id. */
  get(id: number): V | undefined {
    return this.#pages.get(pageOf(id))?.get(id);
  }

  /** Whether an id has a value. */
  has(id: number): boolean {
    return this.#pages.get(pageOf(id))?.has(id) === true;
  }

  /** Gives an id a value. */
  set(id: number, value: V): void {
    const page = this.#page(id);
    const before = page.size;
    page.set(id, value);
    this.#size += page.size - before;
  }

  /** Takes the value of an id away; false when it has none. */
  delete(id: number): boolean {
    const number = pageOf(id);
    const page = this.#pages.get(number);
    if (page?.delete(id) !== true) return false;
    this.#size--;
    if (page.size === 0) this.#pages.delete(number);
    return true;
  }

  /**
   * All values, page by page in the order in which the pages came, in each in the order in which the ids came. Values
   * may be set and deleted meanwhile: each that stays is yielded once, one that comes on a page of now may be, one on a
   * later page is not.
   */
  *values(): IterableIterator<V> {
    for (const page of [...this.#pages.values()]) yield* page.values();
  }

  #page(id: number): Map<number, V> {
    const number = pageOf(id);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = new Map();
      this.#pages.set(number, page);
    }
    return page;
  }
}

/** Such values to read. */
export type ReadonlyIdMap<V> = Pick<IdMap<V>, "size" | "get" | "has" | "values">;

const pageOf = (id: number): number => Math.floor(Math.abs(id) / IDS_PER_PAGE);
