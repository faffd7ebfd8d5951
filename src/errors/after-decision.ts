import { OrderError } from "./order-error.ts";

/**
 * Passes on what is read after something was decided. If it cannot be read, rejects with an OrderError -1006, because the
 * failure of the read would say that nothing was executed. Source: decision XR.
 */
export async function afterDecision<T>(answer: Promise<T | undefined>): Promise<T> {
  const found = await answer.catch((cause: unknown) => {
    throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause });
  });
  if (found === undefined) throw new OrderError("UNEXPECTED_RESPONSE");
  return found;
}

/**
 * Returns what is told of a change that was decided. If it cannot be told, throws an OrderError -1006: the error of the
 * failure would say that nothing was done.
 */
export function replyAfterDecision<T>(reply: () => T): T {
  try {
    return reply();
  } catch (cause) {
    throw new OrderError("UNEXPECTED_RESPONSE", {}, { cause });
  }
}
