import { add, type Price, price, type Quantity, quantity, ZERO_QUANTITY } from "../../decimal/index.ts";
import type { ChildOutcome, Fact, ParentOrder } from "../../model/index.ts";
import type { OrderChart } from "../chart/index.ts";
import type { SimulatedFill, SimulationResult } from "../result/index.ts";

/** An execution, and the executed quantity of its order with it. */
export interface Execution {
  readonly timeMs: number;
  readonly price: Price;
  readonly quantity: Quantity;
  readonly executed: Quantity;
}

/** A child of an order. */
export interface ChildStory {
  readonly sentMs: number;
  readonly quantity: Quantity;
  readonly limitPrice: Price | undefined;
  executed: Quantity;
  outcome: ChildOutcome | undefined;
}

/** Everything that happened to one managed order. `number` counts orders from 1 in the order of their placement. */
export interface OrderStory {
  readonly number: number;
  readonly order: ParentOrder;
  readonly chart: OrderChart | undefined;
  /** When it was accepted, or released by the list that held it. */
  workingFromMs: number;
  activatedMs: number | undefined;
  readonly children: readonly ChildStory[];
  readonly executions: readonly Execution[];
}

type Draft = OrderStory & {
  readonly children: ChildStory[];
  readonly byId: Map<string, ChildStory>;
  readonly executions: Execution[];
};

/** Returns the story of each managed order, in the order of placement. */
export function storiesOf(result: SimulationResult): readonly OrderStory[] {
  const charts = new Map(result.chart?.orders.map((each) => [each.orderId, each]));
  const drafts = new Map(
    result.orders.map((order, index) => [
      order.orderId,
      draftOf(order, index + 1, charts.get(order.orderId)),
    ]),
  );
  for (const { changes, timeMs } of result.journal)
    for (const { orderId, facts } of changes) {
      const draft = drafts.get(orderId);
      if (draft !== undefined) for (const fact of facts) apply(fact, draft, timeMs);
    }
  for (const fill of result.fills) {
    const draft = fill.orderId === undefined ? undefined : drafts.get(fill.orderId);
    draft?.executions.push(executionOf(fill, draft.executions.at(-1)));
  }
  return [...drafts.values()];
}

function draftOf(order: ParentOrder, number: number, chart: OrderChart | undefined): Draft {
  return {
    ...{ number, order, chart, workingFromMs: order.acceptedAtMs, activatedMs: undefined },
    ...{ children: [], byId: new Map(), executions: [] },
  };
}

function apply(fact: Fact, draft: Draft, timeMs: number): void {
  if (fact.kind === "RELEASED") draft.workingFromMs = timeMs;
  else if (fact.kind === "ACTIVATED") draft.activatedMs = timeMs;
  else if (fact.kind === "CHILD_INTENDED") {
    const { childId, quantity: sent, limitPrice } = fact.child;
    const child = {
      ...{ sentMs: timeMs, quantity: sent, limitPrice, executed: ZERO_QUANTITY, outcome: undefined },
    };
    draft.byId.set(childId, child);
    draft.children.push(child);
  } else if (fact.kind === "FILLED") {
    const child = draft.byId.get(fact.childId);
    if (child !== undefined) child.executed = add(child.executed, fact.fill.quantity);
  } else if (fact.kind === "CHILD_CLOSED") {
    const child = draft.byId.get(fact.childId);
    if (child !== undefined) child.outcome = fact.outcome;
  }
}

/** Returns an execution; `before` is the one before it of the same order. */
function executionOf(fill: SimulatedFill, before: Execution | undefined): Execution {
  const filled = quantity(fill.quantity);
  const executed = add(before?.executed ?? ZERO_QUANTITY, filled);
  return { timeMs: fill.timeMs, price: price(fill.price), quantity: filled, executed };
}
