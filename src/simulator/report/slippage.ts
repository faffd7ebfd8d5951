import { abs, formatScaled, max, type Notional, normalise, price, type Scaled } from "../../decimal/index.ts";
import type { ParentType } from "../../model/index.ts";
import { type Content, columns, html, type Markup, table } from "./markup.ts";
import { averageText, grouped, quotient, rounded, usd } from "./numbers.ts";
import type { OrderStory } from "./orders.ts";

/** Definition of the figures, as the page states it. */
const DEFINITION =
  "Arrival price: the middle of bid and ask of the last counted quote when an order was accepted; for a leg of a list that was held, when it was released. Slippage: how much worse the average price of the executed quantity is than the arrival price, in basis points of the arrival price. Positive is a cost, negative a gain. It contains the move of the market while an order waited for its trigger or its price, but no commissions and nothing for a quantity that was not executed. Since trigger: the same against the executable price of the quote that triggered the order.";

/** Returns the slippage of each order against its arrival price. */
export function slippageSection(stories: readonly OrderStory[], mostRows: number): Markup {
  const all = stories.map(slippageOf).filter((each) => each !== undefined);
  if (all.length === 0) return html`<p>No order was executed after a known arrival price.</p>`;
  const widest = all.reduce((most, { bips }) => max(most, abs(bips)), 1 as Scaled);
  return html`<p class="definition">${DEFINITION}</p>
${byType(all)}
${table({
  caption: "Slippage by order",
  columns: [
    ...columns("text", "No.", "Type", "Side", "Symbol"),
    ...columns("number", "Arrival price", "Average price", "Slippage, bp"),
    ...columns("text", html`Gain <span class="divide">|</span> cost`),
    ...columns("number", "Cost, USD", "Since trigger, bp"),
  ],
  rows: all.slice(0, mostRows).map((each) => rowOf(each, widest)),
  left: all.length - mostRows,
})}`;
}

function byType(all: readonly Slippage[]): Markup {
  const sums = new Map<ParentType, Doubled & { count: number }>();
  const total = { count: 0, cost: 0n, base: 0n };
  for (const { story, doubled } of all) {
    const { type } = story.order.intent;
    const sum = sums.get(type) ?? { count: 0, cost: 0n, base: 0n };
    sums.set(type, joined(sum, doubled));
    Object.assign(total, joined(total, doubled));
  }
  const rows: readonly (readonly Content[])[] = [...sums, ["All", total] as const].map(([name, sum]) => [
    name,
    sum.count,
    usd(normalise(sum.base / 2n) as Notional),
    bipsText(bipsOf(sum)),
    usd(normalise(sum.cost / 2n) as Notional),
  ]);
  return table({
    caption: "Slippage by type, weighted by executed value",
    columns: [
      ...columns("text", "Type"),
      ...columns("number", "Orders", "Executed at arrival price, USD", "Slippage, bp", "Cost, USD"),
    ],
    rows,
  });
}

type Sum = Doubled & Readonly<{ count: number }>;

const joined = (sum: Sum, { cost, base }: Doubled): Sum => ({
  count: sum.count + 1,
  cost: sum.cost + cost,
  base: sum.base + base,
});

const bipsText = (bips: Scaled): string => rounded(bips, { scale: BIPS_SCALE, places: BIPS_SCALE });

function rowOf({ story, arrival, bips, cost, sinceTrigger }: Slippage, widest: Scaled): readonly Content[] {
  const { type, side, symbol } = story.order.intent;
  return [
    `#${story.number}`,
    type,
    side,
    symbol,
    grouped(arrival),
    averageText(story.order),
    bipsText(bips),
    bar(bips, widest),
    usd(cost),
    sinceTrigger === undefined ? undefined : bipsText(sinceTrigger),
  ];
}

/** Returns a bar from the middle: to the right for a cost, to the left for a gain. */
function bar(bips: Scaled, widest: Scaled): Markup {
  const tenths = (BigInt(abs(bips)) * 490n) / BigInt(widest);
  const width = `${tenths / 10n}.${tenths % 10n}`;
  const shape =
    bips < 0
      ? html`<path class="gain" d="M50 2h-${width}v8h${width}z"/>`
      : html`<path class="cost" d="M50 2h${width}v8h-${width}z"/>`;
  return html`<svg class="bar" viewBox="0 0 100 12" role="img" aria-label="${bipsText(bips)} basis points">${shape}<path class="axis" d="M50 0V12"/></svg>`;
}

/** Decimals of basis points in the report. */
const BIPS_SCALE = 2;

/** Average price of an order against the prices before it. Positive is a cost. */
interface Slippage {
  readonly story: OrderStory;
  /** Middle of bid and ask at the arrival. */
  readonly arrival: string;
  /** In hundredths of a basis point of the arrival price. */
  readonly bips: Scaled;
  /** In USD, cut to whole steps of 1e-14. */
  readonly cost: Notional;
  /** Against the quote that triggered it, in hundredths of a basis point. */
  readonly sinceTrigger: Scaled | undefined;
  readonly doubled: Doubled;
}

/** Twice the cost, and twice the value of the executed quantity at the arrival price: whole numbers of 1e-14 USD. */
type Doubled = Readonly<{ cost: bigint; base: bigint }>;

const BIPS = 10_000n;

/** Returns the slippage of an order; undefined if nothing was executed or its arrival is unknown. */
function slippageOf(story: OrderStory): Slippage | undefined {
  const { order, chart } = story;
  const arrival = chart?.arrival;
  if (arrival === undefined || !(order.executedQuantity > 0)) return undefined;
  const twiceMiddle = BigInt(price(arrival.bid)) + BigInt(price(arrival.ask));
  const doubled = doubledOf(story, twiceMiddle);
  const { trigger } = order;
  return {
    ...{ story, doubled, arrival: formatScaled(normalise(twiceMiddle * 5n), 9) },
    bips: bipsOf(doubled),
    cost: normalise(doubled.cost / 2n) as Notional,
    sinceTrigger: trigger && bipsOf(doubledOf(story, BigInt(trigger.observed) * 2n)),
  };
}

/** Returns a cost in hundredths of a basis point of its base. */
function bipsOf({ cost, base }: Doubled): Scaled {
  return base === 0n ? 0 : quotient(cost * BIPS, base, BIPS_SCALE);
}

function doubledOf({ order }: OrderStory, twicePrice: bigint): Doubled {
  const { executedQuantity, executedNotional, intent } = order;
  const base = twicePrice * BigInt(executedQuantity);
  const paid = BigInt(executedNotional) * 2n;
  return { base, cost: intent.side === "BUY" ? paid - base : base - paid };
}
