import { ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import type { Engine } from "../../../src/engine/index.ts";
import { shardOfId } from "../../../src/model/index.ts";
import type { Instance } from "../instance.ts";
import type { WorldParts } from "../parts.ts";
import type { ClusterPlan } from "../plan.ts";

/**
 * Returns whether a node may believe that it owns the shards although it does not. Its clocks stood still since it last
 * renewed its lease, so it cannot know how long ago that was.
 */
export const mayBelieve = ({ stoodAtMs, renewedAtMs }: Instance): boolean => stoodAtMs >= renewedAtMs;

/** Checks the rule "A beat that stays the same for a whole ttl declares a node dead, and no timestamp does": the shards of a living node are claimed no sooner than a ttl after it asked for its last renewal. */
export function checkClaim(parts: WorldParts, owner: Instance, shards: readonly number[]): void {
  const { requireThat, plan, time } = parts;
  const { ttlMs = 0 } = plan.cluster ?? {};
  const isGiven = shards.every((shard) => owner.holdings.hasReleased(shard));
  observedMove(parts, owner, { shards, isGiven });
  const sinceMs = time.trueMs - owner.renewedAtMs;
  requireThat(
    isGiven || sinceMs >= ttlMs,
    "A beat that stays the same for a whole ttl declares a node dead, and no timestamp does",
    () => `node ${owner.generation} loses shards ${sinceMs} ms after it renewed its lease`,
  );
}

/** What moves from one node to another, and whether the first one has given it away and lives. */
type Move = Readonly<{ shards: readonly number[]; isGiven: boolean }>;

/** Notes what shards have when they move. */
function observedMove({ plan, journal, situations, fleet }: WorldParts, owner: Instance, move: Move): void {
  const isPlanned = plan.cluster !== undefined && move.isGiven && !owner.dead;
  if (!isPlanned) situations.observe(owner.dead ? "takeover after a death" : "takeover from a living node");
  if (isPlanned && fleet.alive.some(isImpaired)) situations.observe("shards given during a fault");
  const moved = new Set(move.shards);
  const isMoved = (orderId: number): boolean => moved.has(shardOfId(orderId));
  const open = [...journal.open].filter(isMoved).flatMap((orderId) => journal.find(orderId) ?? []);
  if (open.some(({ child }) => child !== undefined))
    situations.observe(isPlanned ? "shard given with a child in flight" : "takeover with a child in flight");
  if (open.some(({ activation, trigger }) => activation !== undefined && trigger === undefined))
    situations.observe(
      isPlanned ? "shard given with a trailing reference" : "takeover of a trailing reference",
    );
  if (open.some((order) => order.plan !== undefined))
    situations.observe(isPlanned ? "shard given inside an open slot" : "takeover inside an open slot");
  if (open.some(({ list }) => list?.legs.some((leg) => journal.find(leg)?.ended !== undefined)))
    situations.observe(
      isPlanned ? "shard given with an unfinished list" : "takeover with an unfinished list",
    );
}

/** Returns whether a node stands still, cannot renew, or is cut off. */
const isImpaired = ({ paused, links }: Instance): boolean =>
  paused || Object.values(links).some(({ isMute, isDeaf }) => isMute || isDeaf);

/** Checks the rule "A takeover reads what the owner appended last in statements of its own": an engine that took shards over knows every record that was durable when it claimed them. */
export function checkTakenOver({ requireThat }: WorldParts, instance: Instance, engine: Engine): void {
  const { journalSequence } = engine.metrics();
  let durable = 0;
  for (const [shard, sequence] of instance.claimedAt) if (engine.owns(shard)) durable += sequence;
  requireThat(
    journalSequence >= durable,
    "A takeover reads what the owner appended last in statements of its own",
    () => `node ${instance.generation} takes over with ${journalSequence} of ${durable} records`,
  );
}

/** Checks the rule "Trust counts from the question of a renewal, by both clocks": a node acts only within a ttl of the renewal that it asked for last, and while it owns the shard. */
export function checkTrust({ requireThat, plan }: WorldParts, instance: Instance, act: Act): void {
  if (plan.cluster === undefined || mayBelieve(instance)) return;
  const sinceMs = act.atMs - instance.renewedAtMs;
  const wasOwner = instance.holdings.ownedAt(act.shard, act.atMs);
  requireThat(
    wasOwner,
    act.invariant,
    () => `node ${instance.generation} ${act.what} without its shard ${act.shard}`,
  );
  requireThat(
    sinceMs < plan.cluster.ttlMs,
    "Trust counts from the question of a renewal, by both clocks",
    () => `node ${instance.generation} ${act.what} ${sinceMs} ms after it renewed its lease`,
  );
}

/** Something that only the owner of a shard may do, and when the node began to. */
export type Act = Readonly<{ what: string; shard: number; atMs: number; invariant: string }>;

/** Checks that no node counts more volume in a minute than was executed in it (I34). It may have missed a trade. */
export async function checkBars({ fleet, requireThat, tape, markets }: WorldParts): Promise<void> {
  for (const { generation, engine } of fleet.alive) {
    for (const { symbol } of markets) {
      const reported = tape.minutes(symbol);
      const range = { symbol, fromMs: Math.min(...reported.keys()), toMs: Math.max(...reported.keys()) + 1 };
      const bars = reported.size === 0 ? [] : ((await engine?.volumes.minutes(range)) ?? []);
      for (const { minuteMs, quantity } of bars) {
        const most = reported.get(minuteMs) ?? ZERO_QUANTITY;
        const what = (): string =>
          `node ${generation} counts ${quantity} of ${symbol} at ${minuteMs}, executed were ${most}`;
        requireThat(quantity <= most, "I34", what);
      }
    }
  }
}

/** Longest time in which a standby reads what is durable: a call that is not answered, and a pause. */
const READ_MS = 6_000;

/** Checks at the end that every node follows the journal to the state of the owners (I53). */
export async function checkNodes(parts: WorldParts, { ttlMs }: ClusterPlan): Promise<void> {
  const { fleet, time, requireThat } = parts;
  const untilMs = time.trueMs + READ_MS + ttlMs;
  let difference = await differenceOf(parts);
  while (difference !== undefined && time.trueMs < untilMs) {
    await time.pass(ttlMs / 4);
    difference = await differenceOf(parts);
  }
  requireThat(difference === undefined, "I53", () => `${difference}, ${fleet.alive.length} nodes are alive`);
}

/** Returns how a node differs from another, if one does. Nodes verify all shards, own and followed. */
async function differenceOf({ fleet }: WorldParts): Promise<string | undefined> {
  if (!fleet.isServed) return "nobody owns some shards";
  const [owner] = fleet.owners;
  const first = await owner?.node?.verify();
  if (owner === undefined || first === undefined) return "nobody owns the shards";
  if (!first.equal) return `owner ${owner.generation} is not equal`;
  for (const { generation, state, node, isLost } of fleet.alive) {
    const verified = state === "running" && !isLost ? await node?.verify() : undefined;
    if (verified === undefined) continue;
    const { equal, live } = verified;
    if (!equal || live !== first.live)
      return `node ${generation} is at ${live}, equal ${equal}, owner ${owner.generation} at ${first.live}`;
  }
  return undefined;
}
