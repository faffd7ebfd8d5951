import { type ParentOrder, TRAITS } from "../../model/index.ts";

/**
 * Returns since when an order executes whenever the market allows: since its acceptance or release, or since its trigger
 * fired. Undefined while it waits for either.
 */
export function workingSince({
  intent,
  held,
  trigger,
  releasedAtMs,
  acceptedAtMs,
}: ParentOrder): number | undefined {
  if (held === true) return undefined;
  if (TRAITS[intent.type].trigger !== undefined) return trigger?.atMs;
  return releasedAtMs ?? acceptedAtMs;
}
