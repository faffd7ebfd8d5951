import type { ChildReport, ChildRequest } from "../../model/index.ts";
import type { Clock, ExecutionVenue } from "../../ports/index.ts";
import { writeJson } from "../../wire/index.ts";
import { Refusal } from "./refusal.ts";
import { child as childCodec, isReport } from "./values.ts";

/** Most submitted ids that are remembered. A further submit is refused: forgetting one could submit it twice. */
const MOST_RETAINED = 1_000_000;

/** Dependencies of submissions. `freshMs`: how far the time of a signature may be from the clock. */
export type SubmissionParts = Readonly<{
  venue: ExecutionVenue;
  clock: Clock;
  freshMs: number;
  /** The time by which signatures are judged, when this process started. */
  startedAtMs: number;
}>;

/** A submit that has arrived. `signedAtMs` is the time of its signature. */
export type Arrived = Readonly<{
  child: ChildRequest;
  notAfterMs: number;
  signedAtMs: number;
  signal: AbortSignal;
}>;

type Known = { readonly text: string; readonly evictAtMs: number; answer: Promise<ChildReport> | undefined };

/**
 * Hands each child to the venue at most once. An id is remembered until no copy of its request can be fresh any more. A
 * request that was signed before this process started may be a copy of one that the process before has handed over, so
 * it is only looked up.
 */
export class ReceivedSubmissions {
  readonly #parts: SubmissionParts;
  readonly #known: Map<string, Known> = new Map();

  constructor(parts: SubmissionParts) {
    this.#parts = parts;
  }

  /** Resolves to what became of the child. Rejects with a Refusal if that is unknown, or with the venue's error. */
  async submit(arrived: Arrived): Promise<ChildReport> {
    const { child, notAfterMs, signedAtMs } = arrived;
    this.#evict();
    const text = writeJson(childCodec.write(child));
    const known = this.#known.get(child.childId);
    if (known !== undefined) return await this.#again(child, known, text);
    const { venue, clock, freshMs, startedAtMs } = this.#parts;
    if (signedAtMs < startedAtMs) return await this.#look(child, "SIGNED_EARLIER");
    if (this.#known.size >= MOST_RETAINED) throw new Refusal("BUSY");
    const evictAtMs = clock.monotonicMs() + 2 * freshMs;
    const entry: Known = { text, evictAtMs, answer: undefined };
    this.#known.set(child.childId, entry);
    // A venue that tells its time has another clock than this server, and judges the deadline by it.
    if (venue.venueTimeMs === undefined && clock.nowMs() > notAfterMs) return late(child.childId);
    entry.answer = handed(venue, arrived);
    try {
      return await entry.answer;
    } finally {
      entry.answer = undefined;
    }
  }

  async #again(child: ChildRequest, known: Known, text: string): Promise<ChildReport> {
    if (known.text !== text) throw new Refusal("CHILD_DIFFERS");
    return known.answer === undefined ? await this.#look(child, "OUTCOME_UNKNOWN") : await known.answer;
  }

  async #look(child: ChildRequest, otherwise: "SIGNED_EARLIER" | "OUTCOME_UNKNOWN"): Promise<ChildReport> {
    const answer = await this.#parts.venue.lookup(child);
    if (!isReport(answer)) throw new Refusal(otherwise);
    return answer;
  }

  /** Ids are in the order in which they are forgotten, also those that the venue has not answered. */
  #evict(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    for (const [childId, { evictAtMs }] of this.#known) {
      if (evictAtMs >= nowMs) return;
      this.#known.delete(childId);
    }
  }
}

/** Calls the venue. A venue that throws instead of rejecting has an unknown outcome too. */
async function handed(venue: ExecutionVenue, { child, notAfterMs, signal }: Arrived): Promise<ChildReport> {
  return await venue.submit(child, { deadlineMs: notAfterMs, signal });
}

const late = (childId: string): ChildReport => ({
  ...{ childId, state: "rejected", fills: [], detail: "The deadline had passed on arrival." },
});
