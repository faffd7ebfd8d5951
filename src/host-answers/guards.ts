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
 * Telemetry that never fails, whatever the host's telemetry does. If the host has none, the first receiver gets the
 * warnings and errors; without a receiver, events are discarded (decision KL).
 */
export class QuietTelemetry implements Telemetry {
  readonly #own: Telemetry | undefined;
  readonly #receivers: Set<Readonly<{ telemetry: Telemetry }>> = new Set();

  constructor(own: Telemetry | undefined) {
    this.#own = own;
  }

  /** Whether the host has a telemetry. */
  get isOwn(): boolean {
    return this.#own !== undefined;
  }

  event(
    level: Parameters<Telemetry["event"]>[0],
    name: string,
    fields: Parameters<Telemetry["event"]>[2],
  ): void {
    const isProblem = level === "warn" || level === "error";
    const telemetry = this.#own ?? (isProblem ? this.#first() : undefined);
    if (telemetry !== undefined) harmless(() => telemetry.event(level, name, fields), ignored);
  }

  /** Adds a receiver, until the returned function is called. */
  reportTo(telemetry: Telemetry): () => void {
    const receiver = { telemetry };
    this.#receivers.add(receiver);
    return () => void this.#receivers.delete(receiver);
  }

  /** Only one receives an event, so that it is written once, however many servers an engine has. */
  #first(): Telemetry | undefined {
    for (const { telemetry } of this.#receivers) return telemetry;
    return undefined;
  }
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
