import type { WireResponse } from "../../wire/index.ts";
import type { MountFault } from "./faults.ts";
import type { ProbeRequest } from "./requests.ts";

/** The reply that a client received: header names in lower case, the body as raw bytes. */
export interface ProbeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Returns the faults of the reply to a request that reached the service. `answer` is undefined if no reply came. */
export function replyFaults(
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
