import { openNode } from "../../../src/cluster/index.ts";
import type { Engine, EngineOptions } from "../../../src/engine/index.ts";
import type { Instance } from "../instance.ts";
import type { ClusterPlan } from "../plan.ts";
import type { MovedShards } from "./giving-watch.ts";

/** Who hears of the shards of a node. */
export type NodeListener = Readonly<{
  takenOver: (engine: Engine) => void;
  moved: (shards: MovedShards) => void;
}>;

/**
 * Opens the node of a process, a standby if the nodes do not share the shards, and resolves to its engine. Calls `takenOver`
 * whenever the engine has begun to run shards, and before that `moved` with the shards that have come and gone. Rejects when the
 * node cannot be opened.
 */
export async function openInCluster(
  instance: Instance,
  options: EngineOptions,
  { ttlMs, clockApartMs, shares }: ClusterPlan,
  { takenOver, moved }: NodeListener,
): Promise<Engine> {
  const address = `node ${instance.generation}`;
  const cluster = { name: instance.name, address, ttlMs, clockApartMs, standby: !shares };
  const node = await openNode({ ...options, cluster });
  const { engine } = node;
  instance.node = node;
  engine.events.on("shards", ({ gained, lost }) => {
    if (instance.dead) return;
    moved({ gained, lost });
    if (gained.length > 0) takenOver(engine);
  });
  return engine;
}
