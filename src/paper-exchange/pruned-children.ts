import { readChildId } from "../lifecycle/index.ts";

/** Number of parents whose highest forgotten attempt is kept: about 10 MB. */
const MARKS_RETAINED = 100_000;

/** Number of marks in one line of the record. */
const MARKS_PER_LINE = 1_000;

/** A part of the data about forgotten children, as the record stores it. */
export type PrunedMarks = Readonly<{
  /** The highest forgotten attempt by parent, oldest first. */
  marks: readonly (readonly [parent: string, attempt: number])[];
  /** Parents accepted up to this time may have had a mark that was dropped. */
  acceptedUntilMs: number;
  /** No forgotten child has a later deadline. */
  deadlineUntilMs: number;
}>;

/**
 * Determines which child ids may belong to forgotten children. A parent has one child after the other, so its highest
 * forgotten attempt covers all of them. The number of marks is limited. For a parent whose mark was dropped, a look-up
 * is decided by its acceptance time, and a submit by the deadline.
 */
export class PrunedChildren {
  readonly #marks: Map<string, number> = new Map();
  readonly #limit: number;
  #acceptedUntilMs = -1;
  #deadlineUntilMs = 0;

  constructor(limit: number = MARKS_RETAINED) {
    this.#limit = limit;
  }

  /** Records that a child was forgotten. */
  add(childId: string, deadlineMs: number): void {
    const { parent, attempt } = placeOf(childId);
    this.#mark(parent, attempt);
    this.#deadlineUntilMs = Math.max(this.#deadlineUntilMs, deadlineMs);
  }

  /** Adds stored data from the record. */
  restore({ marks, acceptedUntilMs, deadlineUntilMs }: PrunedMarks): void {
    this.#acceptedUntilMs = Math.max(this.#acceptedUntilMs, acceptedUntilMs);
    this.#deadlineUntilMs = Math.max(this.#deadlineUntilMs, deadlineUntilMs);
    for (const [parent, attempt] of marks) this.#mark(parent, attempt);
  }

  /** Returns all data, in parts of bounded size. */
  *parts(): Iterable<PrunedMarks> {
    const marks = [...this.#marks];
    for (let from = 0; from < marks.length; from += MARKS_PER_LINE) {
      yield {
        marks: marks.slice(from, from + MARKS_PER_LINE),
        acceptedUntilMs: this.#acceptedUntilMs,
        deadlineUntilMs: this.#deadlineUntilMs,
      };
    }
  }

  /** Returns whether an unknown child may have been forgotten; `deadlineMs` is its deadline if known. */
  mayBe(childId: string, deadlineMs: number = Number.NEGATIVE_INFINITY): boolean {
    const { parent, attempt, acceptedAtMs } = placeOf(childId);
    const highest = this.#marks.get(parent);
    if (highest !== undefined) return attempt <= highest;
    return acceptedAtMs <= this.#acceptedUntilMs && deadlineMs <= this.#deadlineUntilMs;
  }

  #mark(parent: string, attempt: number): void {
    const highest = this.#marks.get(parent) ?? 0;
    this.#marks.delete(parent);
    this.#marks.set(parent, Math.max(highest, attempt));
    const [oldest] = this.#marks.keys();
    if (this.#marks.size <= this.#limit || oldest === undefined) return;
    this.#marks.delete(oldest);
    this.#acceptedUntilMs = Math.max(this.#acceptedUntilMs, acceptedAtOf(oldest));
  }
}

/** Returns parent and attempt of a child id. An id without them is its own parent. */
function placeOf(childId: string): Readonly<{ parent: string; attempt: number; acceptedAtMs: number }> {
  const named = readChildId(childId);
  if (named === undefined) return { parent: childId, attempt: 1, acceptedAtMs: 0 };
  const { orderId, acceptedAtMs, attempt } = named;
  return { parent: `${orderId} ${acceptedAtMs}`, attempt, acceptedAtMs };
}

function acceptedAtOf(parent: string): number {
  const [, acceptedAtMs = "0"] = parent.split(" ");
  return Number.parseInt(acceptedAtMs, 10);
}
