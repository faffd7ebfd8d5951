import type { ManagedOrderReply } from "../../client/index.ts";
import { type PreviewContext, previewAmend } from "../../lifecycle/index.ts";
import type { AmendFields } from "../../requests/index.ts";
import {
  type ChangeField,
  type ChangeWords,
  changeable,
  changeFieldOf,
  changesOf,
  changeTitle,
  changeWords,
  valueNow,
} from "./change.ts";
import { element, errorParts, make, markRight, markWrong, report } from "./elements.ts";
import { errorWords } from "./error-words.ts";
import type { Outcome } from "./orders.ts";
import { fieldInput, wordsAt } from "./ticket-view.ts";

/** What the dialog needs of the page. */
type ChangeParts = Readonly<{
  /** What the rules need to know of market and account now. */
  context: (order: ManagedOrderReply) => PreviewContext;
  amend: (order: ManagedOrderReply, changes: AmendFields) => Promise<Outcome>;
}>;

/** A level that was moved in the chart: the field, and its new value. */
export type MovedLevel = Readonly<{ field: ChangeField; text: string }>;

/** The dialog in which an open order is changed. It says what the change would do while it is entered, and asks the rules. */
export class ChangeView {
  readonly #parts: ChangeParts;
  readonly #dialog: HTMLDialogElement = element("change", HTMLDialogElement);
  readonly #form: HTMLFormElement = element("change-form", HTMLFormElement);
  readonly #yes: HTMLButtonElement = element("change-yes", HTMLButtonElement);
  #order: ManagedOrderReply | undefined;
  #fields: readonly ChangeField[] = [];
  #shown = "";

  constructor(parts: ChangeParts) {
    this.#parts = parts;
    this.#form.addEventListener("input", () => this.refresh());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    element("change-no", HTMLButtonElement).addEventListener("click", () => this.#dialog.close());
  }

  /** Asks for a change: of all fields that can change, or of the level that was moved. Resolves when the dialog is closed. */
  open(order: ManagedOrderReply, moved?: MovedLevel): Promise<void> {
    this.#order = order;
    this.#fields = moved === undefined ? changeable(order) : [moved.field];
    this.#shown = "";
    element("change-title", HTMLHeadingElement).textContent = changeTitle(order);
    element("change-says", HTMLParagraphElement).textContent = order.clientOrderId;
    const [base = ""] = order.symbol.split("/");
    const rows = this.#fields.map((name) => {
      const value = moved?.field === name ? moved.text : valueNow(order, name);
      return fieldInput(changeFieldOf(name), { base, id: `change-${name}`, name, value });
    });
    element("change-fields", HTMLDivElement).replaceChildren(...rows);
    this.refresh();
    this.#dialog.showModal();
    // A key that is still pressed must send nothing: of a moved level, the focus begins on the way back.
    const first = moved === undefined ? rows[0]?.querySelector("input") : undefined;
    (first ?? element("change-no", HTMLButtonElement)).focus();
    return new Promise((resolve) => {
      this.#dialog.addEventListener("close", () => resolve(), { once: true });
    });
  }

  /** Takes in the present state of the order: it may have acted meanwhile. */
  update(orders: readonly ManagedOrderReply[]): void {
    const order = orders.find(({ orderId }) => orderId === this.#order?.orderId);
    if (order !== undefined) this.#order = order;
    this.refresh();
  }

  /** Says again what the change would do: market and order move while a person looks at it. */
  refresh(): void {
    if (this.#order === undefined || this.#yes.hasAttribute("aria-busy")) return;
    const changes = this.#changes(this.#order);
    const isSame = Object.keys(changes).length === 0;
    const words = isSame
      ? undefined
      : changeWords(
          this.#order,
          changes,
          previewAmend(this.#order, changes, this.#parts.context(this.#order)),
        );
    const text = JSON.stringify([words, changes]);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#yes.setAttribute("aria-disabled", String(isSame || words?.refusal !== undefined));
    this.#show(words);
  }

  #changes(order: ManagedOrderReply): AmendFields {
    const values = this.#fields.map((name) => [name, this.#input(name)?.value.trim() ?? ""]);
    return changesOf(order, Object.fromEntries(values), this.#parts.context(order).nowMs ?? 0);
  }

  #input(name: string): HTMLInputElement | undefined {
    const input = this.#form.elements.namedItem(name);
    return input instanceof HTMLInputElement ? input : undefined;
  }

  #show(words: ChangeWords | undefined): void {
    const { refusal, changed = [], lines = ["Nothing is changed yet."], isWarning = false } = words ?? {};
    for (const name of this.#fields) {
      const input = this.#input(name);
      if (input !== undefined) markRight(input);
    }
    const named = refusal && this.#input(new Map(refusal.details).get("field") ?? "");
    const wrong = refusal && named && wordsAt(changeFieldOf(named.name as ChangeField), refusal);
    if (named !== undefined && wrong !== undefined) markWrong(named, wrong);
    const box = element("change-preview", HTMLDivElement);
    box.dataset["tone"] =
      refusal !== undefined ? "bad" : isWarning ? "work" : words === undefined ? "off" : "good";
    const values = changed.flatMap(([label, before, after]) => [
      make("dt", { text: label }),
      make("dd", {}, [make("del", { text: before }), " → ", make("ins", { text: after })]),
    ]);
    box.replaceChildren(
      ...(values.length === 0 ? [] : [make("dl", {}, values)]),
      ...(refusal === undefined || wrong !== undefined
        ? (wrong === undefined ? lines : [wrong]).map((text) => make("p", { text }))
        : errorParts(refusal)),
    );
  }

  /** Sends the change once. A refusal stays in the dialog, with what was entered. */
  async #send(): Promise<void> {
    const order = this.#order;
    if (order === undefined || this.#yes.hasAttribute("aria-busy")) return;
    if (this.#yes.getAttribute("aria-disabled") === "true") return;
    const changes = this.#changes(order);
    this.#yes.setAttribute("aria-busy", "true");
    try {
      const outcome = await this.#parts.amend(order, changes);
      this.#dialog.close();
      report(outcome);
    } catch (error) {
      this.#show({ refusal: errorWords(error), changed: [], lines: [], isWarning: false });
    } finally {
      this.#yes.removeAttribute("aria-busy");
    }
  }

  /** Closes the dialog, and forgets its order. */
  close(): void {
    this.#order = undefined;
    this.#dialog.close();
  }
}
