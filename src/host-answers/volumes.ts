import type { Quantity } from "../decimal/index.ts";
import type { VolumeBar } from "../model/index.ts";
import type { VolumeHistory } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { amountOf, itemsOf, membersOf, requireThat, wholeOf } from "./reading.ts";

const MINUTE_MS = 60_000;

/** Volumes of a minute must be below this. */
const VOLUME_LIMIT = (10n ** 30n) as Quantity;

type Range = Parameters<VolumeHistory["minutes"]>[0];

/** Wraps the volumes of a host with checks of every answer. */
export function checkedVolumes(volumes: VolumeHistory, questions: Questions): VolumeHistory {
  return {
    minutes: (range) =>
      questions.query(
        "volumeHistory.minutes",
        () => volumes.minutes(range),
        (answer) => readBars(answer, range),
      ),
  };
}

/** Returns the bars of the requested range, each minute once, oldest first. */
function readBars(answer: unknown, range: Range): readonly VolumeBar[] {
  const minutes = Math.max(0, Math.ceil((range.toMs - range.fromMs) / MINUTE_MS)) + 1;
  const bars = itemsOf(answer, "the list of minutes", minutes).map((one) => readBar(one, range));
  const isRising = bars.every((bar, index) => index === 0 || bar.minuteMs > (bars[index - 1]?.minuteMs ?? 0));
  requireThat(isRising, "the minutes are not in ascending order");
  return bars;
}

function readBar(answer: unknown, { symbol, fromMs, toMs }: Range): VolumeBar {
  const bar = membersOf(answer, "a minute");
  requireThat(bar.symbol === symbol, "a minute belongs to another market than requested");
  return {
    symbol,
    minuteMs: wholeOf(bar.minuteMs, "minuteMs", { from: fromMs, to: toMs - 1 }),
    quantity: amountOf(bar.quantity, "the quantity of a minute", VOLUME_LIMIT),
  };
}
