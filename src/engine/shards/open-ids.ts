/** A chunk of ids is cut in two when it holds more than this: little to move when one comes or goes. */
const MOST_IN_CHUNK = 512;

/** Managed ids of one account in order of creation, which is falling. They lie in chunks, so that none costs more than one. */
export class OpenIds {
  /** None of them is empty. */
  readonly #chunks: number[][] = [];
  #size = 0;
  /** Rises whenever an id comes or goes. */
  #changes = 0;

  get size(): number {
    return this.#size;
  }

  /** Does nothing with an id that is there. */
  add(id: number): void {
    const number = this.#chunkOf(id);
    const chunk = this.#chunks[number];
    if (chunk === undefined) this.#chunks.push([id]);
    else {
      const index = rankOf(chunk, id);
      if (chunk[index] === id) return;
      chunk.splice(index, 0, id);
      if (chunk.length > MOST_IN_CHUNK) this.#cut(number, chunk);
    }
    this.#size++;
    this.#changes++;
  }

  /** False for an id that was not there. */
  remove(id: number): boolean {
    const number = this.#chunkOf(id);
    const chunk = this.#chunks[number] ?? [];
    const index = rankOf(chunk, id);
    if (chunk[index] !== id) return false;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(number, 1);
    this.#size--;
    this.#changes++;
    return true;
  }

  /** Ids after a cursor: falling from it, or rising when `newestFirst`; cursor 0 starts. Ids may come and go meanwhile. */
  *after(cursor: number, newestFirst: boolean): IterableIterator<number> {
    let last = cursor;
    for (let ids = this.#next(last, newestFirst); ids.length > 0; ids = this.#next(last, newestFirst)) {
      const changes = this.#changes;
      for (const id of ids) {
        last = id;
        if (this.#changes === changes || this.#has(id)) yield id;
      }
    }
  }

  #has(id: number): boolean {
    const chunk = this.#chunks[this.#chunkOf(id)] ?? [];
    return chunk[rankOf(chunk, id)] === id;
  }

  /** What comes next after an id in one direction: the rest of its chunk, else the whole next one. */
  #next(id: number, isRising: boolean): readonly number[] {
    if (id === 0) return isRising ? [...(this.#chunks.at(-1) ?? [])].reverse() : [...(this.#chunks[0] ?? [])];
    const number = this.#chunkOf(id);
    const chunk = this.#chunks[number] ?? [];
    const rank = rankOf(chunk, id);
    if (isRising) return (rank > 0 ? chunk.slice(0, rank) : [...(this.#chunks[number - 1] ?? [])]).reverse();
    const rest = chunk.slice(chunk[rank] === id ? rank + 1 : rank);
    return rest.length > 0 ? rest : [...(this.#chunks[number + 1] ?? [])];
  }

  /** New ids come at the end: a full chunk there is left as it is, any other is cut in the middle. */
  #cut(number: number, chunk: number[]): void {
    const isLast = number === this.#chunks.length - 1;
    this.#chunks.splice(number + 1, 0, chunk.splice(isLast ? MOST_IN_CHUNK : MOST_IN_CHUNK / 2));
  }

  /** The last chunk that begins at or above an id, or the first. */
  #chunkOf(id: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#chunks[middle]?.[0] ?? 0) >= id) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** How many of the falling ids stand above `id`: where it stands, or would stand. */
function rankOf(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? 0) > id) low = middle + 1;
    else high = middle;
  }
  return low;
}
