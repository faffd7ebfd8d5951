import { isAwaited } from "../common/index.ts";
import { MOST_CLOSE_WAIT_MS } from "../model/index.ts";
import type { Entropy, ExecutionVenue, Telemetry, VenueCapabilities } from "../ports/index.ts";
import type { Questions } from "./questions.ts";
import { requireThat, textOf } from "./reading.ts";

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

type Fields = Parameters<Telemetry["event"]>[2];

/** Characters of one field of an event. The message of an error of the host or of a venue may have any length. */
const MOST_CHARACTERS = 1_000;

/** Returns fields whose texts are cut off after 1,000 characters. */
function bounded(fields: Fields): Fields {
  const isLong = (value: string | number): value is string =>
    typeof value === "string" && value.length > MOST_CHARACTERS;
  if (!Object.values(fields).some(isLong)) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isLong(value) ? `${value.slice(0, MOST_CHARACTERS)}...` : value,
    ]),
  );
}

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

  event(level: Parameters<Telemetry["event"]>[0], name: string, fields: Fields): void {
    const isProblem = level === "warn" || level === "error";
    const telemetry = this.#own ?? (isProblem ? this.#first() : undefined);
    if (telemetry !== undefined) harmless(() => telemetry.event(level, name, bounded(fields)), ignored);
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
        (answer) => {
          const token = textOf(answer, "the token", { from: length, most: length });
          requireThat(/^[0-9A-Za-z]*$/.test(token), "the token has characters other than letters and digits");
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
    const { honoursDeadline, canVoid, ratePerSecond, fillsMayFollowCloseMs } = venue.capabilities;
    const isRate = ratePerSecond === undefined || (Number.isFinite(ratePerSecond) && ratePerSecond > 0);
    requireThat(isRate, "ratePerSecond is not a number above 0");
    requireThat(typeof honoursDeadline === "boolean", "honoursDeadline is not a boolean");
    requireThat(typeof canVoid === "boolean", "canVoid is not a boolean");
    const closeMs = fillsMayFollowCloseMs ?? 0;
    requireThat(
      closeMs >= 0 && closeMs <= MOST_CLOSE_WAIT_MS,
      "fillsMayFollowCloseMs is not a number from 0 to 30000",
    );
    return {
      ...{ honoursDeadline, canVoid },
      ...(ratePerSecond !== undefined && { ratePerSecond }),
      ...(fillsMayFollowCloseMs !== undefined && { fillsMayFollowCloseMs }),
    };
  } catch (error) {
    failed(error);
    return UNKNOWN_VENUE;
  }
}
