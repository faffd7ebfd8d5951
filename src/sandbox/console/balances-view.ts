import { element, make } from "./elements.ts";
import { grouped } from "./number-texts.ts";

/** Assets that are shown: USD, that of the market, and others up to this number. */
const MOST_ASSETS = 12;

/** The balances of the account. */
export class BalancesView {
  readonly #base: () => string;
  #changed: ReadonlySet<string> = new Set();
  #balances: Readonly<Record<string, string>> = {};

  constructor(base: () => string) {
    this.#base = base;
  }

  /** The balances that are known, by asset. */
  get all(): Readonly<Record<string, string>> {
    return this.#balances;
  }

  /** Shows balances: all of them, or those that have changed. */
  show(balances: Readonly<Record<string, string>>): void {
    const before = this.#balances;
    this.#balances = { ...before, ...balances };
    const assets = Object.keys(balances);
    this.#changed = new Set(
      assets.filter((asset) => before[asset] !== undefined && before[asset] !== balances[asset]),
    );
    this.draw();
    element("balances-card", HTMLElement).hidden = false;
  }

  /** Shows what is known again, the asset of the market first. */
  draw(): void {
    const first = ["USD", this.#base()].filter((asset) => this.#balances[asset] !== undefined);
    const assets = [...new Set([...first, ...this.#changed, ...Object.keys(this.#balances)])];
    const rows = assets.slice(0, MOST_ASSETS).map((asset) => {
      const row = make("tr", {}, [
        make("th", { text: asset, attributes: { scope: "row" } }),
        make("td", { text: grouped(this.#balances[asset] ?? "") }),
      ]);
      row.classList.toggle("changed", this.#changed.has(asset));
      return row;
    });
    element("balances", HTMLTableSectionElement).replaceChildren(...rows);
    element("balances-empty", HTMLParagraphElement).hidden = rows.length > 0;
    const more = element("balances-more", HTMLParagraphElement);
    more.hidden = assets.length <= MOST_ASSETS;
    more.textContent = `${assets.length - MOST_ASSETS} more: the one of a market is shown with it.`;
  }

  hide(): void {
    this.#balances = {};
    element("balances-card", HTMLElement).hidden = true;
  }
}
