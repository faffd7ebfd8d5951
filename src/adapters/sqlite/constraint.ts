/** Returns whether a write failed because another row has the same unique name. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE";
}
