import type { WireRequest, WireResponse } from "../../wire/index.ts";
import { MAX_BODY_BYTES } from "../rest/authentication.ts";
import { type ProbeAnswer, replyFaults } from "./compare-reply.ts";
import { requestFaults } from "./compare-request.ts";
import { MOUNT_FAULTS, type MountFault } from "./faults.ts";
import { PROBE_REQUESTS, type ProbeRequest } from "./requests.ts";

/** A fault of a mount: its name, its description, its remedy, and the first request that showed it. */
export interface MountFinding {
  readonly fault: MountFault;
  readonly says: string;
  readonly remedy: string;
  readonly request: string;
}

/** Sends a request unchanged to the mount. Resolves to the reply, or to undefined if none came. */
export type ProbeSender = (request: ProbeRequest) => Promise<ProbeAnswer | undefined>;

/** Stands in for the service during a probe. */
export interface ProbedService {
  /** Notes what the mount delivers and resolves to the reply that the probe expects back. */
  handle(request: WireRequest): Promise<WireResponse>;
}

/** Probe that finds out how a mount changes requests and replies. */
export interface MountProbe {
  /** Replaces the service during the probe. */
  readonly service: ProbedService;
  /** Sends every request of the probe in sequence. Resolves to the faults, each once. */
  run(send: ProbeSender): Promise<readonly MountFinding[]>;
}

/** The header in which a node:http mount names a fault that it detects itself. */
export const FAULT_HEADER = "X-Mount-Fault";

const IDLE: WireResponse = { status: 404, headers: {}, body: "" };

/**
 * Creates a probe for a mount of the service in your own server. Mount `probe.service` in place of the service, then
 * run the probe (`probeMount` of `managed-orders/node` sends its requests). If it finds no fault, mount the service.
 * Source: contract, Version 3 REST; architecture, Transport-neutral service.
 *
 * @example
 * ```ts
 * import { createMountProbe } from "managed-orders/service";
 * const { service, run } = createMountProbe();
 * const findings = await run(async (request) => {
 *   const target = request.target.replaceAll("%2F", "/");
 *   const reply = await service.handle({ ...request, target, remoteAddress: "127.0.0.1" });
 *   const headers = Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]);
 *   return { ...reply, headers: Object.fromEntries(headers), body: new TextEncoder().encode(reply.body) };
 * });
 * console.log(findings.map(({ fault }) => fault)); // [ 'QUERY_REENCODED' ]
 * ```
 */
export function createMountProbe(): MountProbe {
  let due: ProbeRequest | undefined;
  let delivered: WireRequest[] = [];
  return {
    service: {
      handle: async (request) => {
        delivered.push(request);
        return due?.reply ?? IDLE;
      },
    },
    async run(send) {
      const found = new Map<MountFault, string>();
      for (const request of PROBE_REQUESTS) {
        due = request;
        delivered = [];
        const answer = await send(request);
        for (const fault of faultsOf(request, delivered, answer)) {
          if (!found.has(fault)) found.set(fault, request.name);
        }
      }
      due = undefined;
      return [...found].map(([fault, request]) => ({ fault, ...MOUNT_FAULTS[fault], request }));
    },
  };
}

function faultsOf(
  sent: ProbeRequest,
  delivered: readonly WireRequest[],
  answer: ProbeAnswer | undefined,
): readonly MountFault[] {
  const [first, ...again] = delivered;
  if (first === undefined) return [undelivered(sent, answer)];
  return [
    ...(again.length > 0 ? ["DELIVERED_TWICE" as const] : []),
    ...requestFaults(sent, first),
    ...replyFaults(sent, answer),
  ];
}

/**
 * Returns the fault of a request that never reached the service: the one that the mount names, or else the one that the
 * size of the body suggests.
 */
function undelivered({ body }: ProbeRequest, answer: ProbeAnswer | undefined): MountFault {
  const named = answer?.headers[FAULT_HEADER.toLowerCase()];
  if (named !== undefined && isFault(named)) return named;
  return body.length >= MAX_BODY_BYTES ? "BODY_LIMIT" : "NOT_DELIVERED";
}

function isFault(name: string): name is MountFault {
  return Object.hasOwn(MOUNT_FAULTS, name);
}
