import type { Renewal } from "../ports/index.ts";
import { demand, membersOf, wholeOf } from "./reading.ts";

/** Reads a store's answer to a renewal. Throws an UnreadableAnswer for anything else: then nothing was renewed. */
export function readRenewal(said: unknown): Renewal {
  const { alive, clockMs } = membersOf(said, "a renewal");
  demand(typeof alive === "boolean", "alive of a renewal is not true or false");
  return { alive, clockMs: wholeOf(clockMs, "clockMs of a renewal") };
}
