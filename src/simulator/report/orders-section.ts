import { durationText } from "../../common/index.ts";
import { formatPrice, formatQuantity, formatScaled, PRICE_SCALE } from "../../decimal/index.ts";
import { statusOf } from "../../lifecycle/index.ts";
import type { NativeOrder, ParentIntent, ParentOrder, TrailingDistance } from "../../model/index.ts";
import type { SimulationResult } from "../result/index.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { averageText, grouped } from "./numbers.ts";
import type { OrderStory } from "./story.ts";
import { firstOf, type TableColumn, table } from "./table.ts";
import { instantText } from "./times.ts";

const COLUMNS: readonly TableColumn[] = [
  { name: "No." },
  { name: "Client order id" },
  { name: "Symbol" },
  { name: "Type" },
  { name: "Side" },
  { name: "Quantity", isNumber: true },
  { name: "Executed", isNumber: true },
  { name: "Average price", isNumber: true },
  { name: "Status" },
  { name: "Reason" },
  { name: "Terms", isLong: true },
  { name: "Children", isNumber: true },
  { name: "Accepted, UTC", isNumber: true },
  { name: "Ended, UTC", isNumber: true },
  { name: "List", isLong: true },
];

/** Returns the tables of managed and native orders. */
export function ordersSection(
  result: SimulationResult,
  stories: readonly OrderStory[],
  mostRows: number,
): Markup {
  const managed = firstOf(stories, mostRows);
  const native = firstOf(result.nativeOrders, mostRows);
  return html`${table({
    caption: "Managed orders",
    columns: COLUMNS,
    rows: managed.shown.map(managedRow),
    left: { count: managed.count, what: "orders" },
  })}
${
  result.nativeOrders.length === 0
    ? undefined
    : table({
        caption: "Native orders",
        columns: [
          { name: "Client order id" },
          { name: "Symbol" },
          { name: "Type" },
          { name: "Side" },
          { name: "Quantity", isNumber: true },
          { name: "Price", isNumber: true },
          { name: "Executed", isNumber: true },
          { name: "Average price", isNumber: true },
          { name: "Status" },
        ],
        rows: native.shown.map(nativeRow),
        left: { count: native.count, what: "orders" },
      })
}`;
}

function managedRow({ number, order, children }: OrderStory): readonly Content[] {
  const { intent, ended, list } = order;
  return [
    `#${number}`,
    html`<code>${intent.clientOrderId}</code>`,
    intent.symbol,
    intent.type,
    side(intent.side),
    grouped(formatQuantity(intent.quantity)),
    grouped(formatQuantity(order.executedQuantity)),
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
    quantity && grouped(formatQuantity(quantity)),
    price && grouped(formatPrice(price)),
    grouped(formatQuantity(executedQuantity)),
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
    stopPrice && `${trailing === undefined ? "stop" : "active from"} ${grouped(formatPrice(stopPrice))}`,
    trailing && `trails by ${distanceText(trailing)}`,
    price && `limit ${grouped(formatPrice(price))}`,
    limitOffset !== undefined && `limit offset ${grouped(formatPrice(limitOffset))}`,
    icebergQuantity && `shows ${grouped(formatQuantity(icebergQuantity))}`,
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
  if (distance.kind === "amount") return `${grouped(formatPrice(distance.amount))} USD`;
  return `${grouped(formatScaled(distance.percent, PRICE_SCALE))} %`;
}
