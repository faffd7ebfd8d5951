import { partitionPoint } from "../../common/index.ts";

/** Size above which a chunk of ids is split. It limits how many ids an insertion or removal moves. */
const MOST_IN_CHUNK = 512;

/**
 * Managed ids of one account in creation order, which is descending. They are stored in chunks, so that an insertion
 * or removal touches one chunk.
 */
export class OpenIds {
  /** Chunks are never empty. */
  readonly #chunks: number[][] = [];
  #size = 0;
  /** Rises with every insertion and removal. */
  #changes = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an id. Does nothing if it is there already. */
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

  /** Removes an id. Returns false if it was not there. */
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

  /**
   * Yields the ids after a cursor, in falling order, or in rising order with `newestFirst`. Cursor 0 starts. Ids may
   * be added and removed during the iteration.
   */
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

  /** Returns the ids after an id in one direction: the rest of its chunk, or the whole next chunk. */
  #next(id: number, isRising: boolean): readonly number[] {
    if (id === 0) return isRising ? [...(this.#chunks.at(-1) ?? [])].reverse() : [...(this.#chunks[0] ?? [])];
    const number = this.#chunkOf(id);
    const chunk = this.#chunks[number] ?? [];
    const rank = rankOf(chunk, id);
    if (isRising) return (rank > 0 ? chunk.slice(0, rank) : [...(this.#chunks[number - 1] ?? [])]).reverse();
    const rest = chunk.slice(chunk[rank] === id ? rank + 1 : rank);
    return rest.length > 0 ? rest : [...(this.#chunks[number + 1] ?? [])];
  }

  /** Splits a chunk. New ids come at the end, so a full last chunk stays whole; any other is split in the middle. */
  #cut(number: number, chunk: number[]): void {
    const isLast = number === this.#chunks.length - 1;
    this.#chunks.splice(number + 1, 0, chunk.splice(isLast ? MOST_IN_CHUNK : MOST_IN_CHUNK / 2));
  }

  /** Returns the index of the last chunk that begins at or above an id, or 0. */
  #chunkOf(id: number): number {
    return Math.max(0, partitionPoint(this.#chunks, ([first = 0]) => first >= id) - 1);
  }
}

/** Returns how many of the descending ids are above `id`, which is its index or insertion point. */
function rankOf(ids: readonly number[], id: number): number {
  return partitionPoint(ids, (other) => other > id);
}
