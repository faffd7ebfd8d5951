import { type Engine, type EngineOptions, openNode, openStandby } from "../../../src/engine/index.ts";
import type { Instance } from "../instance.ts";
import type { ClusterPlan } from "../plan.ts";
import type { MovedShards } from "./giving-watch.ts";

/** Who hears of the shards of a node. */
export type NodeListener = Readonly<{
  takenOver: (engine: Engine) => void;
  moved: (shards: MovedShards) => void;
}>;

/**
 * Opens the node of a process, and resolves to its engine: at once if the nodes share the shards, else when the standby has
 * taken over. Calls `takenOver` whenever the engine has begun to run shards, and before that `moved` with the shards that have
 * come and gone if the nodes share them. Rejects when the node cannot be opened.
 */
export async function openInCluster(
  instance: Instance,
  options: EngineOptions,
  { ttlMs, clockApartMs, shares }: ClusterPlan,
  { takenOver, moved }: NodeListener,
): Promise<Engine> {
  const address = `node ${instance.generation}`;
  const given = { ...options, cluster: { name: instance.name, address, ttlMs, clockApartMs } };
  if (shares) {
    const node = await openNode(given);
    const { engine } = node;
    instance.node = node;
    engine.events.on("shards", ({ gained, lost }) => {
      if (instance.dead) return;
      moved({ gained, lost });
      if (gained.length > 0) takenOver(engine);
    });
    return engine;
  }
  const standby = await openStandby(given);
  instance.standby = standby;
  if (!instance.dead) instance.state = "following";
  const engine = await standby.takenOver;
  if (!instance.dead) takenOver(engine);
  return engine;
}
