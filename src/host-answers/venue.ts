import {
  type ExactQuantity,
  FINE_LIMIT,
  PRICE_LIMIT,
  QUANTITY_LIMIT,
  type Quantity,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import type { ChildFills } from "../lifecycle/index.ts";
import {
  type ChildReport,
  type Fill,
  MOST_CLOSE_WAIT_MS,
  type Mutable,
  type RefusalMark,
} from "../model/index.ts";
import type { ExecutionVenue, NotFound, VenueCapabilities } from "../ports/index.ts";
import { harmless } from "./questions.ts";
import {
  amountOf,
  flagOf,
  itemsOf,
  type Members,
  membersOf,
  printableOf,
  problemOf,
  requireThat,
  textOf,
  wholeOf,
  wordOf,
} from "./reading.ts";

/**
 * A venue's report on a child: either completely readable, or the readable executions of it and what is wrong with
 * the rest.
 */
export type ParsedReport =
  | Readonly<{ kind: "report"; report: ChildReport }>
  | Readonly<{ kind: "unreadable"; childId: string; fills: readonly Fill[]; problem: string }>;

/** Most executions in one report. */
const MOST_FILLS = 10_000;

/** Characters of a venue's reason that are kept. */
const DETAIL_LENGTH = 200;

const STATES: readonly ChildReport["state"][] = ["open", "closed", "rejected"];

const MARKS: readonly RefusalMark[] = ["INSUFFICIENT_FUNDS"];

/** Reads a venue's report on the child that it was asked about, or that its event names. Never throws. */
export function readReport(answer: unknown, childId: string): ParsedReport {
  try {
    return { kind: "report", report: wholeReport(answer, childId) };
  } catch (error) {
    return { kind: "unreadable", childId, fills: readableFills(answer, childId), problem: problemOf(error) };
  }
}

/** Throws an UnreadableAnswer for the first unreadable part of the report. */
function wholeReport(answer: unknown, childId: string): ChildReport {
  const report = namedReport(answer, childId);
  const state = wordOf(report.state, "the state", STATES);
  const final = optional(report.final, (value) => flagOf(value, "final"));
  const mark = optional(report.mark, (value) => wordOf(value, "the mark", MARKS));
  const detail = optional(report.detail, detailOf);
  const whole: Mutable<ChildReport> = { childId, state, fills: readFills(report.fills) };
  if (final !== undefined) whole.final = final;
  if (mark !== undefined) whole.mark = mark;
  if (detail !== undefined) whole.detail = detail;
  return whole;
}

/** Returns the readable executions of a report that is unreadable as a whole. The problem is reported already. */
function readableFills(answer: unknown, childId: string): readonly Fill[] {
  const fills: Fill[] = [];
  const attempt = (read: () => void): void => harmless(read, () => undefined);
  attempt(() => takeFills(namedReport(answer, childId).fills, { fills, attempt }));
  return fills;
}

/** Returns the child id in a venue's event; undefined when the event has no readable one. */
export function childIdIn(event: unknown): string | undefined {
  try {
    const { report } = membersOf(event, "the event");
    return printableOf(membersOf(report, "the report").childId, "the child id", 64);
  } catch {
    return undefined;
  }
}

/** Returns the report in a venue's event; undefined when it cannot be read. */
export function reportIn(event: unknown): unknown {
  try {
    return membersOf(event, "the event").report;
  } catch {
    return undefined;
  }
}

function namedReport(answer: unknown, childId: string): Members {
  const report = membersOf(answer, "the report");
  requireThat(report.childId === childId, "the report is about another child");
  return report;
}

const optional = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : read(value);

/** Returns a reason for people: truncated, and without line breaks. */
function detailOf(answer: unknown): string {
  const text = textOf(answer, "the detail", { from: 0, most: Number.MAX_SAFE_INTEGER });
  return text.slice(0, DETAIL_LENGTH).replace(/\p{Cc}/gu, " ");
}

type FillCollector = Readonly<{ fills: Fill[]; attempt: (read: () => void) => void }>;

/** Takes the readable executions, before and after unreadable ones. */
function takeFills(answer: unknown, { fills, attempt }: FillCollector): void {
  requireThat(Array.isArray(answer), "the executions are not an array");
  // A single execution, as in most reports, needs no comparison.
  const known = answer.length > 1 ? new Map<string, Fill>() : undefined;
  for (const one of answer.slice(0, MOST_FILLS)) {
    attempt(() => {
      const fill = readFill(one);
      const before = known?.get(fill.executionId);
      requireThat(
        before === undefined ||
          (before.quantity === fill.quantity && before.fine === fill.fine && before.price === fill.price),
        "one execution is reported with two different amounts",
      );
      if (before !== undefined) return;
      known?.set(fill.executionId, fill);
      fills.push(fill);
    });
  }
  requireThat(answer.length <= MOST_FILLS, `there are more than ${MOST_FILLS} executions`);
}

/** Returns executions, each once. Throws an UnreadableAnswer unless every one can be read. */
function readFills(answer: unknown): readonly Fill[] {
  const fills: Fill[] = [];
  takeFills(answer, { fills, attempt: (read) => read() });
  return fills;
}

/** Executions are exact to 18 decimals. What cannot be held is unreadable, never nothing. */
function quantityOf({ quantity, fine }: Members): ExactQuantity {
  if (fine === undefined || fine === 0)
    return { quantity: amountOf(quantity, "the quantity of an execution", QUANTITY_LIMIT) };
  const to = FINE_LIMIT - 1;
  const rest = wholeOf(fine, "the fine part of the quantity of an execution", { from: 1, to });
  if (quantity === 0) return { quantity: ZERO_QUANTITY, fine: rest };
  return {
    quantity: amountOf<Quantity>(quantity, "the quantity of an execution", QUANTITY_LIMIT),
    fine: rest,
  };
}

/** Returns an execution with all that is needed to count it. Throws an UnreadableAnswer for anything else. */
export function readFill(answer: unknown): Fill {
  const fill = membersOf(answer, "an execution");
  return {
    executionId: printableOf(fill.executionId, "the id of an execution", 64),
    ...quantityOf(fill),
    price: amountOf(fill.price, "the price of an execution", PRICE_LIMIT),
    timeMs: wholeOf(fill.timeMs, "the time of an execution"),
  };
}

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

/** An operator's settlement of an unknown child, checked. */
export type ParsedSettlement = Readonly<{
  childId: string;
  state: "closed" | "rejected" | "never";
  fills: readonly Fill[];
  by: string;
  why: string;
}>;

const SETTLED: readonly ParsedSettlement["state"][] = ["closed", "rejected", "never"];

/** Reads an operator's settlement of a child. Throws an UnreadableAnswer for any unreadable part. */
export function readSettlement(answer: unknown): ParsedSettlement {
  const settlement = membersOf(answer, "the settlement");
  const state = wordOf(settlement.state, "state", SETTLED);
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
type ParsedResumption = Readonly<{
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

/** Capabilities assumed for a venue without readable ones: none, and one child a second. */
const UNKNOWN_VENUE: VenueCapabilities = { honoursDeadline: false, canVoid: false, ratePerSecond: 1 };

/** Returns the current capabilities of a venue. Never throws. */
export function capabilitiesOf(venue: ExecutionVenue, failed: (error: unknown) => void): VenueCapabilities {
  try {
    const { honoursDeadline, canVoid, ratePerSecond, fillsMayFollowCloseMs } = venue.capabilities;
    const isRate = ratePerSecond === undefined || (Number.isFinite(ratePerSecond) && ratePerSecond > 0);
    requireThat(isRate, "ratePerSecond is not a number above 0");
    requireThat(typeof honoursDeadline === "boolean", "honoursDeadline is not a boolean");
    requireThat(typeof canVoid === "boolean", "canVoid is not a boolean");
    const closeMs = fillsMayFollowCloseMs ?? 0;
    requireThat(
      closeMs >= 0 && closeMs <= MOST_CLOSE_WAIT_MS,
      "fillsMayFollowCloseMs is not a number from 0 to 30000",
    );
    const read: Mutable<VenueCapabilities> = { honoursDeadline, canVoid };
    if (ratePerSecond !== undefined) read.ratePerSecond = ratePerSecond;
    if (fillsMayFollowCloseMs !== undefined) read.fillsMayFollowCloseMs = fillsMayFollowCloseMs;
    return read;
  } catch (error) {
    failed(error);
    return UNKNOWN_VENUE;
  }
}
