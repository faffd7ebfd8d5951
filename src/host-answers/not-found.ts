import type { NotFound } from "../ports/index.ts";
import { membersOf, requireThat, wholeOf } from "./reading.ts";

/** Returns a venue's answer that it has no such child; undefined for every other answer. Never throws. */
export function readNotFound(answer: unknown): NotFound | undefined {
  if (answer === "not-found") return answer;
  try {
    const { childId, notFoundAtMs } = membersOf(answer, "the answer");
    requireThat(childId === undefined, "the answer is a report");
    return { notFoundAtMs: wholeOf(notFoundAtMs, "notFoundAtMs") };
  } catch {
    return undefined;
  }
}

/** Returns the venue's time in epoch milliseconds. Throws an UnreadableAnswer for anything else. */
export function readVenueTime(answer: unknown): number {
  return wholeOf(answer, "the venue's time");
}
