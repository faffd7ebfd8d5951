import { invariant } from "../../errors/index.ts";

/** The records of one shard: their texts by sequence. */
export class KeptRecords {
  readonly texts: Map<number, string> = new Map();
  #last = 0;
  #forgotten = 0;

  /** Sequence of the last record, 0 for none. */
  get last(): number {
    return this.#last;
  }

  /** The highest sequence that was ever deleted, 0 for none. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Adds the text of the record after the last one. */
  push(text: string): void {
    this.#last += 1;
    this.texts.set(this.#last, text);
  }

  /** Returns at most `limit` records above `after`. Throws an InvariantError I54 if one above `forgotten` is missing. */
  above(after: number, limit: number): readonly (readonly [sequence: number, text: string])[] {
    const found: [number, string][] = [];
    for (let sequence = after + 1; sequence <= this.#last && found.length < limit; sequence++) {
      const text = this.texts.get(sequence);
      if (text !== undefined) found.push([sequence, text]);
      else invariant(sequence <= this.#forgotten, "I54", `the journal has a gap at record ${sequence}`);
    }
    return found;
  }

  /** Deletes records. */
  forget(sequences: readonly number[]): void {
    for (const sequence of sequences) {
      this.texts.delete(sequence);
      this.#forgotten = Math.max(this.#forgotten, sequence);
    }
  }
}
