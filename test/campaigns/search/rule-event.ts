import { type LegEvent, limitOf, type ParentEvent } from "../../../src/lifecycle/index.ts";
import type { ChildReport, ParentOrder } from "../../../src/model/index.ts";
import { executionOf } from "./leg-table.ts";
import { ACCEPTED_AT_MS, MIDDLE, priceAt, quantityOf, quoteAt, TRAIL } from "./market.ts";

type OfLeg = Readonly<{ leg: number }>;
type OfChild = OfLeg & Readonly<{ attempt: number; childId: string }>;

/** The content of a quote: the place of its price, whether it is fresh by then, and the exposure if it is known. */
export type Sighting = Readonly<{ price: number; fresh: boolean; exposure?: number }>;

/** The venue's report of a child: its executions in units, all of them each time. */
export type VenueReport = OfChild &
  Readonly<{ state: ChildReport["state"]; final: boolean; fills: readonly number[]; quote?: number }>;

/** One event for the rules. */
export type RuleEvent =
  | (OfLeg & Sighting & Readonly<{ kind: "FIRED" }>)
  | (OfLeg & Readonly<{ kind: "MEASURED"; price: number; exposure: number }>)
  | (OfLeg & Readonly<{ kind: "ACTIVATED" | "CANCEL" | "EXPIRED" }>)
  /** `alone`: its list is done and out of memory, only its own leg is read from the store. */
  | (VenueReport & Readonly<{ kind: "REPORTED"; alone: boolean }>)
  | (OfChild & Readonly<{ kind: "OUTCOME_UNKNOWN" | "CHILD_VOIDED" | "CHILD_WITHDRAWN" }>);

/** An event with a short text that no other event has. */
export type EventCase = Readonly<{ event: RuleEvent; key: string }>;

/** An event, ready for the rules. */
export function put(event: RuleEvent): EventCase {
  return { event, key: keyOf(event) };
}

function keyOf(event: RuleEvent): string {
  switch (event.kind) {
    case "FIRED":
      return `F${event.leg}${event.price}${event.fresh ? "" : "s"}${event.exposure ?? "-"}`;
    case "MEASURED":
      return `M${event.leg}${event.price}${event.exposure}`;
    case "REPORTED":
      return `R${event.leg}.${event.attempt}${event.state}${event.final ? "!" : ""}${event.fills.join("+")}@${event.quote ?? "-"}${event.alone ? "a" : ""}`;
    case "OUTCOME_UNKNOWN":
    case "CHILD_VOIDED":
    case "CHILD_WITHDRAWN":
      return `${event.kind}${event.leg}.${event.attempt}`;
    default:
      return `${event.kind}${event.leg}`;
  }
}

/** Converts the event to the form of the rules. */
export function legEventOf(legs: readonly ParentOrder[], event: RuleEvent): LegEvent {
  const leg = legs[event.leg];
  if (leg === undefined) throw new RangeError(`no leg ${event.leg}`);
  const isAlone = event.kind === "REPORTED" && event.alone;
  return { legs: isAlone ? [leg] : legs, orderId: leg.orderId, event: parentEventOf(leg, event) };
}

function parentEventOf(order: ParentOrder, event: RuleEvent): ParentEvent {
  switch (event.kind) {
    case "FIRED":
      return { kind: "FIRED", fired: firedOf(order, event.price), ...chanceOf(event) };
    case "MEASURED":
      return { kind: "MEASURED", ...chanceOf({ ...event, fresh: true }) };
    case "ACTIVATED":
      return { kind: "ACTIVATED", activation: { position: 1, seed: priceAt(MIDDLE) } };
    case "REPORTED":
      return {
        kind: "REPORTED",
        report: reportOf(event, order),
        ...(event.quote === undefined ? {} : { quote: quoteAt(event.quote) }),
      };
    case "OUTCOME_UNKNOWN":
    case "CHILD_VOIDED":
      return { kind: event.kind, childId: event.childId };
    case "CHILD_WITHDRAWN":
      return { kind: event.kind, childId: event.childId, detail: "the market went away" };
    default:
      return { kind: event.kind };
  }
}

type Firing = Extract<ParentEvent, { kind: "FIRED" }>;

function chanceOf({ price, fresh, exposure }: Sighting): Pick<Firing, "quote" | "fresh" | "exposure"> {
  const measured = exposure === undefined ? {} : { exposure: quantityOf(exposure) };
  return { quote: quoteAt(price), fresh, ...measured };
}

/** A trail fires where its reference was one distance away: its level is the price of the quote. */
function firedOf({ orderId, intent }: ParentOrder, place: number): Firing["fired"] {
  const observed = priceAt(place);
  if (intent.trailing === undefined) return { orderId, observed, level: intent.stopPrice ?? observed };
  const away = intent.side === "SELL" ? Number(TRAIL) : -Number(TRAIL);
  const reference = (Number(observed) + away) as unknown as typeof observed;
  return { orderId, observed, level: observed, reference };
}

/** A child executes at its limit, one without a limit in the middle. */
function reportOf({ childId, state, final, fills }: VenueReport, order: ParentOrder): ChildReport {
  const executions = fills.map((units, n) => ({
    executionId: executionOf(n + 1),
    quantity: quantityOf(units),
    price: limitOf(order) ?? priceAt(MIDDLE),
    timeMs: ACCEPTED_AT_MS,
  }));
  return { childId, state, fills: executions, ...(final ? { final } : {}) };
}
