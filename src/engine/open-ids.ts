/** Managed ids of one account in order of creation, which is falling; removed ones stay until a third are. */
export class OpenIds {
  #ids: number[] = [];
  readonly #open: Set<number> = new Set();

  get size(): number {
    return this.#open.size;
  }

  /** Does nothing with an id that is there. */
  add(id: number): void {
    if (this.#open.has(id)) return;
    const last = this.#ids.at(-1);
    this.#ids.push(id);
    if (last !== undefined && id > last) this.#ids.sort((a, b) => b - a);
    this.#open.add(id);
  }

  /** False for an id that was not there. */
  remove(id: number): boolean {
    if (!this.#open.delete(id)) return false;
    if (this.#ids.length > 32 && this.#open.size * 3 < this.#ids.length * 2)
      this.#ids = this.#ids.filter((one) => this.#open.has(one));
    return true;
  }

  /** Ids after a cursor: falling from it, or rising when `newestFirst`; cursor 0 starts. */
  *after(cursor: number, newestFirst: boolean): IterableIterator<number> {
    const ids = this.#ids;
    const step = newestFirst ? -1 : 1;
    for (let index = this.#start(cursor, newestFirst); index >= 0 && index < ids.length; index += step) {
      const id = ids[index];
      if (id !== undefined && this.#open.has(id)) yield id;
    }
  }

  /** Index of the first id beyond the cursor in the direction of reading (binary search: ids fall). */
  #start(cursor: number, newestFirst: boolean): number {
    if (cursor === 0) return newestFirst ? this.#ids.length - 1 : 0;
    let low = 0;
    let high = this.#ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const id = this.#ids[middle] ?? 0;
      if (newestFirst ? id > cursor : id >= cursor) low = middle + 1;
      else high = middle;
    }
    return newestFirst ? low - 1 : low;
  }
}
