import type { NotFound } from "../ports/index.ts";
import { membersOf, wholeOf } from "./reading.ts";

/** Reads whether a venue says that it has no such child; undefined for every other answer. Never throws. */
export function readNotFound(said: unknown): NotFound | undefined {
  if (said === "not-found") return said;
  try {
    return { notFoundAtMs: wholeOf(membersOf(said, "the answer").notFoundAtMs, "the venue's time") };
  } catch {
    return undefined;
  }
}
