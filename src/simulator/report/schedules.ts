import { durationText } from "../../common/index.ts";
import {
  add,
  formatScaled,
  QUANTITY_SCALE,
  type Quantity,
  quantity,
  type Scaled,
  subtract,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { SchedulePlan } from "../../model/index.ts";
import { endsAtMs, slotsOf } from "../../schedules/index.ts";
import type { VolumePoint } from "../chart.ts";
import { figure, line, lineEntry, roomySpan, seriesOf, stepOf, stepPath, timeSpan } from "./figure.ts";
import type { Markup } from "./markup.ts";
import { grouped, quantityText, quotient } from "./numbers.ts";
import { type OrderStory, orderTitle } from "./orders.ts";

/** A cumulative quantity from a time on. */
type Progress = Readonly<{ timeMs: number; quantity: Quantity }>;

/** Returns what a plan has asked for: the sum of the slices of all slots that have opened. */
function planned(plan: SchedulePlan, quantity: Quantity): readonly Progress[] {
  let sum = ZERO_QUANTITY;
  return Array.from(slotsOf(plan, quantity), (slot) => {
    sum = add(sum, slot.quantity);
    return { timeMs: slot.opensAtMs, quantity: sum };
  });
}

/** Returns the chart of a TWAP or VWAP: what its plan asked for, and what was executed. */
export function scheduleFigure(story: OrderStory, plan: SchedulePlan): Markup {
  const { number, order, executions } = story;
  const { quantity } = order.intent;
  const requested = planned(plan, quantity);
  const done = executions.map(({ timeMs, executed }) => ({ timeMs, quantity: executed }));
  const overMs = Math.max(endsAtMs(plan), done.at(-1)?.timeMs ?? 0, order.ended?.atMs ?? 0);
  const untilMs = order.ended?.atMs ?? overMs;
  const start = { timeMs: order.acceptedAtMs, quantity: ZERO_QUANTITY };
  const steps = (points: readonly Progress[]) =>
    [start, ...points].map(({ timeMs, quantity: sum }) => stepOf(timeMs, sum));
  return figure({
    title: [orderTitle(story), ": plan and execution"],
    description: `Quantity that the plan of order ${number} asked for, and quantity that was executed: ${executedText(story)}.`,
    time: timeSpan(order.acceptedAtMs, overMs),
    values: roomySpan([quantity, order.executedQuantity], ZERO_QUANTITY),
    label: (value) => grouped(formatScaled(value, QUANTITY_SCALE)),
    legend: [lineEntry("plan", "Plan"), lineEntry("actual", "Executed")],
    series: [
      seriesOf("Plan", [start, ...requested], progressText),
      seriesOf("Executed", [start, ...done], progressText),
    ],
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
function executedText({ order }: OrderStory): string {
  const [done, all] = [order.executedQuantity, order.intent.quantity];
  return `${quantityText(done)} of ${quantityText(all)}`;
}

const progressText = ({ quantity }: Progress): string => quantityText(quantity);

/** Decimals of a share: hundredths of a basis point. */
const SHARE_SCALE = 6;

/** The share of a POV order at a time. */
type Share = Readonly<{ timeMs: number; volume: Quantity; executed: Quantity; share: Scaled }>;

/**
 * Returns the share of the counted volume that an order has executed since its acceptance, after each change of either.
 */
function sharesOf({ order, executions }: OrderStory, volumes: readonly VolumePoint[]): readonly Share[] {
  const before = order.volumeBefore ?? ZERO_QUANTITY;
  const overMs = order.ended?.atMs ?? Number.POSITIVE_INFINITY;
  const counted = volumes
    .filter(({ timeMs }) => timeMs >= order.acceptedAtMs && timeMs <= overMs)
    .map(({ timeMs, total }) => ({ timeMs, volume: subtract(quantity(total), before) }));
  const executed = executions.map((each) => ({ timeMs: each.timeMs, executed: each.executed }));
  const changes = [...counted, ...executed].sort((a, b) => a.timeMs - b.timeMs);
  const shares: Share[] = [];
  let now = { volume: ZERO_QUANTITY, executed: ZERO_QUANTITY };
  for (const { timeMs, ...change } of changes) {
    now = { ...now, ...change };
    if (!(now.volume > 0)) continue;
    if (shares.at(-1)?.timeMs === timeMs) shares.pop();
    shares.push({ timeMs, ...now, share: quotient(BigInt(now.executed), BigInt(now.volume), SHARE_SCALE) });
  }
  return shares;
}

const percent = (share: Scaled): string => grouped(formatScaled(share, SHARE_SCALE - 2));

/** Returns the chart of a POV: its share of the counted volume, and the share that it aims at. */
export function participationFigure(
  story: OrderStory,
  bips: number,
  volumes: readonly VolumePoint[],
): Markup {
  const { number, order } = story;
  const shares = sharesOf(story, volumes);
  const target = bips * 100;
  const last = shares.at(-1);
  const overMs = Math.max(order.ended?.atMs ?? order.acceptedAtMs, last?.timeMs ?? 0);
  const end =
    last === undefined
      ? "No volume was counted."
      : `At the end: ${quantityText(last.executed)} of a volume of ${quantityText(last.volume)}, ${percent(last.share)} %.`;
  const steps = shares.map(({ timeMs, share }) => stepOf(timeMs, share));
  return figure({
    title: [orderTitle(story), ": share of the volume"],
    description: `Share of the volume that order ${number} has executed since its acceptance, in percent; it aims at ${percent(target)} percent. ${end}`,
    time: timeSpan(order.acceptedAtMs, overMs),
    values: roomySpan([target, ...shares.map(({ share }) => share)], 0),
    label: (value) => `${percent(value)} %`,
    legend: [lineEntry("plan", `Target, ${percent(target)} %`), lineEntry("actual", "Share of the volume")],
    series: [
      seriesOf("Share", shares, ({ share }) => `${percent(share)}%`),
      seriesOf("Executed", shares, ({ executed }) => quantityText(executed)),
      seriesOf("Volume", shares, ({ volume }) => quantityText(volume)),
    ],
    notes: [
      `Share: executed quantity divided by the volume that was counted since the acceptance, own executions included. Executed: ${executedText(story)}. ${end}`,
    ],
    draw: (plot) => [
      line("plan", stepPath(plot, [stepOf(order.acceptedAtMs, target)], overMs)),
      line("actual", stepPath(plot, steps, overMs)),
    ],
  });
}
