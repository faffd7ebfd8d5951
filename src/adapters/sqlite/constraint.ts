/** Whether a write failed because a name that must be unique is another row's. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE";
}
