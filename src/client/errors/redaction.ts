/** Removes texts that must not be printed. */
export type Redact = (text: string) => string;

const SIGNATURE = /\b[0-9a-f]{64}\b/gi;

/** Length from which a secret is no part of ordinary words. */
const UNMISTAKABLE = 8;

/**
 * Returns a function that replaces each secret, and everything that looks like a signature, by `[redacted]`. A short secret
 * is replaced where it stands as a word: within others it would make every text unreadable, and tell its letters.
 */
export function redactionOf(secrets: readonly string[]): Redact {
  const known = secrets.filter((secret) => secret !== "").map(patternOf);
  return (text) =>
    known
      .reduce((clean, secret) => clean.replace(secret, "[redacted]"), text)
      .replace(SIGNATURE, "[redacted]");
}

function patternOf(secret: string): RegExp {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|\-/]/g, "\\$&");
  return new RegExp(secret.length < UNMISTAKABLE ? `(?<!\\w)${literal}(?!\\w)` : literal, "g");
}
