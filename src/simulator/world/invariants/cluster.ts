import type { Engine } from "../../../engine/index.ts";
import { MARKET_SHARD, shardOfId } from "../../../model/index.ts";
import type { Instance } from "../instance.ts";
import type { WorldParts } from "../parts.ts";
import type { ClusterPlan } from "../plan.ts";

/**
 * Returns whether a node may believe that it owns the shards although it does not. Its clocks stood still since it last
 * renewed its lease, so it cannot know how long ago that was.
 */
export const mayBelieve = ({ stoodAtMs, renewedAtMs }: Instance): boolean => stoodAtMs >= renewedAtMs;

/** Checks decision WN: the shards of a living node are claimed no sooner than a ttl after it asked for its last renewal. */
export function checkClaim(parts: WorldParts, owner: Instance, shards: readonly number[]): void {
  const { demand, plan, time, situations, journal } = parts;
  const { ttlMs = 0 } = plan.cluster ?? {};
  situations.saw(owner.dead ? "takeover after a death" : "takeover from a living node");
  const claimed = new Set(shards);
  const isClaimed = (orderId: number): boolean => claimed.has(shardOfId(orderId));
  const open = [...journal.open].filter(isClaimed).flatMap((orderId) => journal.find(orderId) ?? []);
  if (open.some(({ child }) => child !== undefined)) situations.saw("takeover with a child in flight");
  if (open.some(({ activation, trigger }) => activation !== undefined && trigger === undefined))
    situations.saw("takeover of a trailing reference");
  if (open.some((order) => order.plan !== undefined)) situations.saw("takeover inside an open slot");
  if (open.some(({ list }) => list?.legs.some((leg) => journal.find(leg)?.ended !== undefined)))
    situations.saw("takeover with an unfinished list");
  const sinceMs = time.trueMs - owner.renewedAtMs;
  demand(
    sinceMs >= ttlMs || shards.every((shard) => owner.holdings.hasReleased(shard)),
    "decision WN",
    () => `node ${owner.generation} loses shards ${sinceMs} ms after it renewed its lease`,
  );
}

/** Checks decision WR: an engine that took shards over knows every record that was durable when it claimed them. */
export function checkTakenOver({ demand }: WorldParts, instance: Instance, engine: Engine): void {
  const { journalSequence } = engine.metrics();
  let durable = 0;
  for (const [shard, sequence] of instance.claimedAt) if (engine.owns(shard)) durable += sequence;
  demand(
    journalSequence >= durable,
    "decision WR",
    () => `node ${instance.generation} takes over with ${journalSequence} of ${durable} records`,
  );
}

/** Checks decision WP: a node acts only within a ttl of the renewal that it asked for last, and while it owns the shard. */
export function checkTrust({ demand, plan }: WorldParts, instance: Instance, act: Act): void {
  if (plan.cluster === undefined || mayBelieve(instance)) return;
  const sinceMs = act.atMs - instance.renewedAtMs;
  const wasOwner = instance.holdings.ownedAt(act.shard, act.atMs);
  demand(
    wasOwner,
    act.invariant,
    () => `node ${instance.generation} ${act.what} without its shard ${act.shard}`,
  );
  demand(
    sinceMs < plan.cluster.ttlMs,
    "decision WP",
    () => `node ${instance.generation} ${act.what} ${sinceMs} ms after it renewed its lease`,
  );
}

/** Something that only the owner of a shard may do, and when the node began to. */
export type Act = Readonly<{ what: string; shard: number; atMs: number; invariant: string }>;

/** Longest time in which a standby reads what is durable: a call that is not answered, and a pause. */
const READ_MS = 6_000;

/** Checks at the end that every standby follows the journal to the state of its owner (I53). */
export async function checkNodes(parts: WorldParts, { ttlMs }: ClusterPlan): Promise<void> {
  const { fleet, time, demand } = parts;
  const untilMs = time.trueMs + READ_MS + ttlMs;
  let difference = await differenceOf(parts);
  while (difference !== undefined && time.trueMs < untilMs) {
    await time.pass(ttlMs / 4);
    difference = await differenceOf(parts);
  }
  demand(difference === undefined, "I53", () => `${difference}, ${fleet.alive.length} nodes are alive`);
}

/** Returns how a standby differs from the owner of the shards, if one does. */
async function differenceOf({ fleet }: WorldParts): Promise<string | undefined> {
  const owner = await fleet.serving(MARKET_SHARD)?.engine?.verify();
  if (owner === undefined) return "nobody owns the shards";
  for (const { generation, state, standby } of fleet.alive) {
    if (state !== "following" || standby === undefined) continue;
    const { equal, live } = await standby.verify();
    if (!equal || live !== owner.live)
      return `standby ${generation} is at ${live}, equal ${equal}, its owner at ${owner.live}`;
  }
  return undefined;
}
