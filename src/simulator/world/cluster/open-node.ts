import { type Engine, type EngineOptions, openNode, openStandby } from "../../../engine/index.ts";
import type { Instance } from "../instance.ts";
import type { ClusterPlan } from "../plan.ts";

/**
 * Opens the node of a process, and resolves to its engine: at once if the nodes share the shards, else when the standby has
 * taken over. Calls `takenOver` whenever the engine has begun to run shards. Rejects when the node cannot be opened.
 */
export async function openInCluster(
  instance: Instance,
  options: EngineOptions,
  { ttlMs, clockApartMs, shares }: ClusterPlan,
  takenOver: (engine: Engine) => void,
): Promise<Engine> {
  const address = `node ${instance.generation}`;
  const given = { ...options, cluster: { name: instance.name, address, ttlMs, clockApartMs } };
  if (shares) {
    const node = await openNode(given);
    const { engine } = node;
    instance.node = node;
    engine.events.on("shards", ({ gained }) => {
      if (gained.length > 0 && !instance.dead) takenOver(engine);
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
