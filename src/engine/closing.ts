import type { Reconciler } from "./children/reconciler.ts";
import type { Committer } from "./commit/committer.ts";
import type { Housekeeping } from "./commit/housekeeping.ts";
import type { AtRest } from "./core/api.ts";
import type { Core } from "./core/core.ts";
import type { OpenCalls } from "./core/open-calls.ts";
import type { Rest } from "./rest.ts";
import type { EndedNames } from "./shards/ended-names.ts";
import type { Shards } from "./shards/shards.ts";
import type { Bursts } from "./time/bursts.ts";
import type { Timers } from "./time/timers.ts";

/** What is closed, and what that is done with. */
export type ClosingParts = Readonly<{
  core: Core;
  committer: Committer;
  timers: Timers;
  bursts: Bursts;
  shards: Shards;
  endedNames: EndedNames;
  housekeeping: Housekeeping;
  calls: OpenCalls;
  rest: Rest;
  reconciler: Reconciler;
}>;

/** End what the engine listens to, and what it asks; in this order. */
type Unsubscribes = readonly (() => void)[];

/**
 * Closes the parts of an engine within `closeTimeoutMs`: nothing new is sent, what is decided becomes durable, every
 * call is answered, everything that would happen later is called off, the store is released. What does not answer in
 * time is left, and named. Rejects when the store fails to close.
 */
export async function closeParts(parts: ClosingParts, unsubscribes: Unsubscribes): Promise<AtRest> {
  const { core, committer, rest } = parts;
  const { closeTimeoutMs } = core.settings;
  const untilMs = core.monotonicMs() + closeTimeoutMs;
  const followed = parts.reconciler.followed;
  const late = new Set<string>();
  const within = async (what: string, work: Promise<unknown>): Promise<void> => {
    if (!(await isDone(parts, work, untilMs))) late.add(what);
  };
  unsubscribe(parts, unsubscribes);
  if ((await rest.reached(closeTimeoutMs, untilMs)).length > 0) {
    await within("an append to the store", committer.resting);
    for (const what of await rest.reached(closeTimeoutMs, untilMs)) late.add(what);
  }
  await within("the last quotes, at the store", committer.finish());
  await within("housekeeping in the store", parts.housekeeping.finished());
  stop(parts);
  // Whoever waited for a record hears what became of it before the others hear that the engine is closed.
  await rest.calm();
  parts.calls.close();
  await within("the store to close", core.store.close());
  return { ...followed, waitingFor: [...late] };
}

/** Calls off what an opening that failed has begun; the store stays its owner's. */
export function abandonParts(parts: ClosingParts, unsubscribes: Unsubscribes): void {
  unsubscribe(parts, unsubscribes);
  stop(parts);
  parts.calls.close();
}

/** Calls off everything that would happen later; nothing is decided from now on. */
function stop({ timers, bursts, shards, committer, housekeeping, endedNames }: ClosingParts): void {
  timers.stop();
  bursts.stop();
  housekeeping.stop();
  endedNames.stop();
  for (const shard of shards.all) shard.close();
  committer.stop();
}

/** Whether the work is done by `untilMs` of the monotonic clock, or needs no time; rejects as it does. */
function isDone({ core, rest }: ClosingParts, work: Promise<unknown>, untilMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const late = (): void => void rest.calm().then(() => resolve(false));
    const cancel = core.clock.schedule(untilMs, late);
    work.then(() => resolve(true), reject).finally(cancel);
  });
}

/** A host that fails to end something must not keep the rest from ending. */
function unsubscribe({ core }: ClosingParts, unsubscribes: Unsubscribes): void {
  for (const end of unsubscribes) {
    try {
      end();
    } catch (error) {
      core.telemetry.event("warn", "unsubscribe.failed", { message: String(error) });
    }
  }
}
