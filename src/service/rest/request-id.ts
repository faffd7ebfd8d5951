import type { ServiceParts } from "./parts.ts";

const LENGTH = 22;

/** A name for a request in logs and headers; zeros when the host has none to give, for a reply needs no luck. */
export function requestIdOf({ entropy }: ServiceParts): string {
  try {
    return entropy.token(LENGTH);
  } catch {
    return "0".repeat(LENGTH);
  }
}
