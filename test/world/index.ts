export { drawClusterPlan } from "./cluster/cluster-plan.ts";
export { CLUSTER_FAULTS, FAULTS, type Fault } from "./faults.ts";
export { InvariantBroken } from "./invariant-broken.ts";
export type { RecordedRows } from "./make-parts.ts";
export { type Cuts, drawPlan, type Plan } from "./plan.ts";
export { runWorld, type Shrunk, shrink, type WorldReport, type WorldRun } from "./run.ts";
export { CLUSTER_SITUATIONS, SHARING_SITUATIONS, SITUATIONS, type Situation } from "./situations.ts";
export { type CreateDisk, memoryDisk, type WorldDisk } from "./world-disk.ts";
export type { Turn } from "./world-time.ts";
