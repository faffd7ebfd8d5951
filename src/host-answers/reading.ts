import { normalise, type Scaled } from "../decimal/index.ts";

/** Something that a host said cannot be read. The message names the part and what is wrong with it, never its value. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** Members of something whose shape nobody has looked at yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Throws an UnreadableAnswer unless a condition holds. */
export function demand(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new UnreadableAnswer(problem);
}

/** The members of an object that is no array; throws an UnreadableAnswer on anything else. */
export function membersOf(said: unknown, what: string): Members {
  demand(typeof said === "object" && said !== null && !Array.isArray(said), `${what} is no object`);
  return said as Members;
}

/** The items of an array of at most `most`; throws an UnreadableAnswer on anything else. */
export function itemsOf(said: unknown, what: string, most: number): readonly unknown[] {
  demand(Array.isArray(said), `${what} is no array`);
  demand(said.length <= most, `${what} holds more than ${most}`);
  return said;
}

const USUAL: Readonly<Record<string, never>> = {};

/** A whole number of `from` to `to`, both included; throws an UnreadableAnswer on anything else. */
export function wholeOf(
  said: unknown,
  what: string,
  { from = 0, to = Number.MAX_SAFE_INTEGER }: Readonly<{ from?: number; to?: number }> = USUAL,
): number {
  demand(Number.isSafeInteger(said), `${what} is no whole number`);
  const whole = said as number;
  demand(whole >= from && whole <= to, `${what} is out of range`);
  return whole;
}

/** A scaled value in its one form, whatever its sign; throws an UnreadableAnswer on anything that is no whole number of steps. */
export function scaledOf(said: unknown, what: string): Scaled {
  demand(typeof said === "bigint" || Number.isSafeInteger(said), `${what} is no whole number of steps`);
  return normalise(BigInt(said as Scaled));
}

/** A scaled value above 0 and below `limit`; throws an UnreadableAnswer on anything else. */
export function amountOf<T extends Scaled>(said: unknown, what: string, limit: T): T {
  const amount = scaledOf(said, what);
  demand(amount > 0, `${what} is not above 0`);
  demand(amount < limit, `${what} is out of range`);
  return amount as T;
}

/** A text of `from` to `most` characters; throws an UnreadableAnswer on anything else. */
export function textOf(
  said: unknown,
  what: string,
  { from = 1, most = 256 }: Readonly<{ from?: number; most?: number }> = USUAL,
): string {
  demand(typeof said === "string", `${what} is no text`);
  demand(said.length >= from && said.length <= most, `${what} has not ${from} to ${most} characters`);
  return said;
}

const PRINTABLE = /^[ -~]*$/;

/** A text of 1 to `most` printable ASCII characters; throws an UnreadableAnswer on anything else. */
export function printableOf(said: unknown, what: string, most: number): string {
  const text = textOf(said, what, { most });
  demand(PRINTABLE.test(text), `${what} has characters beyond printable ASCII`);
  return text;
}

/** One of some words; throws an UnreadableAnswer on anything else. */
export function wordOf<T extends string>(said: unknown, what: string, words: readonly T[]): T {
  demand(words.includes(said as T), `${what} is none of ${words.join(", ")}`);
  return said as T;
}

/** True or false; throws an UnreadableAnswer on anything else. */
export function flagOf(said: unknown, what: string): boolean {
  demand(typeof said === "boolean", `${what} is neither true nor false`);
  return said;
}

/** What is wrong, for a log or an alert: bounded, and without what a host's own error may say. */
export function problemOf(error: unknown): string {
  return error instanceof UnreadableAnswer ? error.message : "a part of it throws when it is read";
}
