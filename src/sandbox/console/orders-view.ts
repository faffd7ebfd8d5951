import type { ManagedOrderReply } from "../../client/index.ts";
import { changeable } from "./change.ts";
import type { Control } from "./control.ts";
import { arrange, button, element, make, segments } from "./elements.ts";
import { errorWords } from "./error-words.ts";
import { childText, type LifeLine, lifeOf, type ShownChild } from "./life.ts";
import { grouped, shortPrice, timeText } from "./numbers.ts";
import {
  conditionOf,
  groupsOf,
  isGroupOpen,
  isOpen,
  knownOf,
  listWords,
  NO_LIST,
  type OrderGroup,
  reasonWords,
  type ShownOrder,
  shareOf,
  statusOf,
  typeName,
} from "./orders.ts";

/** What a person does in the table of orders. */
type OrderActs = Readonly<{
  cancel: (order: ManagedOrderReply, by: HTMLButtonElement) => void;
  change: (order: ManagedOrderReply) => void;
  select: (order: ManagedOrderReply) => void;
}>;

/** The buttons of a row. */
type RowButtons = Readonly<Record<"change" | "cancel", HTMLButtonElement>>;

/** The row of an order, or the head of a list, in a state, and its buttons. */
type Row = Readonly<{ version: string; row: HTMLTableRowElement; buttons: RowButtons }>;

/** Ended orders and lists that are shown. */
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
  #orders: readonly ShownOrder[] = [];
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

  /** Shows orders, open ones first, and those of a list below its head. */
  show(orders: readonly ShownOrder[]): void {
    this.#orders = orders;
    const groups = groupsOf(orders);
    const open = groups.filter(isGroupOpen);
    const ended = groups.filter((group) => !isGroupOpen(group)).slice(0, MOST_ENDED);
    const shown = this.#onlyOpen ? open : [...open, ...ended];
    this.#detail.hidden = shown.every((group) =>
      group.orders.every(({ orderId }) => orderId !== this.#selected),
    );
    // It stays in the page while its order is not shown.
    if (this.#detail.hidden) this.#home.append(this.#detail);
    element("orders-table", HTMLTableElement).hidden = shown.length === 0;
    const empty = element("orders-empty", HTMLParagraphElement);
    empty.hidden = shown.length > 0;
    empty.textContent = this.#onlyOpen
      ? "No open orders."
      : "No orders yet. Place one: it appears here at once.";
    element("cancel-all", HTMLButtonElement).hidden = open.length === 0;
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset["key"] : undefined;
    const rows = new Map(shown.flatMap((group) => this.#rowsOf(group)));
    this.#rows = rows;
    const selected = [...rows].find(([, { row }]) => row.classList.contains("selected"));
    arrange(
      element("orders", HTMLTableSectionElement),
      [...rows.values()].flatMap(({ row }) => {
        if (row !== selected?.[1].row) return [row];
        this.#detailCell.append(this.#detail);
        return [row, this.#detailRow];
      }),
    );
    if (focused !== undefined) this.#focus(focused);
  }

  /** A button that had the focus keeps it over a change of the table. That of an order without a cancel is its name. */
  #focus(key: string): void {
    const buttons = [...element("orders", HTMLTableSectionElement).querySelectorAll("button")];
    const [, id = ""] = key.split(" ");
    const of = (wanted: string): HTMLElement | undefined =>
      buttons.find(({ dataset }) => dataset["key"] === wanted);
    (of(key) ?? of(`open ${id}`) ?? element("orders-title", HTMLHeadingElement)).focus();
  }

  /** Marks the order whose detail is shown. The focus of what is closed goes to its order. */
  select(orderId: string | undefined): void {
    const before = this.#selected;
    const hasFocus = this.#detail.contains(document.activeElement);
    this.#selected = orderId;
    this.show(this.#orders);
    if (hasFocus && orderId === undefined) this.#focus(`open ${before}`);
  }

  /** The rows of a group by their keys: a head if it is a list, and its orders. */
  #rowsOf(group: OrderGroup): readonly (readonly [string, Row])[] {
    const { listId, orders } = group;
    const rows = orders.map((order) => {
      const isSelected = order.orderId === this.#selected;
      return this.#row(keyOf(order), [order, isSelected, listId], order, ({ change, cancel }) => {
        const row = this.#made(order, [
          ...(changeable(order).length > 0 ? [change] : []),
          ...(listId === undefined && isOpen(order) ? [cancel] : []),
        ]);
        row.classList.toggle("selected", isSelected);
        row.classList.toggle("leg", listId !== undefined);
        return row;
      });
    });
    if (listId === undefined) return rows;
    const live = orders.find(isOpen);
    const head = this.#row(`${keyOf(orders[0])} list`, [group, live], live ?? orders[0], ({ cancel }) =>
      headOf(group, live === undefined ? [] : [cancel]),
    );
    return [head, ...rows];
  }

  /** What has not changed keeps its row, and every row keeps its buttons. */
  #row(
    key: string,
    version: unknown,
    order: ShownOrder,
    make: (buttons: RowButtons) => HTMLTableRowElement,
  ): readonly [string, Row] {
    const known = this.#rows.get(key);
    const text = JSON.stringify(version);
    if (known?.version === text) return [key, known];
    const buttons = known?.buttons ?? { change: this.#change(order), cancel: this.#cancel(order) };
    return [key, { version: text, row: make(buttons), buttons }];
  }

  #made(order: ShownOrder, act: readonly HTMLElement[]): HTMLTableRowElement {
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
      ["status", [make("span", { className: "badge", text: status, data: { tone } }), ...reasonOf(order)]],
      ["act", act],
    ];
    const row = make("tr", { data: { tone, id: clientOrderId, open: String(isOpen(order)) } });
    for (const [className, children] of cells) row.append(make("td", { className }, children));
    return row;
  }

  #change({ orderId, clientOrderId }: ShownOrder): HTMLButtonElement {
    const act = (): void => {
      const order = this.#orders.find((each) => each.orderId === orderId);
      if (order !== undefined) this.#acts.change(order);
    };
    return button("Change", act, {
      className: "quiet",
      data: { key: `change ${orderId}` },
      attributes: { "aria-label": `Change ${clientOrderId}`, "aria-haspopup": "dialog" },
    });
  }

  /** A list is canceled by any leg that is open when the button is pressed. */
  #cancel({ orderId, orderListId, clientOrderId }: ShownOrder): HTMLButtonElement {
    const isList = orderListId !== NO_LIST;
    const act = (): void => {
      const open = this.#orders.filter(isOpen);
      const order = open.find((each) =>
        isList ? each.orderListId === orderListId : each.orderId === orderId,
      );
      if (order !== undefined) this.#acts.cancel(order, cancel);
    };
    const cancel: HTMLButtonElement = button(isList ? "Cancel list" : "Cancel", act, {
      className: "quiet",
      data: { key: `cancel ${orderId}` },
      attributes: { "aria-label": `${isList ? "Cancel list of" : "Cancel"} ${clientOrderId}` },
    });
    return cancel;
  }
}

function headOf(group: OrderGroup, act: readonly HTMLElement[]): HTMLTableRowElement {
  const { symbol } = group.orders[0];
  const about = make("th", { attributes: { colspan: "4", scope: "row" } }, [
    `${listWords(group)} `,
    make("span", { className: "symbol", text: symbol }),
  ]);
  return make("tr", { className: "list" }, [about, make("td", { className: "act" }, act)]);
}

/** Why an order has ended, if its status alone does not say it. */
function reasonOf({ reason = "" }: ShownOrder): readonly HTMLElement[] {
  const text = reasonWords(reason);
  return text === "" ? [] : [make("small", { className: "reason", text })];
}

const keyOf = ({ orderId, clientOrderId }: ShownOrder): string => `${orderId} ${clientOrderId}`;

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

const WITHOUT_CONTROL =
  "The history is read over the control interface, which this page cannot reach: it is off, or the page was opened under another name than 127.0.0.1 or localhost.";

/** Shows one order: at once what is known of it, then its history and what it sent to the venue. */
export class DetailView {
  readonly #control: () => Control | undefined;
  #order: ManagedOrderReply | undefined;
  #version = "";

  constructor(control: () => Control | undefined, closed: () => void) {
    this.#control = control;
    element("detail-close", HTMLButtonElement).addEventListener("click", () => {
      this.close();
      closed();
    });
  }

  /** Shows an order. */
  async open(order: ManagedOrderReply): Promise<void> {
    this.#order = order;
    this.#version = "";
    if (this.#control() !== undefined) this.#showInstead("Reading the history …");
    await this.#show(order);
  }

  /** Shows the present state of the order that is open, if it has changed. */
  update(orders: readonly ManagedOrderReply[]): void {
    const order = orders.find(({ orderId }) => orderId === this.#order?.orderId);
    if (order !== undefined) void this.#show(order);
  }

  close(): void {
    this.#order = undefined;
  }

  async #show(order: ManagedOrderReply): Promise<void> {
    const version = JSON.stringify(order);
    if (version === this.#version) return;
    this.#version = version;
    element("known", HTMLDListElement).replaceChildren(
      ...knownOf(order).flatMap(([name, value]) => [make("dt", { text: name }), make("dd", { text: value })]),
    );
    const control = this.#control();
    if (control === undefined) return this.#showInstead(WITHOUT_CONTROL);
    try {
      const [records, children] = await Promise.all([
        control.journal(order.orderId),
        control.children(order.orderId),
      ]);
      // A reply to an earlier question may arrive later.
      if (this.#order?.orderId === order.orderId && version === this.#version)
        fill(lifeOf(records, order.orderId), children);
    } catch (error) {
      // The next change, or the next reconnection, reads it again.
      this.#version = "";
      this.#showInstead(errorWords(error).text);
    }
  }

  #showInstead(text: string): void {
    element("life", HTMLOListElement).replaceChildren(make("li", { className: "empty", text }));
    element("children", HTMLUListElement).replaceChildren();
  }
}

function fill(life: readonly LifeLine[], children: readonly ShownChild[]): void {
  element("life", HTMLOListElement).replaceChildren(
    ...life.map(({ timeMs, text, why, tone }) =>
      make("li", { data: { tone } }, [
        make("time", { text: timeText(timeMs, true) }),
        make("span", { className: "what", text }),
        make("small", { text: why }),
      ]),
    ),
  );
  element("children", HTMLUListElement).replaceChildren(
    ...(children.length === 0 ? [make("li", { className: "empty", text: "None was sent." })] : []),
    ...children.map((child) =>
      make("li", {}, [make("code", { text: child.clientOrderId }), make("span", { text: childText(child) })]),
    ),
  );
}
