/** Distance between consecutive managed ids of one shard. */
const STRIDE = 256;

/** Ids of one shard that share a page. */
const IDS_PER_PAGE = 32;

type Page<V> = { readonly values: (V | undefined)[]; size: number };

/**
 * A map from order ids to values, for any number of orders. A single `Map` of a million entries moves all of them in
 * one step when it grows, which takes 50 ms and more. Here a page holds the values of 32 neighbouring ids of one
 * shard and is never moved. A value takes about 12 bytes where most ids of a shard have one, and a page of its own
 * where none of its neighbours has one.
 */
export class IdMap<V> {
  readonly #pages: Map<number, Page<V>> = new Map();
  #size = 0;

  /** Number of ids with a value. */
  get size(): number {
    return this.#size;
  }

  /** Returns the value of an id. */
  get(id: number): V | undefined {
    return this.#pages.get(pageOf(id))?.values[placeOf(id)];
  }

  /** Returns whether an id has a value. */
  has(id: number): boolean {
    return this.get(id) !== undefined;
  }

  /** Sets the value of an id. Undefined deletes it. */
  set(id: number, value: V): void {
    if (value === undefined) return void this.delete(id);
    const page = this.#page(id);
    const place = placeOf(id);
    if (page.values[place] === undefined) {
      page.size++;
      this.#size++;
    }
    page.values[place] = value;
  }

  /** Deletes the value of an id. Returns false if it has none. */
  delete(id: number): boolean {
    const number = pageOf(id);
    const page = this.#pages.get(number);
    const place = placeOf(id);
    if (page?.values[place] === undefined) return false;
    page.values[place] = undefined;
    this.#size--;
    if (--page.size === 0) this.#pages.delete(number);
    return true;
  }

  /**
   * Yields all values page by page, pages in order of creation, within a page by id, those nearer to zero first.
   * Values may be set and deleted meanwhile. Each value that stays is yielded once. A value added to an existing page
   * may be yielded; one on a new page is not.
   */
  values(): IterableIterator<V> {
    const pages = [...this.#pages.values()];
    let [number, place] = [0, 0];
    // Not a generator: an opening passes over all orders four times, and this one is inlined.
    const iterator: IterableIterator<V> = {
      next() {
        for (let page = pages[number]; page !== undefined; page = pages[++number], place = 0)
          while (place < IDS_PER_PAGE) {
            const value = page.values[place++];
            if (value !== undefined) return { done: false, value };
          }
        return { done: true, value: undefined };
      },
      [Symbol.iterator]: () => iterator,
    };
    return iterator;
  }

  #page(id: number): Page<V> {
    const number = pageOf(id);
    let page = this.#pages.get(number);
    if (page === undefined) {
      page = { values: new Array<V | undefined>(IDS_PER_PAGE).fill(undefined), size: 0 };
      this.#pages.set(number, page);
    }
    return page;
  }
}

/** Read-only view of an {@link IdMap}. */
export type ReadonlyIdMap<V> = Pick<IdMap<V>, "size" | "get" | "has" | "values">;

const countOf = (id: number): number => Math.floor(Math.abs(id) / STRIDE);
const placeOf = (id: number): number => countOf(id) % IDS_PER_PAGE;
const pageOf = (id: number): number =>
  Math.floor(countOf(id) / IDS_PER_PAGE) * STRIDE + (Math.abs(id) % STRIDE);
