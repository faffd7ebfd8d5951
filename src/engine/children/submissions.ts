import type { SubmitOptions } from "../../ports/index.ts";

/**
 * The submits of an engine whose answer is awaited. A submit is entered here only when the venue reads its signal, so
 * a venue that does without costs nothing.
 */
export class Submissions {
  readonly #awaited: Set<Submission> = new Set();
  #isClosed = false;

  /** Begins a submit with this deadline, in the venue's time. */
  begin(deadlineMs: number): Submission {
    return new Submission(deadlineMs, this);
  }

  /** Enters a submit whose signal was read. */
  enter(submission: Submission): void {
    if (this.#isClosed) submission.abandon(closed());
    else this.#awaited.add(submission);
  }

  /** Removes a submit that was answered or given up. */
  leave(submission: Submission): void {
    this.#awaited.delete(submission);
  }

  /** Gives up all submits. No answer counts from now on. */
  stop(): void {
    this.#isClosed = true;
    for (const submission of this.#awaited) submission.abandon(closed());
  }
}

/** One call of the venue's `submit`. */
export class Submission {
  /** Argument of the call. */
  readonly options: SubmitOptions;
  readonly #submissions: Submissions;
  #controller: AbortController | undefined;
  #isAnswered = false;
  #reason: DOMException | undefined;

  constructor(deadlineMs: number, submissions: Submissions) {
    this.#submissions = submissions;
    this.options = new Options(deadlineMs, this);
  }

  /** Aborts when the submit is given up. Creating it costs about as much as a small record, hence not before. */
  get signal(): AbortSignal {
    this.#controller ??= this.#begin();
    return this.#controller.signal;
  }

  /** Whether the venue was told by its signal that the submit is given up. */
  get isAborted(): boolean {
    return this.#controller?.signal.aborted === true;
  }

  /** Ends the wait for the answer, because it is there. */
  answered(): void {
    this.#isAnswered = true;
    if (this.#controller !== undefined) this.#submissions.leave(this);
  }

  /** Ends the wait for the answer without one. */
  abandon(reason: DOMException = late()): void {
    this.#reason = reason;
    if (this.#controller === undefined) return;
    this.#submissions.leave(this);
    this.#controller.abort(reason);
  }

  #begin(): AbortController {
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#reason !== undefined) controller.abort(this.#reason);
    else if (!this.#isAnswered) this.#submissions.enter(this);
    return controller;
  }
}

/**
 * Argument of a submit. The signal is a property of its own, so that a copy of the options has it too. All options
 * share its getter: an object literal with a getter takes about eight times as long to create.
 */
class Options implements SubmitOptions {
  static readonly #signal: PropertyDescriptor & ThisType<Options> = {
    enumerable: true,
    get() {
      return this.#submission.signal;
    },
  };
  readonly deadlineMs: number;
  declare readonly signal: AbortSignal;
  readonly #submission: Submission;

  constructor(deadlineMs: number, submission: Submission) {
    this.deadlineMs = deadlineMs;
    this.#submission = submission;
    Object.defineProperty(this, "signal", Options.#signal);
  }
}

const late = (): DOMException => new DOMException("no answer by the deadline", "TimeoutError");
const closed = (): DOMException => new DOMException("the engine is closed", "AbortError");
