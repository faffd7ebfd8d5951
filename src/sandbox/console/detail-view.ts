import type { ManagedOrderReply } from "../../client/index.ts";
import type { Control } from "./control.ts";
import { element, make } from "./elements.ts";
import { errorWords } from "./error-words.ts";
import { childText, type LifeLine, lifeOf, type ShownChild } from "./life.ts";
import { timeText } from "./number-texts.ts";
import { knownOf } from "./order-words.ts";

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
    if (this.#control() !== undefined) this.#say("Reading the history …");
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
    if (control === undefined) return this.#say(WITHOUT_CONTROL);
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
      this.#say(errorWords(error).text);
    }
  }

  #say(text: string): void {
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
