/**
 * What may be told of a failure that anybody may have caused: the name of an error, else the kind of what was thrown.
 * Never its message, which may quote a secret or what a client sent.
 */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
