import { arrange, button, element, make, shown } from "./elements.ts";
import { ageOf, type Market, searched } from "./market-feed.ts";
import { dollars, grouped } from "./numbers.ts";

/** The cards of the markets, of which one is chosen. */
export type MarketsView = Readonly<{ update: (market: Market) => void; choose: (market: Market) => void }>;

type Card = Readonly<{ button: HTMLButtonElement; price: HTMLElement; change: HTMLElement }>;

/** Markets that are shown at once. With more, a person searches for one. */
const MOST_CARDS = 12;

/** Shows the markets. `chosen` is called when a person chooses one. */
export function showMarkets(markets: readonly Market[], chosen: (market: Market) => void): MarketsView {
  const search = element("market-search", HTMLInputElement);
  const cards = new Map<string, Card>();
  let current: Market | undefined;
  const update = (market: Market): void => {
    const card = cards.get(market.symbol);
    if (card !== undefined) fill(card, market);
  };
  /** The chosen market stays, whatever is searched for. */
  const show = (): void => {
    const found = searched(markets, search.value);
    const others = found.filter((market) => market !== current).slice(0, MOST_CARDS - 1);
    const wanted = new Set([...(current === undefined ? [] : [current]), ...others]);
    const shownMarkets = markets.length > MOST_CARDS ? [...wanted] : markets;
    const known = new Map(cards);
    cards.clear();
    for (const market of shownMarkets) {
      const card = known.get(market.symbol) ?? cardOf(market, () => chosen(market));
      card.button.setAttribute("aria-pressed", String(market === current));
      cards.set(market.symbol, card);
      update(market);
    }
    arrange(
      element("markets", HTMLFieldSetElement),
      [...cards.values()].map((card) => card.button),
    );
    const more = found.filter((market) => !wanted.has(market)).length;
    const text =
      found.length === 0 ? "No market is called so." : more === 0 ? "" : `${more} more markets: search`;
    shown(element("markets-more", HTMLParagraphElement), markets.length > MOST_CARDS ? text : "");
  };
  element("market-finder", HTMLDivElement).hidden = markets.length <= MOST_CARDS;
  search.oninput = show;
  show();
  return {
    update,
    choose(market) {
      current = market;
      show();
    },
  };
}

function fill(card: Card, market: Market): void {
  shown(card.price, market.quote === undefined ? "no quote yet" : dollars(market.quote.bid));
  const age = ageOf(market);
  const [text, tone] = age === "" ? changeOf(market) : [age, "off"];
  shown(card.change, text);
  card.change.dataset["tone"] = tone;
  card.button.classList.toggle("old", age !== "");
}

function cardOf({ symbol, name }: Market, act: () => void): Card {
  const price = make("span", { className: "price" });
  const change = make("span", {
    className: "change",
    attributes: { title: "Since the page was opened" },
  });
  const card = button("", act, { className: "market" });
  card.append(
    make("strong", { text: symbol }),
    make("span", { className: "name", text: name }),
    price,
    change,
  );
  return { button: card, price, change };
}

/** How far the price has moved since the page was opened. */
function changeOf({ track: { first, last } }: Market): readonly [string, string] {
  if (first === undefined || last === undefined) return ["", "off"];
  const percent = ((last.bid - first.bid) / first.bid) * 100;
  const text = `${Math.abs(percent).toFixed(2)} %`;
  if (text === "0.00 %") return [text, "off"];
  return percent < 0 ? [`−${text}`, "down"] : [`+${text}`, "up"];
}

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
