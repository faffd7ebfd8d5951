import { type EngineOptions, openStandby } from "../../../engine/index.ts";
import type { Instance } from "../instance.ts";
import type { ClusterPlan } from "../plan.ts";

/** Opens the node of a process: a standby, which is followed by its engine. Rejects when either cannot be opened. */
export async function openNode(
  instance: Instance,
  options: EngineOptions,
  { ttlMs, clockApartMs }: ClusterPlan,
): Promise<ReturnType<typeof openStandby>> {
  const standby = await openStandby({
    ...options,
    cluster: { name: instance.name, address: `node ${instance.generation}`, ttlMs, clockApartMs },
  });
  instance.standby = standby;
  if (!instance.dead) instance.state = "following";
  return standby;
}
