/** Throws a TypeError for a value that is not a string, such as a number, which may not be the decimal as written. */
export function requireText(text: unknown, parser: string): void {
  if (typeof text === "string") return;
  throw new TypeError(
    `${parser} takes a decimal string, such as "0.5", got the ${typeof text} ${String(text)}`,
  );
}
