import { OrderError } from "../errors/index.ts";
import type { Awaitable } from "../ports/index.ts";

/** Asks a port of the host; when that fails nothing was done, -1001. */
export async function askHost<T>(ask: () => Awaitable<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new OrderError("DISCONNECTED", {}, { cause: error });
  }
}
