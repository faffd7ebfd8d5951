import type { Fill } from "../model/index.ts";
import { readFills } from "./child-report.ts";
import { demand, membersOf, printableOf, wordOf } from "./reading.ts";

/** An operator's settlement of an unknown child, checked. */
export type ParsedSettlement = Readonly<{
  childId: string;
  state: "closed" | "rejected" | "never";
  fills: readonly Fill[];
  by: string;
  why: string;
}>;

const STATES: readonly ParsedSettlement["state"][] = ["closed", "rejected", "never"];

/** Reads an operator's settlement of a child. Throws an UnreadableAnswer for any unreadable part. */
export function readSettlement(said: unknown): ParsedSettlement {
  const settlement = membersOf(said, "the settlement");
  const state = wordOf(settlement.state, "state", STATES);
  const fills = settlement.fills === undefined ? [] : readFills(settlement.fills);
  demand(
    fills.length === 0 || state === "closed",
    `a settlement with state ${state} must not have executions`,
  );
  return {
    childId: printableOf(settlement.childId, "childId", 64),
    state,
    fills,
    by: printableOf(settlement.by, "by", 64),
    why: printableOf(settlement.why, "why", 200),
  };
}
