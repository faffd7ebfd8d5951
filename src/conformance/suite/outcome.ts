import { Mismatch } from "./checks.ts";

/** What became of a call by the time at which every answer must have come. */
export type Outcome =
  | Readonly<{ kind: "answer"; answer: unknown }>
  | Readonly<{ kind: "rejects"; error: unknown }>
  | Readonly<{ kind: "silent" }>;

/**
 * Returns what has become of a call when it is settled, or else when `idle` resolves, by which every answer that is due
 * must have come. Rejects only if `idle` does.
 */
export async function outcomeOf(call: PromiseLike<unknown>, idle: () => Promise<void>): Promise<Outcome> {
  let outcome: Outcome = { kind: "silent" };
  const settled = call.then(
    (answer: unknown) => {
      outcome = { kind: "answer", answer };
    },
    (error: unknown) => {
      outcome = { kind: "rejects", error };
    },
  );
  await Promise.race([settled, idle()]);
  return outcome;
}

/** Returns the answer to a call, or throws its error. Throws a {@link Mismatch} if neither has come when `idle` resolves. */
export async function answerOf<T>(
  call: string,
  answer: PromiseLike<T>,
  idle: () => Promise<void>,
): Promise<T> {
  const outcome = await outcomeOf(answer, idle);
  if (outcome.kind === "rejects") throw outcome.error;
  if (outcome.kind === "answer") return outcome.answer as T;
  throw new Mismatch({
    call,
    expected: "an answer in time",
    answered: "nothing, although `idle` has resolved",
  });
}
