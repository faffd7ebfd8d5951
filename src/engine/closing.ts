import { SHARD_COUNT } from "../model/index.ts";
import type { AtRest } from "./core/api.ts";
import type { EngineParts } from "./parts.ts";

/** What an engine has to do with the leases of its shards. */
export type Lease = Readonly<{
  /** Resolves when the shards may be given away. Rejects with a HandOverError if nobody can take them. */
  announce: () => Promise<void>;
  /** Notes that the engine begins to close: it takes no more shards. */
  closing: () => void;
  /** Makes the shards nobody's. */
  release: () => Promise<void>;
  /** Ends the part in the cluster. */
  leave: () => Promise<void>;
}>;

/**
 * Functions that end the engine's subscriptions to market data, time and the venue, and its look-ups, in this order.
 */
type Unsubscribes = readonly (() => void)[];

/** Every shard of accounts. */
export const ALL_SHARDS: ReadonlySet<number> = new Set(
  Array.from({ length: SHARD_COUNT }, (_, shard) => shard),
);

/**
 * Closes the parts of an engine within `closeTimeoutMs`: nothing new is sent, decided records become durable, every
 * call is answered, all timers and pending work are canceled, and the store is released. A part that does not answer
 * in time is left behind and named in the result. With a lease, decided children that were not handed over are withdrawn,
 * and the shards are released right after the last append. Rejects when the store fails to close.
 */
export async function closeParts(
  parts: EngineParts,
  unsubscribes: Unsubscribes,
  lease?: Lease,
): Promise<AtRest> {
  const { core, committer, rest } = parts;
  const { closeTimeoutMs } = core.settings;
  const untilMs = core.monotonicMs() + closeTimeoutMs;
  const followed = parts.reconciler.followed;
  const late = new Set<string>();
  const within = async (what: string, work: Promise<unknown>): Promise<void> => {
    if (!(await isDone(parts, work, untilMs))) late.add(what);
  };
  const settled = async (): Promise<void> => {
    if ((await rest.reached(closeTimeoutMs, untilMs)).length === 0) return;
    await within("an append to the store", committer.resting);
    for (const what of await rest.reached(closeTimeoutMs, untilMs)) late.add(what);
  };
  lease?.closing();
  parts.market.close();
  unsubscribe(parts, unsubscribes);
  await settled();
  // Only now are all children known that were decided and will not be handed over.
  if (lease !== undefined && parts.dispatcher.withdraw(ALL_SHARDS)) await settled();
  await within("the write of the last quotes to the store", committer.finish());
  if (lease !== undefined) {
    stop(parts);
    await within("the release of the shards", lease.release());
  }
  await within("housekeeping in the store", parts.housekeeping.finished());
  if (lease === undefined) stop(parts);
  // Callers that wait for a record get its outcome before the remaining calls are rejected as closed.
  await rest.calm();
  parts.calls.close();
  if (lease !== undefined) await within("the end of the lease", lease.leave());
  // A store that closes at once may return no promise.
  const closed = async (): Promise<void> => await core.store.close();
  await within("the close of the store", closed());
  return { ...followed, waitingFor: [...late] };
}

/** Undoes the start of an opening that failed. The store stays with its owner. */
export function abandonParts(parts: EngineParts, unsubscribes: Unsubscribes): void {
  unsubscribe(parts, unsubscribes);
  stop(parts);
  parts.calls.close();
}

/** Cancels everything that would happen later. Nothing is decided from now on. */
function stop(parts: EngineParts): void {
  const { timers, bursts, shards, committer, housekeeping, endedNames, submissions } = parts;
  timers.stop();
  bursts.stop();
  housekeeping.stop();
  endedNames.stop();
  for (const shard of shards.all) shard.close();
  committer.stop();
  submissions.stop();
}

/**
 * Resolves to whether the work is done by `untilMs` of the monotonic clock. Work that needs only turns, and no more
 * time, still counts as done after that. Rejects if the work does.
 */
function isDone({ core, rest }: EngineParts, work: Promise<unknown>, untilMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const late = (): void => void rest.calm().then(() => resolve(false));
    const cancel = core.clock.schedule(untilMs, late);
    work.then(() => resolve(true), reject).finally(cancel);
  });
}

/** Ends all subscriptions. An unsubscribe function that throws does not keep the others from running. */
function unsubscribe({ core }: EngineParts, unsubscribes: Unsubscribes): void {
  for (const end of unsubscribes) {
    try {
      end();
    } catch (error) {
      core.telemetry.event("warn", "unsubscribe.failed", { message: String(error) });
    }
  }
}
