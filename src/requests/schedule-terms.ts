import { OrderError } from "../errors/index.ts";
import { type ScheduleTerms, TRAITS } from "../model/index.ts";
import type { OrderFieldValues } from "./order-fields.ts";
import { conflict, invalid } from "./refusals.ts";

const MINUTE_MS = 60_000;
/** The window of one-minute volumes from which a VWAP without a profile is built (contract rule 4). */
const WINDOW_MS = 512 * MINUTE_MS;

/**
 * Returns the schedule of a TWAP or VWAP; undefined for other types. An explicit profile has one weight per interval,
 * so intervalCount may be left out. Throws BAD_COMBINATION (-1128) if intervalCount differs from the number of weights,
 * and the errors of {@link checkWindow}. Source: contract, Order input fields; decisions 27-29.
 */
export function scheduleTerms(order: OrderFieldValues): ScheduleTerms | undefined {
  const { interval, intervalCount, intervalDelay = 0, volumeProfile } = order;
  if (interval === undefined) return undefined;
  const terms = { intervalMs: interval, intervalDelayMs: intervalDelay };
  if (volumeProfile !== undefined) {
    const count = volumeProfile.length;
    if (intervalCount !== undefined && intervalCount !== count) {
      throw conflict(
        ["intervalCount", "volumeProfile"],
        "Send one weight per interval, or omit intervalCount.",
      );
    }
    return { ...terms, intervalCount: count, weights: volumeProfile };
  }
  if (TRAITS[order.type].schedule === "volume") checkWindow(interval, intervalCount);
  return intervalCount === undefined ? terms : { ...terms, intervalCount };
}

/**
 * Checks the interval of weights from history, which have whole minutes and come from a window of 512. Throws
 * BAD_INTERVAL (-1120) for an interval that is not a whole number of minutes or does not fit into the window twice,
 * INVALID_PARAMETER (-1130) for too many intervals.
 */
function checkWindow(interval: number, intervalCount: number | undefined): void {
  if (interval % MINUTE_MS !== 0) throw invalid("interval");
  if (interval * (intervalCount ?? 2) <= WINDOW_MS) return;
  if (intervalCount === undefined) throw invalid("interval");
  throw new OrderError("INVALID_PARAMETER", {
    field: "intervalCount",
    advice: "Without volumeProfile, a VWAP lasts at most 512 minutes. Send fewer or shorter intervals.",
  });
}
