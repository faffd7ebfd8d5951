import { readChildId } from "../../lifecycle/index.ts";

/** Parents of which the highest forgotten attempt is kept: some 10 MB. */
const MARKS_KEPT = 100_000;

/** Marks in one line of the record. */
const MARKS_PER_LINE = 1_000;

/** A part of what is known of forgotten children, as the record keeps it. */
export type ForgottenMarks = Readonly<{
  /** By parent, the highest attempt that was forgotten; oldest first. */
  marks: readonly (readonly [parent: string, attempt: number])[];
  /** Parents that were accepted until then may have had a mark that is no longer kept. */
  acceptedUntilMs: number;
  /** No forgotten child had a later deadline. */
  deadlineUntilMs: number;
}>;

/**
 * Which child ids may be those of forgotten children. A parent has one child after the other, so the highest attempt
 * says it of all of them. Marks are kept of so many parents; of one whose mark had to go, the time of its acceptance
 * tells a look-up, and the deadline a submit, that nothing is known any more.
 */
export class ForgottenChildren {
  readonly #marks: Map<string, number> = new Map();
  readonly #limit: number;
  #acceptedUntilMs = -1;
  #deadlineUntilMs = 0;

  constructor(limit: number = MARKS_KEPT) {
    this.#limit = limit;
  }

  /** Parents of which a mark is kept. */
  get size(): number {
    return this.#marks.size;
  }

  /** A child was forgotten. */
  add(childId: string, deadlineMs: number): void {
    const { parent, attempt } = placeOf(childId);
    this.#mark(parent, attempt);
    this.#deadlineUntilMs = Math.max(this.#deadlineUntilMs, deadlineMs);
  }

  /** Takes in what the record kept. */
  restore({ marks, acceptedUntilMs, deadlineUntilMs }: ForgottenMarks): void {
    this.#acceptedUntilMs = Math.max(this.#acceptedUntilMs, acceptedUntilMs);
    this.#deadlineUntilMs = Math.max(this.#deadlineUntilMs, deadlineUntilMs);
    for (const [parent, attempt] of marks) this.#mark(parent, attempt);
  }

  /** Everything known, in parts of bounded size. */
  *parts(): Iterable<ForgottenMarks> {
    const marks = [...this.#marks];
    for (let from = 0; from < marks.length; from += MARKS_PER_LINE) {
      yield {
        marks: marks.slice(from, from + MARKS_PER_LINE),
        acceptedUntilMs: this.#acceptedUntilMs,
        deadlineUntilMs: this.#deadlineUntilMs,
      };
    }
  }

  /** Whether a child of which nothing is held may have been forgotten; its deadline where that is known. */
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

type Place = Readonly<{ parent: string; attempt: number; acceptedAtMs: number }>;

/** An id that was not made of parent and attempt stands for itself. */
function placeOf(childId: string): Place {
  const named = readChildId(childId);
  if (named === undefined) return { parent: childId, attempt: 1, acceptedAtMs: 0 };
  const { orderId, acceptedAtMs, attempt } = named;
  return { parent: `${orderId} ${acceptedAtMs}`, attempt, acceptedAtMs };
}

function acceptedAtOf(parent: string): number {
  const [, acceptedAtMs = "0"] = parent.split(" ");
  return Number.parseInt(acceptedAtMs, 10);
}
