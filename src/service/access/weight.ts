import type { Awaitable, WeightVerdict } from "../../ports/index.ts";
import type { ServiceParts } from "../rest/parts.ts";
import { networkOf } from "./ip-address.ts";
import { tooManyConnections, tooMuchWeight } from "./rate-refusals.ts";

/** Who asks: address of the client, and what that weighs. */
export type Weighed = Readonly<{ address: string; weight: number }>;

/** Counts the weight of a request, whatever becomes of it; 0 only asks. Throws an OrderError -1001 when that fails. */
export function weigh({ rateLimiter }: ServiceParts, { address, weight }: Weighed): Awaitable<WeightVerdict> {
  return rateLimiter.weigh({ address: networkOf(address), weight });
}

/** Throws the OrderError -1003 of a verdict that refuses. Source: decision 42. */
export function demandWeight({ rateLimiter, clock }: ServiceParts, { refused }: WeightVerdict): void {
  if (refused === undefined) return;
  throw tooMuchWeight(refused, { limits: rateLimiter.limits, nowMs: clock.nowMs() });
}

/** Counts one WebSocket connection; throws an OrderError -1003 for one too many. Source: convention 4.2. */
export async function demandConnection(parts: ServiceParts, client: string): Promise<void> {
  const { rateLimiter, clock } = parts;
  const address = networkOf(client);
  const { refusedUntilMs } = (await rateLimiter.connect?.({ address })) ?? {};
  if (refusedUntilMs === undefined) return;
  throw tooManyConnections(refusedUntilMs, { limits: rateLimiter.limits, nowMs: clock.nowMs() });
}
