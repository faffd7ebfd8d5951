import { bytesToText, percentDecode, type WireRequest } from "../../wire/index.ts";
import { isListed } from "../access/addresses.ts";
import { MAX_BODY_BYTES } from "../rest/authentication.ts";
import type { MountFault } from "./faults.ts";
import { FORGED_ADDRESS, INFLATED, type ProbeRequest } from "./requests.ts";

/** A request as a mount handed it over. Its members have unknown types, because the mount may be untyped code. */
export type DeliveredRequest = Readonly<Record<keyof WireRequest, unknown>>;

/** Compares a delivered request with the one that was sent. Returns its faults in the order of a request's parts. */
export function requestFaults(sent: ProbeRequest, delivered: DeliveredRequest): readonly MountFault[] {
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
