import { OrderError } from "../errors/index.ts";
import type { Awaitable } from "../ports/index.ts";

/** Asks a port of the host; when that fails nothing was done, -1001. What is there at once needs no promise. */
export function askHost<T>(ask: () => Awaitable<T>): Awaitable<T> {
  try {
    const answer = ask();
    return isAwaited(answer) ? Promise.resolve(answer).catch(refuse) : answer;
  } catch (error) {
    return refuse(error);
  }
}

/** A host may bring promises of its own making. */
function isAwaited<T>(answer: Awaitable<T>): answer is Promise<T> {
  return typeof answer === "object" && answer !== null && "then" in answer;
}

function refuse(cause: unknown): never {
  throw new OrderError("DISCONNECTED", {}, { cause });
}
