import { flagOption, type OptionCheck } from "../../common/index.ts";
import {
  add,
  formatPrice,
  formatQuantity,
  type Price,
  price,
  type Quantity,
  quantity,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import { readNotFound, readReport } from "../../host-answers/index.ts";
import { childIdOf as idOfChild } from "../../lifecycle/index.ts";
import type { ChildReport, ChildRequest, Fill, Side } from "../../model/index.ts";
import type { Awaitable, ExecutionVenue, NotFound, VenueEvent } from "../../ports/index.ts";
import { venueOption } from "../../ports/internal.ts";
import { answerOf, holds, Mismatch, type Outcome, outcomeOf, same, shown } from "../checks.ts";
import { type AtEnd, createdPlace, type Rules, subjectOption } from "../suite.ts";

/** Returns a decimal without trailing zeros. */
const plain = (decimal: string): string => (decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal);

/** What children can take at one price, in decimal strings. */
export interface OfferedLevel {
  readonly price: string;
  readonly quantity: string;
}

/** What children of one market and side can take: levels, the best first. No levels means nothing. */
export interface Offer {
  readonly symbol: string;
  readonly side: Side;
  readonly levels: readonly OfferedLevel[];
}

/**
 * Why the venue refuses a child: for now, so that a later child may succeed; for ever; or because the account has too
 * little of the asset that the child needs.
 */
export type RefusalReason = "now" | "never" | "funds";

/** An adapter that runs, as in a process of the engine. */
export interface OpenVenue {
  readonly venue: ExecutionVenue;
  /** Ends the adapter, as the end of its process does. The exchange continues. */
  close(): Awaitable<void>;
}

/**
 * An exchange behind the adapter, and what the suite needs of it: the exchange's own test system, or a stand-in for its
 * API. Account 1 can pay every child, and nobody else trades.
 */
export interface ExecutionVenuePlace {
  /** Opens the adapter. The suite closes it before it opens the next, as in a restart. */
  open(): Awaitable<OpenVenue>;
  /** Returns the exchange's own time in epoch milliseconds. */
  nowMs(): number;
  /** Replaces what children of a market and side can take. */
  offer(offer: Offer): Awaitable<void>;
  /**
   * Makes the exchange refuse the next child. May return members that this child needs, such as the account of a
   * customer without funds. "never" and "funds" are asked for only if they are declared.
   */
  refuse(reason: RefusalReason): Awaitable<Partial<ChildRequest> | undefined>;
  /** Loses the next child on its way to the exchange, or the exchange's answer to it. */
  lose(what: "child" | "answer"): Awaitable<void>;
  /** Makes the exchange unreachable, for children and look-ups, or reachable again. */
  setOutage(isOut: boolean): Awaitable<void>;
  /**
   * Resolves when every answer and event that is due has come: when the stand-in has nothing more to do, or after the
   * time in which the exchange always answers. What has not come by then counts as missing.
   */
  idle(): Promise<void>;
  /**
   * Returns what account 1 has bought in a market less what it has sold, according to the exchange, as decimal text such
   * as "-0.5". The suite compares it with the reports: an execution that the adapter hides is found here.
   */
  position(symbol: string): Awaitable<string>;
  /** Removes the place. The adapter is closed. */
  remove(): Awaitable<void>;
  /** With `openChildren`: lets the next child rest at the exchange, with what it could take, until `settle`. */
  hold?(): Awaitable<void>;
  /** With `openChildren`: ends a child that rests. It executes what was offered when it arrived, and nothing else. */
  settle?(childId: string): Awaitable<void>;
  /** With `openChildren`: sends the last event of a child again. */
  repeat?(childId: string): Awaitable<void>;
  /** With `partialReports`: executes this part of a child that rests. */
  fill?(childId: string, part: OfferedLevel): Awaitable<void>;
  /** With `earlyEvents`: withholds the answer to the next submit, until the returned function is called. */
  withholdAnswer?(): Awaitable<() => Awaitable<void>>;
  /** With `lateFills`: executes a part of a child that was reported closed. */
  fillLate?(childId: string, part: OfferedLevel): Awaitable<void>;
}

/** The optional parts of a venue, each declared as present or absent. */
export interface ExecutionVenueSupport {
  /** The capability `honoursDeadline`. */
  readonly honoursDeadline: boolean;
  /** The capability `canVoid`, with the function `voidChild`. */
  readonly canVoid: boolean;
  /** Whether "not found" comes with the exchange's time, as `notFoundAtMs`. Without it there is no `venueTimeMs` either. */
  readonly venueTime: boolean;
  /** Whether a submit ends when its signal aborts. */
  readonly abortable: boolean;
  /** Whether a submit may answer that the child is open, with the end of the child in an event. */
  readonly openChildren: boolean;
  /** Whether reports on an open child show what it has executed so far. */
  readonly partialReports: boolean;
  /** Whether an event on a child may come before the answer to its submit. */
  readonly earlyEvents: boolean;
  /** Whether the exchange may execute a child that was reported closed. */
  readonly lateFills: boolean;
  /** Whether some refusals are `final`. */
  readonly finalRefusals: boolean;
  /** Whether refusals for insufficient funds have the mark INSUFFICIENT_FUNDS. */
  readonly fundsMark: boolean;
}

/** An adapter of the execution venue port as its author describes it to the suite. */
export interface ExecutionVenueSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: ExecutionVenueSupport;
  /** Creates an exchange without children. The suite creates one per test, and removes it at the end. */
  createPlace(): Awaitable<ExecutionVenuePlace>;
}

const adapterOption: OptionCheck = /* @__PURE__ */ subjectOption<ExecutionVenueSupport>(
  {
    ...{ honoursDeadline: flagOption, canVoid: flagOption, venueTime: flagOption, abortable: flagOption },
    ...{ openChildren: flagOption, partialReports: flagOption, earlyEvents: flagOption },
    ...{ lateFills: flagOption, finalRefusals: flagOption, fundsMark: flagOption },
  },
  "creates an exchange",
);

/** Checks an adapter that is handed to the suite. */
export const executionVenueSubject: OptionCheck = (value, name) => {
  adapterOption(value, name);
  const { openChildren, partialReports } = (value as ExecutionVenueSubject).supports;
  if (partialReports && !openChildren)
    throw new TypeError(`${name}.supports.partialReports is about open children: declare openChildren too`);
};

/** Rules of the execution venue port about one subject. */
export type VenueRules = Rules<VenueWorld, ExecutionVenueSupport>;

/** The members of a child that a rule chooses; amounts as text. */
type ChildFields = Readonly<
  Partial<Omit<ChildRequest, "quantity" | "limitPrice">> & {
    quantity?: string;
    limitPrice?: string;
  }
>;

/** Limits of a submit that a rule chooses. By default the deadline is 10 seconds ahead. */
type Limits = Readonly<{ deadlineMs?: number; signal?: AbortSignal }>;

/** A quantity and its price, as text. */
export type Part = `${string} at ${string}`;

/** The market of most rules. */
export const SYMBOL = "BTC/USD";
/** Another market. */
export const OTHER_SYMBOL = "ETH/USD";

const DEADLINE_MS = 10_000;

/** Distinguishes the children of one process, so that several places may share an exchange. */
let children = 0;

/** The surroundings of one rule: an exchange, the adapter on it, and everything that the adapter has reported. */
export class VenueWorld {
  readonly place: ExecutionVenuePlace;
  readonly supports: ExecutionVenueSupport;
  /** The events of the adapter since it was opened, as they came. */
  events: unknown[] = [];
  #open: OpenVenue | undefined;
  #leave: () => void = () => undefined;

  private constructor(place: ExecutionVenuePlace, supports: ExecutionVenueSupport) {
    this.place = place;
    this.supports = supports;
  }

  /** Creates an exchange and opens the adapter. Throws a TypeError for a place or an adapter that lacks a function. */
  static async create(subject: ExecutionVenueSubject, atEnd: AtEnd): Promise<VenueWorld> {
    const { openChildren, partialReports, earlyEvents, lateFills } = subject.supports;
    const place = await createdPlace(subject, atEnd, "ExecutionVenuePlace", {
      ...{ open: true, nowMs: true, offer: true, refuse: true, lose: true },
      ...{ setOutage: true, idle: true, position: true, remove: true },
      ...{ hold: openChildren, settle: openChildren, repeat: openChildren },
      ...{ fill: partialReports, withholdAnswer: earlyEvents, fillLate: lateFills },
    });
    const world = new VenueWorld(place, subject.supports);
    atEnd(() => world.#close());
    await world.open();
    return world;
  }

  /** Opens the adapter and listens to it. */
  async open(): Promise<void> {
    this.#open = await this.place.open();
    venueOption(this.#open.venue, "the venue that open returned");
    const events: unknown[] = [];
    this.events = events;
    this.#leave = this.venue.subscribe((event) => events.push(event));
  }

  /** Ends the adapter and opens another one, as after the end of a process. */
  async restart(): Promise<void> {
    await this.#close();
    await this.open();
  }

  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#leave();
    await open?.close();
  }

  get venue(): ExecutionVenue {
    if (this.#open === undefined) throw new Error("the adapter is closed");
    return this.#open.venue;
  }

  /** Offers parts of the market of BUY children, or of another side or market. */
  async offer(parts: readonly Part[], { side = "BUY", symbol = SYMBOL }: Market = {}): Promise<void> {
    const levels = parts.map((part) => {
      const [size = "", at = ""] = part.split(" at ");
      return { quantity: size, price: at };
    });
    await this.place.offer({ symbol, side, levels });
  }

  /** Returns a child of its own id: an IOC to buy 1 at market by default. */
  child({ quantity: size = "1", limitPrice, ...rest }: ChildFields = {}): ChildRequest {
    const parent = { orderId: -256 * ++children, acceptedAtMs: this.place.nowMs() };
    return {
      childId: idOfChild(parent, 1),
      parentOrderId: parent.orderId,
      accountId: 1,
      symbol: SYMBOL,
      side: "BUY",
      timeInForce: "IOC",
      reduceOnly: false,
      ...rest,
      quantity: quantity(size),
      ...(limitPrice !== undefined && { limitPrice: price(limitPrice) }),
    };
  }

  /** Submits a child, and does not wait. */
  send(child: ChildRequest, { deadlineMs, signal }: Limits = {}): Promise<unknown> {
    const call = this.venue.submit(child, {
      deadlineMs: deadlineMs ?? this.place.nowMs() + DEADLINE_MS,
      signal: signal ?? new AbortController().signal,
    });
    // A rule may wait for the exchange before it reads the answer, which may reject meanwhile.
    Promise.resolve(call).catch(() => undefined);
    return call;
  }

  /** Returns what has become of a call when every answer that is due has come. */
  outcome(call: Promise<unknown>): Promise<Outcome> {
    return outcomeOf(call, () => this.place.idle());
  }

  /** Submits a child whose answer must come. Resolves to the report. */
  async submit(child: ChildRequest, limits: Limits = {}): Promise<ChildReport> {
    return await this.report(`submit of ${lineOf(child)}`, child, this.send(child, limits));
  }

  /**
   * Offers parts, and submits a child, which must close with `due`: with all parts by default. Resolves to the child.
   * Throws a Mismatch.
   */
  async executes(
    parts: readonly Part[],
    fields: ChildFields = {},
    due: readonly Part[] = parts,
  ): Promise<ChildRequest> {
    await this.offer(parts, fields);
    const child = this.child(fields);
    const call = `submit of ${lineOf(child)} against ${parts.join(" and ")}`;
    expectClosed(call, await this.submit(child), due);
    return child;
  }

  /** Looks a child up that the exchange knows. Resolves to the report. */
  async found(child: ChildRequest, call = `lookup of ${lineOf(child)}`): Promise<ChildReport> {
    return await this.report(call, child, this.venue.lookup(child));
  }

  /** Looks any child up. */
  async lookup(child: ChildRequest): Promise<ChildReport | NotFound> {
    const call = `lookup of ${lineOf(child)}`;
    const answer = await this.answer(call, this.venue.lookup(child));
    return readNotFound(answer) ?? reportOf(call, answer, child.childId);
  }

  /** Returns the report that a call resolves to. Throws a Mismatch unless it comes and can be read. */
  async report(call: string, child: ChildRequest, answer: Promise<unknown>): Promise<ChildReport> {
    const report = reportOf(call, await this.answer(call, answer), child.childId);
    const most = formatQuantity(child.quantity);
    holds(call, executedOf(report) <= child.quantity, `executions of at most ${most} in all`, report);
    return report;
  }

  /** Returns the answer to a call. Throws a Mismatch unless it comes in time. */
  answer(call: string, answer: Promise<unknown>): Promise<unknown> {
    return answerOf(call, answer, () => this.place.idle());
  }

  /** Checks the position of account 1 at the exchange. Throws a Mismatch. */
  async bought(after: string, due: string, symbol: string = SYMBOL): Promise<void> {
    await this.place.idle();
    const position = await this.place.position(symbol);
    same(`the position at the exchange after ${after}`, plain(position), due);
  }

  /** Returns the reports in the events on a child, each checked. */
  reports({ childId }: Readonly<{ childId: string }>): readonly ChildReport[] {
    return this.events.flatMap((event) => {
      const { report } = event as VenueEvent;
      const isOther = typeof report?.childId === "string" && report.childId !== childId;
      return isOther ? [] : [reportOf("an event", report, childId)];
    });
  }

  /** Returns the last report in the events on a child. Throws a Mismatch if there is none. */
  async lastReport(child: ChildRequest): Promise<ChildReport> {
    await this.place.idle();
    const last = this.reports(child).at(-1);
    if (last !== undefined) return last;
    throw new Mismatch({
      call: `the events on ${lineOf(child)}`,
      expected: "a report",
      answered: "no event",
    });
  }
}

type Market = Readonly<{ side?: Side; symbol?: string }>;

/** Returns a report that the engine can read. Throws a Mismatch that names what is wrong with any other answer. */
function reportOf(call: string, answer: unknown, childId: string): ChildReport {
  const read = readReport(answer, childId);
  if (read.kind === "report") return read.report;
  const expected =
    "a report that can be read: childId, state open, closed or rejected, fills with whole steps";
  throw new Mismatch({
    call,
    expected,
    answered: `${shown(answer)}: ${read.problem}`,
  });
}

/** Returns a child in one line. */
export function lineOf({ side, quantity: size, symbol, limitPrice, timeInForce }: ChildRequest): string {
  const limit = limitPrice === undefined ? "at market" : `at ${formatPrice(limitPrice)}`;
  return `${timeInForce} ${side} ${formatQuantity(size)} ${symbol} ${limit}`;
}

/** Returns the executed quantity of a report. */
export function executedOf({ fills }: Readonly<{ fills: readonly Fill[] }>): Quantity {
  return fills.reduce((sum, { quantity: size }) => add(sum, size), ZERO_QUANTITY);
}

/**
 * Returns what a report says, as the state and one text for each price, such as `1 at 100`. The exchange may divide a
 * part into several executions.
 */
export function textsOf({ state, fills }: Pick<ChildReport, "state" | "fills">): readonly string[] {
  const byPrice = new Map<Price, Quantity>();
  for (const { price: at, quantity: size } of fills)
    byPrice.set(at, add(byPrice.get(at) ?? ZERO_QUANTITY, size));
  const texts = [...byPrice].map(([at, size]) => `${formatQuantity(size)} at ${formatPrice(at)}`);
  return [state, ...texts.toSorted()];
}

/** Checks the state and the executions of a report. Throws a Mismatch. */
export function expectReport(
  call: string,
  report: Pick<ChildReport, "state" | "fills">,
  state: ChildReport["state"],
  parts: readonly Part[] = [],
): void {
  same(call, textsOf(report), [state, ...parts.toSorted()]);
}

/** Checks that a report is the last one of a child that has executed these parts. Throws a Mismatch. */
export function expectClosed(
  call: string,
  report: Pick<ChildReport, "state" | "fills">,
  parts: readonly Part[],
): void {
  expectReport(call, report, "closed", parts);
}

/** Checks that a report has executed nothing and is not open. Throws a Mismatch. */
export function executesNothing(call: string, report: Pick<ChildReport, "state" | "fills">): void {
  const isOver = report.state !== "open" && report.fills.length === 0;
  holds(call, isOver, "closed or rejected, with no executions", textsOf(report));
}
