/**
 * Several nodes over one store: each runs its share of the shards, follows the others and
 * passes on requests for their accounts.
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
  type ClusterService,
  type ClusterServiceOptions,
  createClusterService,
  type NodeSocketOptions,
} from "./cluster-service.ts";
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
export type {
  ForwardedForm,
  ForwardedRequest,
  OpenedStream,
  PeerAnswer,
  PeerCall,
  PeerOutcome,
  PeerReceiver,
  PeerRefusal,
  PeerSender,
  PeerSink,
  PeerSubscription,
  ShardOwners,
} from "./peers/api.ts";
export { createPeerLink, type PeerLink } from "./peers/link.ts";
export type { PeerLimits, PeerLinkOptions, PeerTls, Pem } from "./peers/options.ts";
