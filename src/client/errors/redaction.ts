/** Removes texts that must not be printed. */
export type Redact = (text: string) => string;

const SIGNATURE = /\b[0-9a-f]{64}\b/gi;

/** Returns a function that replaces each secret, and everything that looks like a signature, by `[redacted]`. */
export function redactionOf(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret !== "");
  return (text) =>
    known
      .reduce((clean, secret) => clean.split(secret).join("[redacted]"), text)
      .replace(SIGNATURE, "[redacted]");
}
