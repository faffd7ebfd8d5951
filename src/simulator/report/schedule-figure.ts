import { durationText } from "../../common/index.ts";
import {
  add,
  formatQuantity,
  formatScaled,
  QUANTITY_SCALE,
  type Quantity,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { SchedulePlan } from "../../model/index.ts";
import { endsAtMs, slotsOf } from "../../schedules/index.ts";
import { figure, line, lineSwatch, type ReadSeries, timeSpan } from "./figure.ts";
import { html, type Markup } from "./markup.ts";
import { grouped } from "./numbers.ts";
import { stepOf, stepPath } from "./steps.ts";
import type { OrderStory } from "./story.ts";
import { roomySpan } from "./ticks.ts";

/** A cumulative quantity from a time on. */
export type Progress = Readonly<{ timeMs: number; quantity: Quantity }>;

/** Returns what a plan has asked for: the sum of the slices of all slots that have opened. */
export function planned(plan: SchedulePlan, quantity: Quantity): readonly Progress[] {
  let sum = ZERO_QUANTITY;
  return Array.from(slotsOf(plan, quantity), (slot) => {
    sum = add(sum, slot.quantity);
    return { timeMs: slot.opensAtMs, quantity: sum };
  });
}

/** Returns the chart of a TWAP or VWAP: what its plan asked for, and what was executed. */
export function scheduleFigure(story: OrderStory, plan: SchedulePlan): Markup {
  const { number, order, executions } = story;
  const { type, side, symbol, quantity, clientOrderId } = order.intent;
  const requested = planned(plan, quantity);
  const done = executions.map(({ timeMs, executed }) => ({ timeMs, quantity: executed }));
  const overMs = Math.max(endsAtMs(plan), done.at(-1)?.timeMs ?? 0, order.ended?.atMs ?? 0);
  const untilMs = order.ended?.atMs ?? overMs;
  const start = { timeMs: order.acceptedAtMs, quantity: ZERO_QUANTITY };
  const steps = (points: readonly Progress[]) =>
    [start, ...points].map(({ timeMs, quantity: sum }) => stepOf(timeMs, sum));
  return figure({
    title: html`#${number} ${type} ${side} ${grouped(formatQuantity(quantity))} ${symbol} <code>${clientOrderId}</code>: plan and execution`,
    description: `Quantity that the plan of order ${number} asked for, and quantity that was executed: ${executedText(story)}.`,
    time: timeSpan(order.acceptedAtMs, overMs),
    values: roomySpan([quantity, order.executedQuantity], ZERO_QUANTITY),
    label: (value) => grouped(formatScaled(value, QUANTITY_SCALE)),
    legend: [
      { swatch: lineSwatch("plan"), text: "Plan" },
      { swatch: lineSwatch("actual"), text: "Executed" },
    ],
    series: [series("Plan", [start, ...requested]), series("Executed", [start, ...done])],
    notes: [
      `Plan: the sum of the slices of the slots that have opened, ${plan.count} slots of ${durationText(plan.intervalMs)}. Executed: ${executedText(story)}.`,
    ],
    draw: (plot) => [
      line("plan", stepPath(plot, steps(requested), overMs)),
      line("actual", stepPath(plot, steps(done), untilMs)),
    ],
  });
}

/** Says how much of an order was executed. */
export function executedText({ order }: OrderStory): string {
  const [done, all] = [order.executedQuantity, order.intent.quantity];
  return `${grouped(formatQuantity(done))} of ${grouped(formatQuantity(all))}`;
}

function series(name: string, points: readonly Progress[]): ReadSeries {
  const read = points.map(({ timeMs, quantity }) => ({ timeMs, text: grouped(formatQuantity(quantity)) }));
  return { name, points: read };
}
