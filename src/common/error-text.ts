import { isError } from "./is-error.ts";

/**
 * Returns what may be revealed about a failure that any client may have caused: the name of an error, else the type
 * of the thrown value. Never returns the message, which may quote a secret or client input.
 */
export function errorName(error: unknown): string {
  return isError(error) ? error.name : typeof error;
}

/**
 * Returns the message of an error, else the text of the thrown value. For the operator, and for failures whose text
 * no client can choose.
 */
export function errorMessage(error: unknown): string {
  return isError(error) ? error.message : String(error);
}

/** Returns the code of a system error, such as `ENOSPC`; `unknown` if there is none. */
export function errorCode(error: unknown): string {
  return isError(error) && "code" in error ? String(error.code) : "unknown";
}
