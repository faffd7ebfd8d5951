import type { AppendBatch } from "../../../src/ports/index.ts";
import type { Instance } from "../instance.ts";

/** Shards that an engine has begun with, and those of which it decides nothing more. */
export type MovedShards = Readonly<Record<"gained" | "lost", readonly number[]>>;

/** Hears what nodes do with their shards, as the nodes do it: a call may never reach the store. */
export type GivingWatch = Readonly<{
  /** The shards of the engine of a node that shares them have changed. */
  moved: (instance: Instance, shards: MovedShards) => void;
  /** A node gives shards up. */
  gives: (instance: Instance, shards: readonly number[]) => void;
  /** A node has claimed shards. */
  takes: (instance: Instance, shards: readonly number[]) => void;
  /** A node asks for an append. The returned function notes its answer. */
  appends: (instance: Instance, batch: AppendBatch) => () => void;
}>;
