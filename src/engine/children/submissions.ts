import { errorMessage, Pause } from "../../common/index.ts";
import { type ChildRequest, shardOfId } from "../../model/index.ts";
import type { SubmitOptions } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import type { VenueSide } from "./child-reports.ts";

/**
 * The submits of an engine whose answer is awaited, each until its deadline. A submit can be abandoned only when the venue reads
 * its signal, so a venue that does without costs nothing.
 */
export class Submissions {
  readonly #core: Core;
  readonly #parts: VenueSide;
  readonly #awaited: Set<Submission> = new Set();
  /** By shard number: submits without an answer whose deadline has not passed. */
  readonly #unanswered: Map<number, number> = new Map();
  readonly #listeners: Set<() => void> = new Set();
  #isUnawaited = false;
  #isClosed = false;

  constructor(core: Core, parts: VenueSide) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Hands a child over with this deadline in the venue's time, which is `waitMs` from now, and passes the outcome on. */
  send(child: ChildRequest, deadlineMs: number, waitMs: number): void {
    const { venue, timers, reports } = this.#parts;
    const shard = shardOfId(child.parentOrderId);
    const submission = new Submission(deadlineMs, shard, this);
    this.#unanswered.set(shard, (this.#unanswered.get(shard) ?? 0) + 1);
    const cancelDeadline = timers.after(waitMs, () => {
      reports.lost(child, "no answer by the deadline");
      submission.abandon();
    });
    const answered = (): void => {
      cancelDeadline();
      submission.answered();
      this.#core.probe("after-submit");
    };
    this.#core.probe("before-submit");
    let answer: Promise<unknown>;
    try {
      answer = Promise.resolve(venue.submit(child, submission.options));
    } catch (error) {
      // A venue that throws instead of rejecting has an unknown outcome too.
      answer = Promise.reject(error);
    }
    answer.then(
      (report) => {
        answered();
        reports.answered(child, report);
      },
      (error: unknown) => {
        answered();
        // The venue gave up because it was told to. The outcome counts as unknown already.
        if (!submission.isAborted) reports.lost(child, errorMessage(error));
      },
    );
  }

  /** Resolves when every submit of some shards is answered, or its deadline has passed, or the engine closes. */
  async answered(shards: ReadonlySet<number>): Promise<void> {
    const isOver = (): boolean =>
      this.#isUnawaited || [...shards].every((number) => !this.#unanswered.has(number));
    if (isOver()) return;
    const pause = new Pause();
    const look = (): void => {
      if (isOver()) pause.end();
    };
    this.#listeners.add(look);
    await pause.until((over) => this.#parts.timers.after(this.#core.settings.submitDeadlineMs, over));
    this.#listeners.delete(look);
  }

  /** Lets nobody wait for answers any more. */
  endWaits(): void {
    this.#isUnawaited = true;
    this.#look();
  }

  /** Enters a submit whose signal was read. */
  enter(submission: Submission): void {
    if (this.#isClosed) submission.abandon(closed());
    else this.#awaited.add(submission);
  }

  /** Removes a submit of a shard that was answered or given up. */
  leave(submission: Submission, shard: number): void {
    this.#awaited.delete(submission);
    const left = (this.#unanswered.get(shard) ?? 1) - 1;
    if (left > 0) this.#unanswered.set(shard, left);
    else this.#unanswered.delete(shard);
    this.#look();
  }

  #look(): void {
    for (const look of [...this.#listeners]) look();
  }

  /** Gives up all submits. No answer counts from now on. */
  stop(): void {
    this.#isClosed = true;
    for (const submission of this.#awaited) submission.abandon(closed());
  }
}

/** One call of the venue's `submit`. */
class Submission {
  /** Argument of the call. */
  readonly options: SubmitOptions;
  readonly #submissions: Submissions;
  readonly #shard: number;
  #controller: AbortController | undefined;
  #isOver = false;
  #reason: DOMException | undefined;

  constructor(deadlineMs: number, shard: number, submissions: Submissions) {
    this.#shard = shard;
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
    if (!this.#isOver) this.#submissions.leave(this, this.#shard);
    this.#isOver = true;
  }

  /** Ends the wait for the answer without one. */
  abandon(reason: DOMException = late()): void {
    this.#reason = reason;
    this.answered();
    this.#controller?.abort(reason);
  }

  #begin(): AbortController {
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#reason !== undefined) controller.abort(this.#reason);
    else if (!this.#isOver) this.#submissions.enter(this);
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
