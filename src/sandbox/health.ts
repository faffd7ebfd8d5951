import type { ClusterNodeStatus } from "../cluster/index.ts";
import type { EngineStatus, StatusKind } from "../engine/index.ts";
import type { Service } from "../service/index.ts";
import { type JsonInput, splitTarget, writeJson } from "../wire/index.ts";

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

type WithStatus = Readonly<{ status: () => EngineStatus }>;

/** State of a sandbox whose engine runs: `active`, or `degraded` if it cannot serve. */
export const stateOf = (engine: WithStatus): string => (canServe(engine.status()) ? "active" : "degraded");

/** State of a standby. One that has taken over is active for others when it serves. */
export function stateOfStandby(
  standby: Readonly<{ status: () => Pick<ClusterNodeStatus, "state"> }>,
): string {
  const { state } = standby.status();
  return state === "active" ? "taking-over" : state;
}

/** A node that shares the shards, as far as its health needs it. */
type SharingNode = Readonly<{
  status: () => Pick<ClusterNodeStatus, "state" | "shards">;
  engine: WithStatus;
}>;

/** State of a node that shares the shards, or `degraded` if its engine runs and cannot serve. */
export function stateOfSharing(node: SharingNode): string {
  const { state } = node.status();
  const hasEnded = state === "lost" || state === "closed";
  return hasEnded || canServe(node.engine.status()) ? state : "degraded";
}

/** What a load balancer is told: 200 if this process serves requests, 503 if it does not. */
type Health = Readonly<{ status: 200 | 503; body: JsonInput }>;

/** Health of a sandbox whose engine runs. */
export function engineHealth(engine: WithStatus): Health {
  const state = stateOf(engine);
  return { status: state === "active" ? 200 : 503, body: { state, reasons: kindsOf(engine) } };
}

/**
 * Health of a node that shares the shards. It serves whether or not it owns shards, because it forwards what belongs to
 * other nodes.
 */
export function sharingHealth(node: SharingNode): Health {
  const state = stateOfSharing(node);
  const body = { state, shards: node.status().shards, reasons: kindsOf(node.engine) };
  return { status: CANNOT_ANSWER.has(state) ? 503 : 200, body };
}

const CANNOT_ANSWER: ReadonlySet<string> = new Set(["degraded", "lost", "closed"]);

const kindsOf = (engine: WithStatus): StatusKind[] => engine.status().reasons.map(({ kind }) => kind);

type Handle = Service["handle"];

/** Answers `/health` on the port of REST, and everything else as before. */
export function withHealth(health: () => Health, handle: Handle): Handle {
  return async (request, front) => {
    if (splitTarget(request.target)?.path !== "/health") return await handle(request, front);
    const { status, body } = health();
    const headers = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" };
    return { status, headers, body: writeJson(body) };
  };
}
