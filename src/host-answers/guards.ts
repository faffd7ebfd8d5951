import { isAwaited } from "../common/index.ts";
import type { Entropy, ExecutionVenue, Telemetry, VenueCapabilities } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { demand, textOf } from "./reading.ts";

/** Runs a function of the host. A throw, or the rejection of a returned promise, goes to `failed` and no further. */
export function harmless(run: () => unknown, failed: (error: unknown) => void): void {
  try {
    const done = run();
    if (isAwaited(done)) Promise.resolve(done).catch(failed);
  } catch (error) {
    failed(error);
  }
}

const ignored = (): void => undefined;

/**
 * Returns telemetry that never fails, whatever the host's telemetry does. Without telemetry, events are discarded.
 */
export function quietTelemetry(telemetry: Telemetry | undefined): Telemetry {
  return {
    event: (level, name, fields) => harmless(() => telemetry?.event(level, name, fields), ignored),
  };
}

/** Wraps the entropy of a host with checks of every answer. */
export function checkedEntropy(entropy: Entropy, questions: Questions): Entropy {
  return {
    token: (length) =>
      questions.now(
        "entropy.token",
        () => entropy.token(length),
        (said) => {
          const token = textOf(said, "the token", { from: length, most: length });
          demand(/^[0-9A-Za-z]*$/.test(token), "the token has characters other than letters and digits");
          return token;
        },
      ),
  };
}

/** Capabilities assumed for a venue without readable ones: none, and one child a second. */
const UNKNOWN_VENUE: VenueCapabilities = { honoursDeadline: false, canVoid: false, ratePerSecond: 1 };

/** Returns the current capabilities of a venue. Never throws. */
export function capabilitiesOf(venue: ExecutionVenue, failed: (error: unknown) => void): VenueCapabilities {
  try {
    const { honoursDeadline, canVoid, ratePerSecond } = venue.capabilities;
    const isRate = ratePerSecond === undefined || (Number.isFinite(ratePerSecond) && ratePerSecond > 0);
    demand(isRate, "ratePerSecond is not a number above 0");
    demand(typeof honoursDeadline === "boolean", "honoursDeadline is not a boolean");
    demand(typeof canVoid === "boolean", "canVoid is not a boolean");
    return { honoursDeadline, canVoid, ...(ratePerSecond !== undefined && { ratePerSecond }) };
  } catch (error) {
    failed(error);
    return UNKNOWN_VENUE;
  }
}
