import { OrderError } from "../../errors/index.ts";
import { problemOf, Questions, UnreadableAnswer } from "../../host-answers/index.ts";
import type { Awaitable, Clock } from "../../ports/index.ts";
import { Mismatch } from "./checks.ts";
import { answerOf } from "./outcome.ts";

/** A clock that stands still: the suite itself decides when an answer is missing. */
const still: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  schedule: () => () => undefined,
  soon: (run) => run(),
};

/** Creates the questions with which the service reads answers, without a deadline. `report` receives what it cannot read. */
export function questionsOf(report: (problem: string) => void): Questions {
  const event = (_level: string, _name: string, { problem }: Readonly<Record<string, unknown>>): void =>
    report(String(problem));
  return new Questions({ clock: still, telemetry: { event }, timeoutMs: 1 });
}

/**
 * Returns the answer to a question of {@link questionsOf}. Throws a {@link Mismatch} for one that the service cannot read,
 * and for none when `idle` resolves. Other errors are thrown as they are.
 */
export async function readable<T>(
  call: string,
  question: () => Awaitable<T>,
  idle: () => Promise<void>,
): Promise<T> {
  try {
    return await answerOf(call, Promise.resolve(question()), idle);
  } catch (error) {
    const cause = error instanceof OrderError ? error.cause : undefined;
    if (!(cause instanceof UnreadableAnswer)) throw error;
    const expected = "an answer that the service can read";
    throw new Mismatch({ call, expected, answered: problemOf(cause) });
  }
}
