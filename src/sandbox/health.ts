import type { EngineStatus, StandbyStatus, StatusKind } from "../engine/index.ts";
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

/** State of a sandbox whose engine runs: `active`, or `degraded` if it cannot serve. */
export function stateOf({ engine }: Readonly<{ engine: Readonly<{ status: () => EngineStatus }> }>): string {
  return engine.status().reasons.some(({ kind }) => CANNOT_SERVE.has(kind)) ? "degraded" : "active";
}

type Handle = Pick<Service, "handle">["handle"];

/** Answers the health path from the status of an engine, and everything else as before. */
export function withHealth(engine: Readonly<{ status: () => EngineStatus }>, handle: Handle): Handle {
  return async (request, front) => {
    if (!asksForHealth(request.target)) return await handle(request, front);
    const state = stateOf({ engine });
    const reasons = engine.status().reasons.map(({ kind }) => kind);
    return json(state === "active" ? 200 : 503, { state, reasons });
  };
}

/** State of a standby. One that has taken over is active for others when it serves. */
export function stateOfStandby(standby: Readonly<{ status: () => Pick<StandbyStatus, "state"> }>): string {
  const { state } = standby.status();
  return state === "active" ? "taking-over" : state;
}

/** Answers the health path while another process serves, and everything else as before. */
export function withStandbyHealth(standby: Parameters<typeof stateOfStandby>[0], handle: Handle): Handle {
  return async (request, front) => {
    if (!asksForHealth(request.target)) return await handle(request, front);
    return json(503, { state: stateOfStandby(standby), reasons: [] });
  };
}

const asksForHealth = (target: string): boolean => splitTarget(target)?.path === HEALTH_PATH;

function json(status: number, body: JsonInput): WireResponse {
  const headers = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" };
  return { status, headers, body: writeJson(body) };
}
