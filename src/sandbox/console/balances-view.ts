import { element, make } from "./elements.ts";
import { grouped } from "./number-texts.ts";

/** The balances of the account. */
export class BalancesView {
  #balances: Readonly<Record<string, string>> = {};

  /** The balances that are known, by asset. */
  get all(): Readonly<Record<string, string>> {
    return this.#balances;
  }

  /** Shows balances: all of them, or those that have changed. */
  show(balances: Readonly<Record<string, string>>): void {
    const before = this.#balances;
    this.#balances = { ...before, ...balances };
    const rows = Object.entries(this.#balances).map(([asset, amount]) => {
      const row = make("tr", {}, [
        make("th", { text: asset, attributes: { scope: "row" } }),
        make("td", { text: grouped(amount) }),
      ]);
      row.classList.toggle("changed", before[asset] !== undefined && before[asset] !== amount);
      return row;
    });
    element("balances", HTMLTableSectionElement).replaceChildren(...rows);
    element("balances-empty", HTMLParagraphElement).hidden = rows.length > 0;
    element("balances-card", HTMLElement).hidden = false;
  }

  hide(): void {
    this.#balances = {};
    element("balances-card", HTMLElement).hidden = true;
  }
}
