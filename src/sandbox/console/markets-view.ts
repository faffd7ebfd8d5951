import { button, element, make, shown } from "./elements.ts";
import { ageOf, type Market } from "./market-feed.ts";
import { dollars } from "./number-texts.ts";

/** The cards of the markets, of which one is chosen. */
export type MarketsView = Readonly<{ update: (market: Market) => void; choose: (market: Market) => void }>;

type Card = Readonly<{ button: HTMLButtonElement; price: HTMLElement; change: HTMLElement }>;

/** Shows the markets. `chosen` is called when a person chooses one. */
export function showMarkets(markets: readonly Market[], chosen: (market: Market) => void): MarketsView {
  const cards = new Map(markets.map((market) => [market.symbol, cardOf(market, () => chosen(market))]));
  element("markets", HTMLFieldSetElement).replaceChildren(...[...cards.values()].map((card) => card.button));
  const update = (market: Market): void => {
    const card = cards.get(market.symbol);
    if (card === undefined) return;
    shown(card.price, market.quote === undefined ? "no quote yet" : dollars(market.quote.bid));
    const age = ageOf(market);
    const [text, tone] = age === "" ? changeOf(market) : [age, "off"];
    shown(card.change, text);
    card.change.dataset["tone"] = tone;
    card.button.classList.toggle("old", age !== "");
  };
  for (const market of markets) update(market);
  return {
    update,
    choose(market) {
      for (const [symbol, card] of cards)
        card.button.setAttribute("aria-pressed", String(symbol === market.symbol));
    },
  };
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
