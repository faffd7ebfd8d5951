/** A setting that cannot be used. The message is one line, and the process ends with exit code 2. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}
