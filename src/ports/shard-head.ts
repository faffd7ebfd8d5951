/** Head of a shard in the store: the epoch that owns it, and the sequence of its last record. */
export interface ShardHead {
  readonly shard: number;
  readonly epoch: number;
  readonly sequence: number;
  /** The highest sequence of a record that `forgetEnded` has deleted; absent or 0 if it has deleted none. */
  readonly forgotten?: number;
}
