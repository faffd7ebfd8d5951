import type { ClusterNodeStatus } from "../cluster/index.ts";
import type { EngineStatus, StatusKind, StatusReason } from "../engine/index.ts";
import type { Service } from "../service/index.ts";
import { type JsonInput, splitTarget, type WireResponse, writeJson } from "../wire/index.ts";

/** Path that a load balancer asks, on the port of REST: 200 if this process serves requests, 503 if it does not. */
export const HEALTH_PATH = "/health";

/** Conditions under which an engine cannot serve, as opposed to those under which it serves with a reason to look. */
const CANNOT_SERVE: ReadonlySet<StatusKind> = new Set([
  "DRAINING",
  "CLOSED",
  "STORE_FAILING",
  "DISK_FULL",
  "SHARD_FENCED",
  "LEASE_LAPSED",
  "LEASE_LOST",
]);

const canServe = ({ reasons }: EngineStatus): boolean => !reasons.some(({ kind }) => CANNOT_SERVE.has(kind));

/** State of a sandbox whose engine runs: `active`, or `degraded` if it cannot serve. */
export function stateOf({ engine }: Readonly<{ engine: Readonly<{ status: () => EngineStatus }> }>): string {
  return canServe(engine.status()) ? "active" : "degraded";
}

type Handle = Pick<Service, "handle">["handle"];

/** Answers the health path from the status of an engine, and everything else as before. */
export function withHealth(engine: Readonly<{ status: () => EngineStatus }>, handle: Handle): Handle {
  return async (request, front) => {
    if (!isHealthRequest(request.target)) return await handle(request, front);
    const state = stateOf({ engine });
    const reasons = engine.status().reasons.map(kindOf);
    return json(state === "active" ? 200 : 503, { state, reasons });
  };
}

/** State of a standby. One that has taken over is active for others when it serves. */
export function stateOfStandby(
  standby: Readonly<{ status: () => Pick<ClusterNodeStatus, "state"> }>,
): string {
  const { state } = standby.status();
  return state === "active" ? "taking-over" : state;
}

/** Answers the health path while another process serves, and everything else as before. */
export function withStandbyHealth(standby: Parameters<typeof stateOfStandby>[0], handle: Handle): Handle {
  return async (request, front) => {
    if (!isHealthRequest(request.target)) return await handle(request, front);
    return json(503, { state: stateOfStandby(standby), reasons: [] });
  };
}

/** A node that shares the shards, and its engine, as far as their health needs them. */
export type SharingHealth = Readonly<{
  node: Readonly<{
    status: () => Pick<ClusterNodeStatus, "state" | "shards">;
    engine: Readonly<{ status: () => EngineStatus }>;
  }>;
}>;

/** State of a node that shares the shards, or `degraded` if its engine runs and cannot serve. */
export function stateOfSharing({ node }: SharingHealth): string {
  const { state } = node.status();
  const hasEnded = state === "lost" || state === "closed";
  return hasEnded || canServe(node.engine.status()) ? state : "degraded";
}

/**
 * Answers the health path of a node that shares the shards, and everything else as before. It serves whether or not it owns
 * shards, because it forwards what belongs to other nodes.
 */
export function withSharingHealth(sharing: SharingHealth, handle: Handle): Handle {
  return async (request, front) => {
    if (!isHealthRequest(request.target)) return await handle(request, front);
    const { node } = sharing;
    const state = stateOfSharing(sharing);
    const reasons = node.engine.status().reasons.map(kindOf);
    return json(CANNOT_ANSWER.has(state) ? 503 : 200, { state, shards: node.status().shards, reasons });
  };
}

const CANNOT_ANSWER: ReadonlySet<string> = new Set(["degraded", "lost", "closed"]);

const kindOf = ({ kind }: StatusReason): StatusKind => kind;

const isHealthRequest = (target: string): boolean => splitTarget(target)?.path === HEALTH_PATH;

function json(status: number, body: JsonInput): WireResponse {
  const headers = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" };
  return { status, headers, body: writeJson(body) };
}
