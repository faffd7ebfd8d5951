/**
 * Several nodes over one store: each runs its share of the shards and follows the others.
 *
 * @module managed-orders/cluster
 */
export type { OperatorOptions } from "./cluster-report.ts";
export {
  type ClusterReport,
  type ClusterReportOptions,
  type NodeLife,
  type NodeReport,
  readCluster,
} from "./cluster-report.ts";
export {
  type DrainOptions,
  type DrainOutcome,
  type DrainProgress,
  type DrainStep,
  drainNode,
} from "./drain.ts";
export {
  type MoveOptions,
  type MoveOutcome,
  type MoveProgress,
  type MoveRefusal,
  moveShards,
} from "./move.ts";
export { openNode } from "./node.ts";
export type {
  ClusterNode,
  ClusterNodeState,
  ClusterNodeStatus,
  ClusterOptions,
  NodeOptions,
  ShardHolder,
} from "./node-api.ts";
