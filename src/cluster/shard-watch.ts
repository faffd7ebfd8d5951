import { shardOf } from "../lifecycle/index.ts";
import type { Clock } from "../ports/index.ts";
import type { StreamSink } from "../service/internal.ts";
import type { ShardOwners } from "./peers/api.ts";

/** Interval in milliseconds at which the owners are compared while anything is watched. */
const EVERY_MS = 250;

type Watched = Readonly<{ incarnation: number; isSelf: boolean; moved: () => void }>;

/** The account of a stream, and the incarnation of the node that sends its events. */
export type StreamSource = Readonly<{ accountId: number; incarnation: number; isSelf: boolean }>;

/**
 * Tells streams that the shard of their account has another owner than the node that sends their events. An engine that loses
 * a shard ends the streams of its own service at once; this finds out where nobody says it, such as after a crash.
 */
export class ShardWatch {
  readonly #owners: Pick<ShardOwners, "ownerOf">;
  readonly #clock: Pick<Clock, "monotonicMs" | "schedule">;
  readonly #shards: Map<number, Set<Watched>> = new Map();
  #isPlanned = false;

  constructor(owners: Pick<ShardOwners, "ownerOf">, clock: Pick<Clock, "monotonicMs" | "schedule">) {
    this.#owners = owners;
    this.#clock = clock;
  }

  /** Calls `moved` once, after the shard has another owner, unless the returned function is called first. */
  watch({ accountId, ...source }: StreamSource, moved: () => void): () => void {
    const shard = shardOf(accountId);
    const watched = { ...source, moved };
    const others = this.#shards.get(shard) ?? new Set();
    this.#shards.set(shard, others.add(watched));
    this.#plan();
    return () => {
      others.delete(watched);
      if (others.size === 0 && this.#shards.get(shard) === others) this.#shards.delete(shard);
    };
  }

  #plan(): void {
    if (this.#isPlanned || this.#shards.size === 0) return;
    this.#isPlanned = true;
    this.#clock.schedule(this.#clock.monotonicMs() + EVERY_MS, () => {
      this.#isPlanned = false;
      this.#compare();
      this.#plan();
    });
  }

  #compare(): void {
    for (const [shard, all] of [...this.#shards]) {
      const owner = this.#owners.ownerOf(shard);
      for (const watched of [...all]) {
        // A node that does not know the owner hears from the one that sends, as long as the link holds.
        const hasMoved = watched.isSelf
          ? owner?.isSelf !== true
          : owner !== undefined && owner.incarnation !== watched.incarnation;
        if (!hasMoved) continue;
        all.delete(watched);
        watched.moved();
      }
      if (all.size === 0 && this.#shards.get(shard) === all) this.#shards.delete(shard);
    }
  }
}

/** A sink whose stream ends once, and the step that follows its end. */
type EndingOnce = Readonly<{
  sink: StreamSink;
  /** Runs a step when the stream ends, at once if it has ended already. */
  atEnd: (step: () => void) => void;
}>;

/** Wraps a sink so that its stream ends once, whoever ends it first. Nothing is sent after the end. */
export function endingOnce(sink: StreamSink): EndingOnce {
  let isOver = false;
  let last: () => void = () => undefined;
  return {
    sink: {
      send: (event) => {
        if (!isOver) sink.send(event);
      },
      ended: (why) => {
        if (isOver) return;
        isOver = true;
        last();
        sink.ended(why);
      },
    },
    atEnd: (step) => {
      if (isOver) step();
      else last = step;
    },
  };
}
