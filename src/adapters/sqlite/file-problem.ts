/** A problem with a file or directory of a store whose message is already meant for the host. */
export class FileProblem extends Error {
  readonly code = "STORE_FILE";
}
