import type { Level } from "./levels.ts";

/** A line of the chart. `edge` tells on which side of what is shown a level lies that has no line. */
export type PlacedLevel = Level & Readonly<{ y: number; priceText: string; edge: -1 | 0 | 1 }>;

/** The label of a level, or of several ones: of one price, or without room for labels of their own. */
export type LevelLabel = Readonly<{
  y: number;
  text: string;
  tag: string;
  side: "BUY" | "SELL" | "BOTH";
  edge: -1 | 0 | 1;
}>;

/** The place of the labels. `lastY` is that of the last price, whose tag none may cover. */
export type Room = Readonly<{ top: number; bottom: number; lastY: number | undefined }>;

/** Height of a label, with the space to the next one. */
export const LABEL_HEIGHT = 18;
/** More labels on one side of the last price would be far from their lines. */
const MOST_LABELS = 6;

type Group = Readonly<{ levels: readonly [PlacedLevel, ...PlacedLevel[]]; y: number }>;

/** Returns labels that do not cover each other, in the order of their prices, each as near to its line as possible. */
export function labelsOf(
  levels: readonly PlacedLevel[],
  { top, bottom, lastY }: Room,
): readonly LevelLabel[] {
  const sorted = levels.toSorted((a, b) => b.price - a.price);
  if (lastY === undefined) return placed(sorted, top, bottom);
  return [
    ...placed(
      sorted.filter(({ y }) => y < lastY),
      top,
      lastY - LABEL_HEIGHT,
    ),
    ...placed(
      sorted.filter(({ y }) => y >= lastY),
      lastY + LABEL_HEIGHT,
      bottom,
    ),
  ];
}

function placed(levels: readonly PlacedLevel[], top: number, bottom: number): readonly LevelLabel[] {
  const most = Math.min(MOST_LABELS, Math.max(1, Math.floor((bottom - top) / LABEL_HEIGHT) + 1));
  const groups = merged(
    levels.map((level) => ({ levels: [level], y: level.y })),
    most,
  );
  const ys: number[] = [];
  let floor = top;
  for (const { y } of groups) {
    ys.push(Math.max(y, floor));
    floor = Math.max(y, floor) + LABEL_HEIGHT;
  }
  let ceiling = bottom;
  for (let index = ys.length - 1; index >= 0; index--) {
    ys[index] = Math.min(ys[index] ?? ceiling, ceiling);
    ceiling = (ys[index] ?? ceiling) - LABEL_HEIGHT;
  }
  return groups.map((group, index) => labelOf(group, ys[index] ?? group.y));
}

/** Joins levels of one price, and then the nearest ones until there are few enough. */
function merged(all: readonly Group[], most: number): readonly Group[] {
  const groups = [...all];
  for (;;) {
    const gaps = groups.slice(1).map((group, index) => gapOf(groups[index], group));
    const least = gaps.reduce((best, gap, index) => (gap < (gaps[best] ?? 0) ? index : best), 0);
    const [upper, lower] = [groups[least], groups[least + 1]];
    if (upper === undefined || lower === undefined) return groups;
    if (groups.length <= most && gaps[least] !== SAME_PRICE) return groups;
    const levels = [...upper.levels, ...lower.levels] as const;
    groups.splice(least, 2, { levels, y: levels.reduce((sum, { y }) => sum + y, 0) / levels.length });
  }
}

const SAME_PRICE = -1;

function gapOf(upper: Group | undefined, lower: Group): number {
  if (upper === undefined) return 0;
  return upper.levels.at(-1)?.priceText === lower.levels[0].priceText ? SAME_PRICE : lower.y - upper.y;
}

function labelOf({ levels }: Group, y: number): LevelLabel {
  const [first] = levels;
  const last = levels.at(-1) ?? first;
  const side = levels.every((level) => level.side === first.side) ? first.side : "BOTH";
  const isOne = first.priceText === last.priceText;
  const isAlike = isOne && levels.every(({ label }) => label === first.label);
  const count = levels.length === 1 ? "" : ` ×${levels.length}`;
  const range = isOne ? "" : `: ${last.priceText} to ${first.priceText}`;
  const sideText = side === "BOTH" ? "" : `${side.toLowerCase()} `;
  return {
    ...{ y, side },
    text: isAlike ? `${first.label}${count}` : `${levels.length} ${sideText}levels${range}`,
    tag: isOne ? first.priceText : count.trim(),
    edge: levels.every(({ edge }) => edge === first.edge) ? first.edge : 0,
  };
}
