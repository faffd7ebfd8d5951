import { add, type Notional, notionalOf, type Quantity, subtract } from "../../decimal/index.ts";
import type { OrderUpdate } from "../../engine/index.ts";
import { type StatusView, statusOf } from "../../lifecycle/index.ts";
import type { AlertKind, EndReason, Fact, Fill, ParentOrder } from "../../model/index.ts";

/** What happened to an order, as the convention's events name it. */
export type ExecutionType = "NEW" | "TRADE" | "CANCELED" | "EXPIRED" | "REJECTED";

/** One thing that a client is told of an order; quantity and USD executed are those after it. */
export type OrderEvent = Readonly<{
  order: ParentOrder;
  timeMs: number;
  execution: ExecutionType;
  view: StatusView;
  executedQuantity: Quantity;
  executedNotional: Notional;
  fill?: Fill;
  reason?: EndReason;
  alert?: AlertKind;
}>;

type FilledFact = Extract<Fact, { kind: "FILLED" }>;
type EndedFact = Extract<Fact, { kind: "ENDED" }>;

const isFilled = (fact: Fact): fact is FilledFact => fact.kind === "FILLED";
const isEnded = (fact: Fact): fact is EndedFact => fact.kind === "ENDED";

/**
 * What a durable change of an order tells its account, in the order of the facts: NEW when it was accepted or released,
 * TRADE for each fill, CANCELED, EXPIRED or REJECTED for an end without a full fill. Anything else, a cancel that waits for
 * a child among it, tells nothing. Source: convention 4.11; decisions 11, 15, 35.
 */
export function orderEventsOf({ record, order }: OrderUpdate): readonly OrderEvent[] {
  const facts = record.changes.find(({ orderId }) => orderId === order.orderId)?.facts ?? [];
  const events = new EventBuilder(order, facts, record.timeMs);
  for (const fact of facts) events.tell(fact);
  return events.events;
}

type Totals = Readonly<{ executedQuantity: Quantity; executedNotional: Notional }>;

/** Makes the events of one order out of the facts of a record. */
class EventBuilder {
  readonly events: OrderEvent[] = [];
  readonly #order: ParentOrder;
  readonly #timeMs: number;
  readonly #end: EndedFact | undefined;
  readonly #lastFill: FilledFact | undefined;
  #totals: Totals;

  constructor(order: ParentOrder, facts: readonly Fact[], timeMs: number) {
    this.#order = order;
    this.#timeMs = timeMs;
    this.#end = facts.find(isEnded);
    const fills = facts.filter(isFilled);
    this.#lastFill = fills.at(-1);
    this.#totals = fills.reduce<Totals>(without, order);
  }

  tell(fact: Fact): void {
    if (fact.kind === "ACCEPTED" || fact.kind === "RELEASED") this.#add({ execution: "NEW" });
    else if (isFilled(fact)) this.#trade(fact);
    else if (isEnded(fact)) this.#ended(fact);
    else if (fact.kind === "ALERT") this.#alert(fact.alert);
  }

  #trade(fact: FilledFact): void {
    this.#totals = plus(this.#totals, fact);
    const completes = this.#end?.status === "FILLED" && fact === this.#lastFill;
    const goesOn = this.#end !== undefined && !completes;
    this.#add({
      execution: "TRADE",
      fill: fact.fill,
      ...(goesOn && { view: beforeEnd(this.#order) }),
    });
  }

  /** The last of the fills has said already that the order is filled. */
  #ended({ status, reason }: EndedFact): void {
    if (status !== "FILLED") this.#add({ execution: status, reason });
    else if (this.#lastFill === undefined) this.#add({ execution: "TRADE" });
  }

  /** An alert belongs to what was told before it; by itself it is the operator's. */
  #alert(alert: AlertKind): void {
    const last = this.events.pop();
    if (last !== undefined) this.events.push({ ...last, alert });
  }

  #add(event: Pick<OrderEvent, "execution" | "fill" | "reason"> & { readonly view?: StatusView }): void {
    const { executedQuantity, executedNotional } = this.#totals;
    this.events.push({
      order: this.#order,
      timeMs: this.#timeMs,
      view: statusOf(this.#order),
      executedQuantity,
      executedNotional,
      ...event,
    });
  }
}

/** Where an order stood before the end that the same record brought. */
function beforeEnd(order: ParentOrder): StatusView {
  const { ended: _ended, ...open } = order;
  return statusOf(open);
}

function without(totals: Totals, { fill }: FilledFact): Totals {
  return {
    executedQuantity: subtract(totals.executedQuantity, fill.quantity),
    executedNotional: subtract(totals.executedNotional, notionalOf(fill.price, fill.quantity)),
  };
}

function plus(totals: Totals, { fill }: FilledFact): Totals {
  return {
    executedQuantity: add(totals.executedQuantity, fill.quantity),
    executedNotional: add(totals.executedNotional, notionalOf(fill.price, fill.quantity)),
  };
}
