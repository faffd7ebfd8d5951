/**
 * What may be told of a failure that anybody may have caused: the name of an error, else the kind of what was thrown.
 * Never its message, which may quote a secret or what a client sent.
 */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** The message of an error, else the text of what was thrown: for the operator, of failures that no client can word. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code that an error of the system bears, such as `ENOSPC`; `unknown` where there is none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
