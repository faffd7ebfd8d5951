import { errorMessage } from "../../common/index.ts";
import type { Core } from "../core/core.ts";
import type { OpenCalls } from "../core/open-calls.ts";
import type { ShardPart } from "../shards/commit-queue.ts";
import type { Shard } from "../shards/shard.ts";
import type { StatusBoard } from "../status/status-board.ts";
import type { Timers } from "../time/timers.ts";

/**
 * Answers the calls that have waited for a record for `hostTimeoutMs`, while the store is silent: each time that this time has
 * passed, until the returned function is called. Calls a function before.
 */
export function watchLateCalls(
  { settings, monotonicMs }: Core,
  { timers, calls }: Readonly<{ timers: Timers; calls: OpenCalls }>,
  before: () => void = () => undefined,
): () => void {
  const { hostTimeoutMs } = settings;
  const late = (): void => {
    before();
    calls.abandon(monotonicMs() - hostTimeoutMs);
    cancel = timers.after(hostTimeoutMs, late);
  };
  let cancel = timers.after(hostTimeoutMs, late);
  return () => cancel();
}

/** Dependencies of {@link Reloads}. */
type ReloadParts = Readonly<{
  timers: Timers;
  board: StatusBoard;
  calls: OpenCalls;
  /** Called when a shard runs again, or belongs to another engine. */
  read: () => void;
}>;

/** A shard that is read again, and its records of which the store has not said whether they are durable. */
type Unread = Pick<ShardPart, "shard" | "pending">;

/**
 * Reads shards from the store again whose append failed, until they run. Calls that wait for longer than `hostTimeoutMs`
 * meanwhile are answered: what becomes of a call to such a shard is not known before.
 */
export class Reloads {
  readonly #core: Core;
  readonly #parts: ReloadParts;
  /** Shards that do not run yet. */
  readonly #unread: Set<Shard> = new Set();
  /** Ends the watch on the calls that wait; undefined when no shard is read. */
  #endWatch: (() => void) | undefined;

  constructor(core: Core, parts: ReloadParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Reads shards, all at once, so that a store that does not answer is waited for only once. `mayBeStored` says that their
   * records may be durable. Resolves when each has been read or has failed once.
   */
  async start(parts: readonly Unread[], mayBeStored: boolean): Promise<void> {
    await Promise.all(parts.map((part) => this.#read(part, mayBeStored)));
  }

  /** Reads a shard. After a failure it waits `retryMinMs`, doubled with each further one up to `retryMaxMs`. */
  async #read({ shard, pending }: Unread, mayBeStored: boolean, failures = 0): Promise<void> {
    this.#unread.add(shard);
    this.#endWatch ??= watchLateCalls(this.#core, this.#parts);
    try {
      await shard.reload(pending, mayBeStored);
      this.#unread.delete(shard);
      if (this.#unread.size === 0) this.#stopWatch();
      this.#parts.read();
    } catch (error) {
      const fields = { message: errorMessage(error), shard: shard.number };
      this.#core.telemetry.event("error", "reload.failed", fields);
      this.#parts.board.storeFailed(error);
      const { retryMinMs, retryMaxMs } = this.#core.settings;
      const again = (): void => void this.#read({ shard, pending: [] }, mayBeStored, failures + 1);
      this.#parts.timers.after(Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(failures, 30)), again);
    }
  }

  #stopWatch(): void {
    this.#endWatch?.();
    this.#endWatch = undefined;
  }
}
