/** A run of missing records of a shard, both ends included. */
export interface MissingRecords {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
}

/** Notes which records of a shard were seen, with their checksums: about 4 bytes for each. */
export class SeenRecords {
  readonly #checksums: Uint32Array;
  readonly #seen: Uint8Array;

  /** `last` is the sequence of the last record. */
  constructor(last: number) {
    this.#checksums = new Uint32Array(last + 1);
    this.#seen = new Uint8Array((last >>> 3) + 1);
  }

  /**
   * Notes a record. `again`: it was seen with the same checksum. `other`: it was seen with another one, or is beyond the
   * last record.
   */
  note(sequence: number, checksum: number): "first" | "again" | "other" {
    if (sequence < 1 || sequence >= this.#checksums.length) return "other";
    if (this.#has(sequence)) return this.#checksums[sequence] === checksum ? "again" : "other";
    this.#seen[sequence >>> 3] = (this.#seen[sequence >>> 3] ?? 0) | (1 << (sequence & 7));
    this.#checksums[sequence] = checksum;
    return "first";
  }

  /** Yields the runs of records from `from` on that were not seen. */
  *missing(from: number): Generator<Readonly<{ from: number; to: number }>> {
    let start = 0;
    for (let sequence = Math.max(1, from); sequence <= this.#checksums.length; sequence++) {
      const isMissing = sequence < this.#checksums.length && !this.#has(sequence);
      if (isMissing && start === 0) start = sequence;
      if (isMissing || start === 0) continue;
      yield { from: start, to: sequence - 1 };
      start = 0;
    }
  }

  #has(sequence: number): boolean {
    return ((this.#seen[sequence >>> 3] ?? 0) & (1 << (sequence & 7))) !== 0;
  }
}
