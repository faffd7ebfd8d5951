import { type ErrorName, OrderError } from "../../src/errors/index.ts";

/** Runs a call that must be refused; returns the name of its error, or name and field if it names one. */
export function refusal(run: () => unknown): ErrorName | `${ErrorName} ${string}` {
  try {
    run();
  } catch (error) {
    if (!(error instanceof OrderError)) throw error;
    return error.field === undefined ? error.reason : `${error.reason} ${error.field}`;
  }
  throw new Error("was not refused");
}

/** UTF-8 bytes of a text. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
