import type { ChildFills } from "../lifecycle/index.ts";
import type { Fill } from "../model/index.ts";
import { readFills } from "./child-report.ts";
import { itemsOf, membersOf, printableOf, requireThat, wholeOf, wordOf } from "./reading.ts";

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
export function readSettlement(answer: unknown): ParsedSettlement {
  const settlement = membersOf(answer, "the settlement");
  const state = wordOf(settlement.state, "state", STATES);
  const fills = settlement.fills === undefined ? [] : readFills(settlement.fills);
  requireThat(
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

/** An operator's word on an order of a restored store, checked. */
export type ParsedResumption = Readonly<{
  orderId: number;
  children: readonly ChildFills[];
  by: string;
  why: string;
}>;

/** Maximum number of children that one resumption names. */
const MOST_CHILDREN = 100_000;

/** Reads an operator's word on an order of a restored store. Throws an UnreadableAnswer for any unreadable part. */
export function readResumption(answer: unknown): ParsedResumption {
  const { orderId, children = [], by, why } = membersOf(answer, "the resumption");
  return {
    orderId: wholeOf(orderId, "orderId", { from: Number.MIN_SAFE_INTEGER, to: -1 }),
    children: itemsOf(children, "children", MOST_CHILDREN).map((each) => {
      const { childId, fills } = membersOf(each, "a child");
      return { childId: printableOf(childId, "childId", 64), fills: readFills(fills) };
    }),
    by: printableOf(by, "by", 64),
    why: printableOf(why, "why", 200),
  };
}
