/** Fails with what was broken; for checks made so often that an `expect` each would take most of the time. */
export function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
