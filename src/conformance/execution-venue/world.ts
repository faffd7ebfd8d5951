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
import type { ExecutionVenue, NotFound, VenueEvent } from "../../ports/index.ts";
import { venueOption } from "../../ports/internal.ts";
import {
  type AtEnd,
  answerOf,
  holds,
  Mismatch,
  type Outcome,
  outcomeOf,
  type Rule,
  type RuleGroup,
  same,
  shown,
} from "../suite/index.ts";
import {
  type ExecutionVenuePlace,
  type ExecutionVenueSubject,
  type ExecutionVenueSupport,
  type OpenVenue,
  placeCheck,
} from "./place.ts";

/** A rule of the execution venue port. */
export type VenueRule = Rule<VenueWorld, ExecutionVenueSupport>;
/** Rules of the execution venue port about one subject. */
export type VenueRules = RuleGroup<VenueWorld, ExecutionVenueSupport>;

/** The members of a child that a rule chooses; amounts as text. */
export type ChildFields = Readonly<
  Partial<Omit<ChildRequest, "quantity" | "limitPrice">> & {
    quantity?: string;
    limitPrice?: string;
  }
>;

/** Limits of a submit that a rule chooses. By default the deadline is 10 seconds ahead. */
export type Limits = Readonly<{ deadlineMs?: number; signal?: AbortSignal }>;

/** A part of a market, as text. */
export type Part = readonly [quantity: string, price: string];

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
    const place = await subject.createPlace();
    atEnd(() => place.remove());
    placeCheck(subject.supports)(place, `the place that createPlace of ${subject.name} created`);
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
    const levels = parts.map(([size, at]) => ({ quantity: size, price: at }));
    await this.place.offer({ symbol, side, levels });
  }

  /** Returns a child of its own id: an IOC to buy 1 at market by default. */
  child({ quantity: size = "1", limitPrice, ...rest }: ChildFields = {}): ChildRequest {
    const parent = {
      orderId: -256 * ++children,
      acceptedAtMs: this.place.nowMs(),
    };
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
    return this.venue.submit(child, {
      deadlineMs: deadlineMs ?? this.place.nowMs() + DEADLINE_MS,
      signal: signal ?? new AbortController().signal,
    });
  }

  /** Returns what has become of a call when every answer that is due has come. */
  outcome(call: Promise<unknown>): Promise<Outcome> {
    return outcomeOf(call, () => this.place.idle());
  }

  /** Submits a child whose answer must come. Resolves to the report. */
  async submit(child: ChildRequest, limits: Limits = {}): Promise<ChildReport> {
    return await this.report(`submit of ${lineOf(child)}`, child, this.send(child, limits));
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
    same(`the position at the exchange after ${after}`, await this.place.position(symbol), due);
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
  const due = parts.map(([size, at]) => `${size} at ${at}`);
  same(call, textsOf(report), [state, ...due.toSorted()]);
}

/** Checks that a report has executed nothing and is not open. Throws a Mismatch. */
export function executesNothing(call: string, report: Pick<ChildReport, "state" | "fills">): void {
  const isOver = report.state !== "open" && report.fills.length === 0;
  holds(call, isOver, "closed or rejected, with no executions", textsOf(report));
}
