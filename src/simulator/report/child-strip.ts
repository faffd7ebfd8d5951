import { add, formatQuantity, type Quantity } from "../../decimal/index.ts";
import type { Side } from "../../model/index.ts";
import { html, type Markup } from "./markup.ts";
import { grouped } from "./numbers.ts";
import type { Plot } from "./plot.ts";
import type { OrderStory } from "./story.ts";
import { instantText } from "./times.ts";

/** Width of a column, in units of the drawing. */
const CELL = 3;

type Sent = Readonly<{ timeMs: number; number: number; side: Side; quantity: Quantity; executed: Quantity }>;
type Stroke = { readonly first: Sent; readonly isExecuted: boolean; count: number; quantity: Quantity };

/**
 * Returns a stroke at the lower edge for each narrow column of the drawing in which children were sent: one for those that
 * executed something, and one for the others.
 */
export function childStrip(plot: Plot, stories: readonly OrderStory[]): readonly Markup[] {
  const strokes = new Map<string, Stroke>();
  for (const { number, order, children } of stories)
    for (const { sentMs: timeMs, quantity, executed } of children) {
      const isExecuted = executed > 0;
      const name = `${isExecuted} ${Math.floor(plot.x(timeMs) / CELL)}`;
      const stroke = strokes.get(name);
      if (stroke === undefined) {
        const first = { timeMs, number, side: order.intent.side, quantity, executed };
        strokes.set(name, { first, isExecuted, count: 1, quantity });
      } else {
        stroke.count += 1;
        stroke.quantity = add(stroke.quantity, quantity);
      }
    }
  return [...strokes.values()].map((stroke) => strokeOf(plot, stroke));
}

function strokeOf(plot: Plot, { first, isExecuted, count, quantity }: Stroke): Markup {
  const [x, name] = [plot.x(first.timeMs), isExecuted ? "mark child" : "mark child empty"];
  const [from, to] = isExecuted ? [plot.endY, plot.endY - 8] : [plot.endY - 10, plot.endY - 16];
  const sent = grouped(formatQuantity(quantity));
  const executed = grouped(formatQuantity(first.executed));
  const what =
    count === 1
      ? `child of #${first.number}, ${first.side} ${sent}, executed ${executed}`
      : `${count} children, ${sent} in all, ${isExecuted ? "each executed at least in part" : "none executed"}`;
  return html`<path class="${name}" d="M${x} ${from}V${to}"><title>${instantText(first.timeMs)} UTC: ${what}</title></path>`;
}
