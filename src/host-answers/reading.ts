import { normalise, type Scaled } from "../decimal/index.ts";
import type { ExecutionReason, NativeExecution, NativeStatus, RejectReason, Side } from "../model/index.ts";
import type { AccountUpdateReason } from "../ports/index.ts";

/** Error of an unreadable answer of a host. The message names the part and its problem, never its value. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** Members of an object whose shape has not been checked yet. */
export type Members = Readonly<Record<string, unknown>>;

/** Throws an UnreadableAnswer unless a condition holds. For a problem that is a constant: others cost time even if it does. */
export function requireThat(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new UnreadableAnswer(problem);
}

/** Returns the members of an object that is not an array. Throws an UnreadableAnswer for anything else. */
export function membersOf(answer: unknown, what: string): Members {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new UnreadableAnswer(`${what} is not an object`);
  return answer as Members;
}

/** Returns the items of an array of at most `most`. Throws an UnreadableAnswer for anything else. */
export function itemsOf(answer: unknown, what: string, most: number): readonly unknown[] {
  if (!Array.isArray(answer)) throw new UnreadableAnswer(`${what} is not an array`);
  if (answer.length > most) throw new UnreadableAnswer(`${what} has more than ${most} entries`);
  return answer;
}

const USUAL: Readonly<Record<string, never>> = {};

/** Returns a whole number from `from` to `to`, both included. Throws an UnreadableAnswer for anything else. */
export function wholeOf(
  answer: unknown,
  what: string,
  { from = 0, to = Number.MAX_SAFE_INTEGER }: Readonly<{ from?: number; to?: number }> = USUAL,
): number {
  if (!Number.isSafeInteger(answer)) throw new UnreadableAnswer(`${what} is not a whole number`);
  const whole = answer as number;
  if (whole < from || whole > to) throw new UnreadableAnswer(`${what} is out of range`);
  return whole;
}

/**
 * Returns a scaled value in its one form, whatever its sign. Throws an UnreadableAnswer for anything but a whole
 * number of steps.
 */
export function scaledOf(answer: unknown, what: string): Scaled {
  // The sum makes -0 the number 0.
  if (Number.isSafeInteger(answer)) return (answer as number) + 0;
  if (typeof answer !== "bigint") throw new UnreadableAnswer(`${what} is not a whole number of steps`);
  return normalise(answer);
}

/** Returns a scaled value above 0 and below `limit`. Throws an UnreadableAnswer for anything else. */
export function amountOf<T extends Scaled>(answer: unknown, what: string, limit: T): T {
  const amount = scaledOf(answer, what);
  if (amount <= 0) throw new UnreadableAnswer(`${what} is not above 0`);
  if (amount >= limit) throw new UnreadableAnswer(`${what} is out of range`);
  return amount as T;
}

/** Returns a text of `from` to `most` characters. Throws an UnreadableAnswer for anything else. */
export function textOf(
  answer: unknown,
  what: string,
  { from = 1, most = 256 }: Readonly<{ from?: number; most?: number }> = USUAL,
): string {
  if (typeof answer !== "string") throw new UnreadableAnswer(`${what} is not a string`);
  if (answer.length < from || answer.length > most)
    throw new UnreadableAnswer(`${what} must have ${from} to ${most} characters`);
  return answer;
}

const PRINTABLE = /^[ -~]*$/;

/** Returns a text of 1 to `most` printable ASCII characters. Throws an UnreadableAnswer for anything else. */
export function printableOf(answer: unknown, what: string, most: number): string {
  const text = textOf(answer, what, { most });
  if (!PRINTABLE.test(text)) throw new UnreadableAnswer(`${what} has characters other than printable ASCII`);
  return text;
}

/** Returns one of the given words. Throws an UnreadableAnswer for anything else. */
export function wordOf<T extends string>(answer: unknown, what: string, words: readonly T[]): T {
  if (!words.includes(answer as T)) throw new UnreadableAnswer(`${what} is not one of ${words.join(", ")}`);
  return answer as T;
}

/** Returns true or false. Throws an UnreadableAnswer for anything else. */
export function flagOf(answer: unknown, what: string): boolean {
  if (typeof answer !== "boolean") throw new UnreadableAnswer(`${what} is not a boolean`);
  return answer;
}

/** Returns those of the members in a table that are present, each read with its name. */
export function presentOf<T extends object>(
  members: Members,
  readers: { readonly [K in keyof T]: (answer: unknown, what: string) => T[K] },
): Partial<T> {
  const present: Partial<T> = {};
  for (const name in readers)
    if (members[name] !== undefined) present[name] = readers[name](members[name], name);
  return present;
}

/** Returns a problem for a log or an alert: of limited length, and without the text of a host's own error. */
export function problemOf(error: unknown): string {
  return error instanceof UnreadableAnswer ? error.message : "reading one of its properties throws";
}

/** Returns all words of a type. The argument must name each of them. */
export const words = <T extends string>(all: Readonly<Record<T, true>>): readonly T[] =>
  Object.keys(all) as T[];

/** Both sides. */
export const SIDES: readonly Side[] = words<Side>({ BUY: true, SELL: true });

/** All statuses of a native order. */
export const NATIVE_STATUSES: readonly NativeStatus[] = words<NativeStatus>({
  NEW: true,
  PARTIALLY_FILLED: true,
  FILLED: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

type ExecutionType = NativeExecution["execType"];

/** All types of executions of a native order. */
export const EXECUTION_TYPES: readonly ExecutionType[] = words<ExecutionType>({
  NEW: true,
  TRADE: true,
  CANCELED: true,
  EXPIRED: true,
  REJECTED: true,
});

/** All reasons for which an order can be refused. */
export const REJECT_REASONS: readonly RejectReason[] = words<RejectReason>({
  UNKNOWN_INSTRUMENT: true,
  MARKET_CLOSED: true,
  PRICE_QTY_EXCEED_HARD_LIMITS: true,
  UNKNOWN_ORDER: true,
  DUPLICATE_ORDER: true,
  UNKNOWN_ACCOUNT: true,
  INSUFFICIENT_BALANCES: true,
  ACCOUNT_INACTIVE: true,
  WOULD_MATCH_IMMEDIATELY: true,
  STOP_PRICE_WOULD_TRIGGER_IMMEDIATELY: true,
  OCO_BAD_PRICES: true,
  REDUCE_ONLY_REJECT: true,
  MIN_NOTIONAL: true,
  OTHER: true,
});

/** All reasons for which a native order can end without being filled. */
export const EXECUTION_REASONS: readonly ExecutionReason[] = words<ExecutionReason>({
  REJECTED: true,
  USER_CANCELED: true,
  EXCHANGE_CANCELED: true,
  OCO_TRIGGER: true,
  OTO_PHASE_ONE_EXPIRED: true,
  UNFILLED_IOC_QUANTITY_EXPIRED: true,
  UNFILLED_FOK_ORDER_EXPIRED: true,
  INSUFFICIENT_LIQUIDITY: true,
  EXECUTION_RULE_PRICE_RANGE_EXCEEDED: true,
  EXPIRED_GTD: true,
  RESIDUAL_BELOW_MIN_NOTIONAL: true,
  SCHEDULE_ENDED: true,
  SYSTEM_FAILURE: true,
});

/** All reasons for which balances or positions can change. */
export const UPDATE_REASONS: readonly AccountUpdateReason[] = words<AccountUpdateReason>({
  ORDER: true,
  DEPOSIT: true,
  WITHDRAW: true,
  ADJUSTMENT: true,
  FUNDING_FEE: true,
  MARGIN_TRANSFER: true,
  ASSET_TRANSFER: true,
  ADMIN_DEPOSIT: true,
  ADMIN_WITHDRAW: true,
});
