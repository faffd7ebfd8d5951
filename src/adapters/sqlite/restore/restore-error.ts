/** Returns an error of a restore that the operator can avoid. */
export function restoreError(message: string): Error {
  return Object.assign(new Error(message), { code: "STORE_FILE" });
}
