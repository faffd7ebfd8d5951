import { afterExecution, beforeExecution, type ExecutedValue } from "../../decimal/index.ts";
import type { OrderUpdate } from "../../engine/index.ts";
import { type StatusView, statusOf } from "../../lifecycle/index.ts";
import type { AlertKind, EndReason, Fact, Fill, ParentOrder } from "../../model/index.ts";

/** Kinds of order events under the convention's names, TRIGGERED, and ALERT for an alert of a stalled order. */
export type ExecutionType = "NEW" | "TRADE" | "CANCELED" | "EXPIRED" | "REJECTED" | "TRIGGERED" | "ALERT";

/**
 * One event of an order that a client receives. What was executed, and its value, are those after the event.
 */
export type OrderEvent = Readonly<{
  order: ParentOrder;
  timeMs: number;
  execution: ExecutionType;
  view: StatusView;
  executed: ExecutedValue;
  fill?: Fill;
  reason?: EndReason;
  alerts?: readonly AlertKind[];
}>;

type FilledFact = Extract<Fact, { kind: "FILLED" }>;
type EndedFact = Extract<Fact, { kind: "ENDED" }>;

const isFilled = (fact: Fact): fact is FilledFact => fact.kind === "FILLED";
const isEnded = (fact: Fact): fact is EndedFact => fact.kind === "ENDED";

/**
 * Returns the events that a durable change of an order sends to its account, in the order of the facts: NEW when it was
 * accepted or released, TRADE for each fill, CANCELED, EXPIRED or REJECTED for an end without a full fill, TRIGGERED, and
 * ALERT when it is stalled or goes on. Other changes, such as a cancel that waits for a child, send no event. Source: convention 4.11;
 * decisions 11, 15, 35, 51.
 */
export function orderEventsOf({ record, order }: OrderUpdate): readonly OrderEvent[] {
  const facts = record.changes.find(({ orderId }) => orderId === order.orderId)?.facts ?? [];
  const events = new EventBuilder(order, facts, record.timeMs);
  for (const fact of facts) events.publish(fact);
  return events.events;
}

const OF_STALLS: ReadonlySet<AlertKind> = new Set(["ORDER_STALLED", "ORDER_RESUMED"]);

/** Builds the events of one order from the facts of a record. */
class EventBuilder {
  readonly events: OrderEvent[] = [];
  readonly #order: ParentOrder;
  readonly #timeMs: number;
  readonly #end: EndedFact | undefined;
  readonly #lastFill: FilledFact | undefined;
  #executed: ExecutedValue;

  constructor(order: ParentOrder, facts: readonly Fact[], timeMs: number) {
    this.#order = order;
    this.#timeMs = timeMs;
    this.#end = facts.find(isEnded);
    const fills = facts.filter(isFilled);
    this.#lastFill = fills.at(-1);
    this.#executed = fills.reduce<ExecutedValue>((total, { fill }) => beforeExecution(total, fill), order);
  }

  publish(fact: Fact): void {
    if (fact.kind === "ACCEPTED" || fact.kind === "RELEASED") this.#add({ execution: "NEW" });
    else if (isFilled(fact)) this.#trade(fact);
    else if (isEnded(fact)) this.#ended(fact);
    else if (fact.kind === "ALERT") this.#alert(fact.alert);
    else if (fact.kind === "TRIGGERED") this.#triggered();
  }

  /** A child may follow late or never. An event before it, or the end that comes with it, has the trigger already. */
  #triggered(): void {
    if (this.events.length === 0 && this.#end === undefined) this.#add({ execution: "TRIGGERED" });
  }

  #trade(fact: FilledFact): void {
    this.#executed = afterExecution(this.#executed, fact.fill);
    const completes = this.#end?.status === "FILLED" && fact === this.#lastFill;
    const goesOn = this.#end !== undefined && !completes;
    this.#add({
      execution: "TRADE",
      fill: fact.fill,
      ...(goesOn && { view: beforeEnd(this.#order) }),
    });
  }

  /** Adds the end. If the order is filled, the event of the last fill already says so. */
  #ended({ status, reason }: EndedFact): void {
    if (status !== "FILLED") this.#add({ execution: status, reason });
    else if (this.#lastFill === undefined) this.#add({ execution: "TRADE" });
  }

  /**
   * Attaches an alert to the event before it. Without one, that the order is stalled or goes on is an event of its own; any
   * other alert concerns only the operator.
   */
  #alert(alert: AlertKind): void {
    if (this.events.length === 0 && OF_STALLS.has(alert)) this.#add({ execution: "ALERT" });
    const last = this.events.pop();
    if (last !== undefined) this.events.push({ ...last, alerts: [...(last.alerts ?? []), alert] });
  }

  #add(event: Pick<OrderEvent, "execution" | "fill" | "reason"> & { readonly view?: StatusView }): void {
    this.events.push({
      order: this.#order,
      timeMs: this.#timeMs,
      view: statusOf(this.#order),
      executed: this.#executed,
      ...event,
    });
  }
}

/** Returns the status of an order before the end that the same record brought. */
function beforeEnd(order: ParentOrder): StatusView {
  const { ended: _ended, ...open } = order;
  return statusOf(open);
}
