import { durationText } from "../../common/index.ts";
import {
  add,
  formatScaled,
  PRICE_SCALE,
  type Price,
  price,
  type Quantity,
  quantity,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import { statusOf } from "../../lifecycle/index.ts";
import type {
  ChildOutcome,
  Fact,
  NativeOrder,
  ParentIntent,
  ParentOrder,
  TrailingDistance,
} from "../../model/index.ts";
import type { OrderChart } from "../chart.ts";
import type { SimulatedFill, SimulationResult } from "../result.ts";
import { type Content, columns, html, type Markup, table } from "./markup.ts";
import { averageText, grouped, instantText, priceText, quantityText } from "./numbers.ts";

/** An execution, and the executed quantity of its order with it. */
interface Execution {
  readonly timeMs: number;
  readonly price: Price;
  readonly quantity: Quantity;
  readonly executed: Quantity;
}

/** A child of an order. */
interface ChildStory {
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

/** Returns an order in one line of a heading. */
export function orderTitle({ number, order }: OrderStory): Markup {
  const { type, side, quantity: size, symbol, clientOrderId } = order.intent;
  return html`#${number} ${type} ${side} ${quantityText(size)} ${symbol} <code>${clientOrderId}</code>`;
}

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

/** Returns the tables of managed and native orders. */
export function ordersSection(
  { nativeOrders }: SimulationResult,
  stories: readonly OrderStory[],
  mostRows: number,
): Markup {
  const managed = table({
    caption: "Managed orders",
    columns: [
      ...columns("text", "No.", "Client order id", "Symbol", "Type", "Side"),
      ...columns("number", "Quantity", "Executed", "Average price"),
      ...columns("text", "Status", "Reason"),
      ...columns("long", "Terms"),
      ...columns("number", "Children", "Accepted, UTC", "Ended, UTC"),
      ...columns("long", "List"),
    ],
    rows: stories.slice(0, mostRows).map(managedRow),
    left: stories.length - mostRows,
  });
  const native = table({
    caption: "Native orders",
    columns: [
      ...columns("text", "Client order id", "Symbol", "Type", "Side"),
      ...columns("number", "Quantity", "Price", "Executed", "Average price"),
      ...columns("text", "Status"),
    ],
    rows: nativeOrders.slice(0, mostRows).map(nativeRow),
    left: nativeOrders.length - mostRows,
  });
  return html`${managed}
${nativeOrders.length === 0 ? undefined : native}`;
}

function managedRow({ number, order, children }: OrderStory): readonly Content[] {
  const { intent, ended, list } = order;
  return [
    `#${number}`,
    html`<code>${intent.clientOrderId}</code>`,
    intent.symbol,
    intent.type,
    side(intent.side),
    quantityText(intent.quantity),
    quantityText(order.executedQuantity),
    averageText(order),
    statusOf(order).status,
    ended?.reason,
    termsOf(order),
    children.length,
    instantText(order.acceptedAtMs),
    ended && instantText(ended.atMs),
    list && html`<code>${list.listClientOrderId}</code> ${list.contingency} ${list.role}`,
  ];
}

function nativeRow(order: NativeOrder): readonly Content[] {
  const { clientOrderId, symbol, type, quantity, price, executedQuantity, status } = order;
  return [
    html`<code>${clientOrderId}</code>`,
    symbol,
    type,
    side(order.side),
    quantity && quantityText(quantity),
    price && priceText(price),
    quantityText(executedQuantity),
    averageText(order),
    status,
  ];
}

const side = (of: "BUY" | "SELL"): Markup =>
  html`<span class="${of === "BUY" ? "is-buy" : "is-sell"}">${of}</span>`;

/** Describes what is special of an order. */
function termsOf({ intent, plan }: ParentOrder): string {
  const { stopPrice, trailing, price, limitOffset, icebergQuantity, participationBips } = intent;
  return [
    stopPrice && `${trailing === undefined ? "stop" : "active from"} ${priceText(stopPrice)}`,
    trailing && `trails by ${distanceText(trailing)}`,
    price && `limit ${priceText(price)}`,
    limitOffset !== undefined && `limit offset ${priceText(limitOffset)}`,
    icebergQuantity && `shows ${quantityText(icebergQuantity)}`,
    plan && `${plan.count} slots of ${durationText(plan.intervalMs)}`,
    participationBips !== undefined && `${formatScaled(participationBips, 2)} % of the volume`,
    expiry(intent),
    intent.reduceOnly && "reduce only",
    intent.childTimeInForce === "FOK" && "FOK children",
  ]
    .filter((term) => typeof term === "string")
    .join(", ");
}

function expiry({ expireTimeMs }: ParentIntent): string | undefined {
  return expireTimeMs === undefined ? undefined : `until ${instantText(expireTimeMs)}`;
}

function distanceText(distance: TrailingDistance): string {
  if (distance.kind === "bps") return `${grouped(String(distance.bps))} bp`;
  if (distance.kind === "amount") return `${priceText(distance.amount)} USD`;
  return `${grouped(formatScaled(distance.percent, PRICE_SCALE))} %`;
}
