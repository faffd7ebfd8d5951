import {
  formatQuantity,
  formatScaled,
  type Quantity,
  quantity,
  type Scaled,
  subtract,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { VolumePoint } from "../chart/index.ts";
import { figure, line, lineSwatch, timeSpan } from "./figure.ts";
import { html, type Markup } from "./markup.ts";
import { grouped, quotient } from "./numbers.ts";
import { executedText } from "./schedule-figure.ts";
import { stepOf, stepPath } from "./steps.ts";
import type { OrderStory } from "./story.ts";
import { roomySpan } from "./ticks.ts";

/** Decimals of a share: hundredths of a basis point. */
const SHARE_SCALE = 6;

/** The share of a POV order at a time. */
export type Share = Readonly<{ timeMs: number; volume: Quantity; executed: Quantity; share: Scaled }>;

/**
 * Returns the share of the counted volume that an order has executed since its acceptance, after each change of either.
 */
export function sharesOf(
  { order, executions }: OrderStory,
  volumes: readonly VolumePoint[],
): readonly Share[] {
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
  const { side, symbol, clientOrderId } = order.intent;
  const shares = sharesOf(story, volumes);
  const target = bips * 100;
  const last = shares.at(-1);
  const overMs = Math.max(order.ended?.atMs ?? order.acceptedAtMs, last?.timeMs ?? 0);
  const end =
    last === undefined
      ? "No volume was counted."
      : `At the end: ${grouped(formatQuantity(last.executed))} of a volume of ${grouped(formatQuantity(last.volume))}, ${percent(last.share)} %.`;
  const read = (name: string, text: (share: Share) => string) => ({
    name,
    points: shares.map((share) => ({ timeMs: share.timeMs, text: text(share) })),
  });
  return figure({
    title: html`#${number} POV ${side} ${grouped(formatQuantity(order.intent.quantity))} ${symbol} <code>${clientOrderId}</code>: share of the volume`,
    description: `Share of the volume that order ${number} has executed since its acceptance, in percent; it aims at ${percent(target)} percent. ${end}`,
    time: timeSpan(order.acceptedAtMs, overMs),
    values: roomySpan([target, ...shares.map(({ share }) => share)], 0),
    label: (value) => `${percent(value)} %`,
    legend: [
      { swatch: lineSwatch("plan"), text: `Target, ${percent(target)} %` },
      { swatch: lineSwatch("actual"), text: "Share of the volume" },
    ],
    series: [
      read("Share", ({ share }) => `${percent(share)}%`),
      read("Executed", ({ executed }) => grouped(formatQuantity(executed))),
      read("Volume", ({ volume }) => grouped(formatQuantity(volume))),
    ],
    notes: [
      `Share: executed quantity divided by the volume that was counted since the acceptance, own executions included. Executed: ${executedText(story)}. ${end}`,
    ],
    draw: (plot) => [
      line("plan", stepPath(plot, [stepOf(order.acceptedAtMs, target)], overMs)),
      line(
        "actual",
        stepPath(
          plot,
          shares.map(({ timeMs, share }) => stepOf(timeMs, share)),
          overMs,
        ),
      ),
    ],
  });
}
