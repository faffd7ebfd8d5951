import type { NotFound } from "../ports/index.ts";
import { demand, membersOf, wholeOf } from "./reading.ts";

/** Returns a venue's answer that it has no such child; undefined for every other answer. Never throws. */
export function readNotFound(said: unknown): NotFound | undefined {
  if (said === "not-found") return said;
  try {
    const { childId, notFoundAtMs } = membersOf(said, "the answer");
    demand(childId === undefined, "the answer is a report");
    return { notFoundAtMs: wholeOf(notFoundAtMs, "notFoundAtMs") };
  } catch {
    return undefined;
  }
}

/** Returns the venue's time in epoch milliseconds. Throws an UnreadableAnswer for anything else. */
export function readVenueTime(said: unknown): number {
  return wholeOf(said, "the venue's time");
}
