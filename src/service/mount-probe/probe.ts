import { bytesToText, percentDecode, type WireRequest, type WireResponse } from "../../wire/index.ts";
import { isListed } from "../access/addresses.ts";
import { MAX_BODY_BYTES } from "../rest/authentication.ts";
import { MOUNT_FAULTS, type MountFault } from "./faults.ts";
import { FORGED_ADDRESS, INFLATED, PROBE_REQUESTS, type ProbeRequest } from "./requests.ts";

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
 * Source: contract, Version 3 REST.
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

/** A request as a mount handed it over. Its members have unknown types, because the mount may be untyped code. */
type DeliveredRequest = Readonly<Record<keyof WireRequest, unknown>>;

/** Compares a delivered request with the one that was sent. Returns its faults in the order of a request's parts. */
function requestFaults(sent: ProbeRequest, delivered: DeliveredRequest): readonly MountFault[] {
  return [
    delivered.method === sent.method ? undefined : "METHOD_CHANGED",
    ...targetFaults(sent.target, delivered.target),
    ...headerFaults(sent.rawHeaders, delivered.rawHeaders),
    bodyFault(sent, delivered.body),
    addressFault(delivered.remoteAddress),
  ].filter((fault): fault is MountFault => fault !== undefined);
}

function targetFaults(sent: string, delivered: unknown): readonly MountFault[] {
  if (typeof delivered !== "string") return ["PATH_CHANGED"];
  const [due, came] = [splitOnce(sent), splitOnce(delivered)];
  const query = queryFault(due.query, came.query);
  return [
    ...(due.path === came.path ? [] : ["PATH_CHANGED" as const]),
    ...(query === undefined ? [] : [query]),
  ];
}

function splitOnce(target: string): Readonly<{ path: string; query: string }> {
  const mark = target.indexOf("?");
  return mark < 0
    ? { path: target, query: "" }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function queryFault(due: string, came: string): MountFault | undefined {
  if (came === due) return undefined;
  if (came === percentDecode(due) || came === percentDecode(due.replaceAll("+", " "))) return "QUERY_DECODED";
  return meaningOf(came) === meaningOf(due) ? "QUERY_REENCODED" : "QUERY_CHANGED";
}

/** Returns the pairs as a form parser reads them: `+` equals `%20`, and empty items are ignored. */
function meaningOf(pairs: string): string {
  return pairs
    .split("&")
    .filter((item) => item !== "" && item !== "=")
    .map((item) => percentDecode(item.replaceAll("+", " ")) ?? item)
    .join("&");
}

function headerFaults(sent: readonly string[], delivered: unknown): readonly MountFault[] {
  const came: readonly unknown[] = Array.isArray(delivered) ? delivered : [];
  const found = namesOf(sent).map((name): MountFault | undefined => {
    const [due, got] = [valuesOf(sent, name), valuesOf(came, name)];
    if (due.length === got.length && due.every((value, index) => value === got[index])) return undefined;
    return due.length > 1 && got.length === 1 ? "HEADERS_JOINED" : "HEADERS_CHANGED";
  });
  return found.filter((fault): fault is MountFault => fault !== undefined);
}

const namesOf = (headers: readonly string[]): readonly string[] => [
  ...new Set(headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())),
];

const valuesOf = (headers: readonly unknown[], wanted: string): readonly unknown[] =>
  headers.filter((_, index) => index % 2 === 1 && String(headers[index - 1]).toLowerCase() === wanted);

function bodyFault({ body: due }: ProbeRequest, came: unknown): MountFault | undefined {
  if (!(came instanceof Uint8Array)) return "BODY_NOT_BYTES";
  // Of a body that is too large, one byte above the limit is enough.
  if (due.length > MAX_BODY_BYTES && came.length > MAX_BODY_BYTES) return undefined;
  const [dueText, cameText] = [bytesToText(due), bytesToText(came)];
  if (cameText === dueText) return undefined;
  if (cameText === "") return "BODY_LOST";
  if (dueText.startsWith(cameText)) return "BODY_TRUNCATED";
  if (cameText === INFLATED) return "BODY_INFLATED";
  if (cameText === bytesToText(new TextEncoder().encode(new TextDecoder().decode(due))))
    return "BODY_DECODED";
  const reparsed = dueText.startsWith("{")
    ? cameText.startsWith("{")
    : meaningOf(cameText) === meaningOf(dueText);
  return reparsed ? "BODY_REPARSED" : "BODY_CHANGED";
}

function addressFault(came: unknown): MountFault | undefined {
  if (came === FORGED_ADDRESS) return "ADDRESS_FORWARDED";
  const isAddress = typeof came === "string" && isListed(came, ["::/0"]);
  return isAddress ? undefined : "ADDRESS_MISSING";
}

/** The reply that a client received: header names in lower case, the body as raw bytes. */
export interface ProbeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Returns the faults of the reply to a request that reached the service. `answer` is undefined if no reply came. */
function replyFaults(
  { method, reply }: ProbeRequest,
  answer: ProbeAnswer | undefined,
): readonly MountFault[] {
  if (answer === undefined) return ["REPLY_LOST"];
  const faults: MountFault[] = [];
  if (answer.status !== reply.status) faults.push("STATUS_LOST");
  if (!hasHeaders(answer, reply)) faults.push("REPLY_HEADERS_LOST");
  if (method !== "HEAD" && !isBody(answer.body, reply.body)) faults.push("REPLY_CHANGED");
  return faults;
}

const hasHeaders = (answer: ProbeAnswer, reply: WireResponse): boolean =>
  Object.entries(reply.headers).every(([name, value]) => answer.headers[name.toLowerCase()] === value);

function isBody(came: Uint8Array, due: string): boolean {
  const bytes = new TextEncoder().encode(due);
  return bytes.length === came.length && bytes.every((byte, index) => byte === came[index]);
}
