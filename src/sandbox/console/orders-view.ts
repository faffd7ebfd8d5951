import type { ManagedOrderReply } from "../../client/index.ts";
import { arrange, button, element, make, segments } from "./elements.ts";
import { grouped, shortPrice, timeText } from "./number-texts.ts";
import { conditionOf, isOpen, shareOf, statusOf, typeName } from "./order-words.ts";

/** What a person does in the table of orders. */
export type OrderActs = Readonly<{
  cancel: (order: ManagedOrderReply, by: HTMLButtonElement) => void;
  select: (order: ManagedOrderReply) => void;
}>;

/** The row of an order in a state, and its button. */
type Row = Readonly<{ version: string; row: HTMLTableRowElement; cancel: HTMLButtonElement }>;

/** Ended orders that are shown. */
const MOST_ENDED = 12;

/** The table of orders. */
export class OrdersView {
  readonly #acts: OrderActs;
  readonly #detail: HTMLElement = element("detail", HTMLElement);
  readonly #home: ParentNode = this.#detail.parentNode ?? document.body;
  readonly #detailCell: HTMLTableCellElement = make("td", { attributes: { colspan: "5" } });
  readonly #detailRow: HTMLTableRowElement = make("tr", { className: "detail-row" }, [this.#detailCell]);
  /** The rows that are shown, by both ids of their orders: another data folder begins again with the first order id. */
  #rows: ReadonlyMap<string, Row> = new Map();
  #orders: readonly ManagedOrderReply[] = [];
  #onlyOpen = false;
  #selected: string | undefined;

  constructor(acts: OrderActs) {
    this.#acts = acts;
    const press = segments(
      element("filters", HTMLFieldSetElement),
      [
        { value: false, text: "All" },
        { value: true, text: "Open" },
      ],
      (onlyOpen) => {
        this.#onlyOpen = onlyOpen;
        this.show(this.#orders);
      },
    );
    press(false);
  }

  /** Shows orders, open ones first. */
  show(orders: readonly ManagedOrderReply[]): void {
    this.#orders = orders;
    const open = orders.filter(isOpen);
    const ended = orders.filter((order) => !isOpen(order)).slice(0, MOST_ENDED);
    const shown = this.#onlyOpen ? open : [...open, ...ended];
    this.#detail.hidden = shown.every(({ orderId }) => orderId !== this.#selected);
    // It stays in the page while its order is not shown.
    if (this.#detail.hidden) this.#home.append(this.#detail);
    element("orders-table", HTMLTableElement).hidden = shown.length === 0;
    const empty = element("orders-empty", HTMLParagraphElement);
    empty.hidden = shown.length > 0;
    empty.textContent = this.#onlyOpen
      ? "No open orders."
      : "No orders yet. Place one: it appears here at once.";
    element("cancel-all", HTMLButtonElement).hidden = open.length === 0;
    const body = element("orders", HTMLTableSectionElement);
    // A button that has the focus keeps it over a change of the table.
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset["key"] : undefined;
    const rows = shown.map((order) => this.#row(order));
    this.#rows = new Map(rows.map((row, index) => [keyOf(shown[index]), row]));
    arrange(
      body,
      rows.flatMap(({ row }, index) => {
        if (shown[index]?.orderId !== this.#selected) return [row];
        this.#detailCell.append(this.#detail);
        return [row, this.#detailRow];
      }),
    );
    if (focused !== undefined)
      [...body.querySelectorAll("button")].find(({ dataset }) => dataset["key"] === focused)?.focus();
  }

  /** Marks the order whose detail is shown. */
  select(orderId: string | undefined): void {
    this.#selected = orderId;
    this.show(this.#orders);
  }

  /** An order that has not changed keeps its row, and every order keeps its button. */
  #row(order: ManagedOrderReply): Row {
    const isSelected = order.orderId === this.#selected;
    const version = JSON.stringify([order, isSelected]);
    const known = this.#rows.get(keyOf(order));
    if (known?.version === version) return known;
    const cancel = known?.cancel ?? this.#cancel(order);
    const row = this.#made(order, cancel);
    row.classList.toggle("selected", isSelected);
    return { version, row, cancel };
  }

  #made(order: ManagedOrderReply, cancel: HTMLButtonElement): HTMLTableRowElement {
    const { orderId, side, clientOrderId, symbol, transactTime } = order;
    const [status, tone] = statusOf(order);
    const name = button(clientOrderId, () => this.#acts.select(order), {
      className: "name",
      data: { key: `open ${orderId}` },
      attributes: { "aria-pressed": String(orderId === this.#selected) },
    });
    const about = make("div", { className: "about" }, [
      make("span", { className: "side", text: side === "SELL" ? "Sell" : "Buy", data: { side } }),
      ` ${typeName(order)} `,
      make("span", { className: "symbol", text: symbol }),
    ]);
    const cells: readonly (readonly [string, readonly (Node | string)[]])[] = [
      ["order", [about, name]],
      ["condition", [conditionOf(order), make("time", { text: timeText(transactTime) })]],
      ["executed", executedOf(order)],
      ["status", [make("span", { className: "badge", text: status, data: { tone } })]],
      ["act", isOpen(order) ? [cancel] : []],
    ];
    const row = make("tr", { data: { tone, id: clientOrderId, open: String(isOpen(order)) } });
    for (const [className, children] of cells) row.append(make("td", { className }, children));
    return row;
  }

  #cancel(order: ManagedOrderReply): HTMLButtonElement {
    const cancel: HTMLButtonElement = button("Cancel", () => this.#acts.cancel(order, cancel), {
      className: "quiet",
      data: { key: `cancel ${order.orderId}` },
      attributes: { "aria-label": `Cancel ${order.clientOrderId}` },
    });
    return cancel;
  }
}

const keyOf = (order: ManagedOrderReply | undefined): string => `${order?.orderId} ${order?.clientOrderId}`;

function executedOf({ executedQty, origQty, avgPrice }: ManagedOrderReply): readonly Node[] {
  const share = shareOf(executedQty, origQty);
  const bar = make("span", {
    className: "bar",
    attributes: { role: "progressbar", "aria-valuenow": String(share), "aria-label": "executed" },
  });
  bar.style.setProperty("--share", `${share}%`);
  const price = executedQty === "0" ? "" : ` at ${shortPrice(avgPrice)}`;
  return [
    make("span", { text: `${grouped(executedQty)} of ${grouped(origQty)}` }),
    bar,
    make("small", { text: price }),
  ];
}
