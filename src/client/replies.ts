import {
  CANCELED_MANAGED_ORDER,
  CANCELED_NATIVE_ORDER,
  CANCELED_ORDER_LIST,
  type CanceledManagedOrderReply,
  type CanceledNativeOrderReply,
  type CanceledOrderListReply,
  DECIMAL,
  MANAGED_ORDER,
  type ManagedOrderReply,
  members,
  NATIVE_ORDER,
  type NativeOrderReply,
  object,
  PLACED_NATIVE_ORDER,
  type Reader,
  WrongType,
} from "../replies/index.ts";
import { readReplyJson } from "../wire/index.ts";
import { ProtocolError, type ProtocolProblem, type Redact, type Refusal, RefusedError } from "./errors.ts";
import type { WireReply } from "./http.ts";

/** What came with the value of a reply. */
type ReplyHead = Omit<WireReply, "text">;

/**
 * Returns what a reply says. Throws a RefusedError for a refusal, whatever its HTTP status: a business error may come
 * with 200. Throws a ProtocolError for a reply that is empty, a redirect, not JSON or of another form.
 * Source: contract, Errors.
 */
export function interpret<T>({ text, ...head }: WireReply, read: Reader<T>, redact: Redact): T {
  const { status } = head;
  // A browser hides the status of a redirect.
  if (status === 0 || (status >= 300 && status < 400)) throw broken(head, "redirect");
  if (text === "") throw broken(head, "empty");
  return interpretValue(parsed(text, head), head, read, redact);
}

/** Does the same for the value of a reply that is no longer text. */
export function interpretValue<T>(value: unknown, head: ReplyHead, read: Reader<T>, redact: Redact): T {
  const refusal = refusalOf(value, head, redact);
  if (refusal !== undefined) throw new RefusedError(refusal, { sent: true });
  if (head.status < 200 || head.status >= 300) throw broken(head, "wrong type");
  try {
    return read(value, "");
  } catch (error) {
    if (error instanceof WrongType) throw broken(head, "wrong type", error.message || "body");
    throw error;
  }
}

function broken(
  { status, retryAfterMs }: ReplyHead,
  problem: ProtocolProblem,
  member?: string,
): ProtocolError {
  return new ProtocolError({ problem, status, member, retryAfterMs });
}

function parsed(text: string, head: ReplyHead): unknown {
  try {
    return readReplyJson(text);
  } catch {
    throw broken(head, "not JSON");
  }
}

/** Returns the refusal in a body: a negative code, or a text of a failed request. */
function refusalOf(value: unknown, { status, retryAfterMs }: ReplyHead, redact: Redact): Refusal | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { code, msg, error, field, remedy, retryAfter, data } = value as Readonly<Record<string, unknown>>;
  const negative = typeof code === "number" && code < 0 ? code : undefined;
  const message = [msg, error].find((text) => typeof text === "string");
  if (negative === undefined && (status < 400 || message === undefined)) return undefined;
  const text = redact(String(message ?? ""));
  const advice = remedy ?? adviceIn(error, msg);
  const waitMs = retryAfterMs ?? secondsOf(retryAfter);
  return {
    msg: text,
    status,
    code: negative,
    remedy: redacted(advice, redact),
    field: redacted(field, redact),
    retryAfterMs: waitMs,
    data,
  };
}

const redacted = (text: unknown, redact: Redact): string | undefined =>
  typeof text === "string" ? redact(text) : undefined;

/** Returns the remedy that follows the text of a refusal in its member `error`. */
function adviceIn(error: unknown, msg: unknown): string | undefined {
  if (typeof error !== "string" || typeof msg !== "string") return undefined;
  // A text that ends without a full stop gets one before the remedy.
  const begin = [`${msg} `, `${msg}. `].find((message) => error.startsWith(message));
  return begin && error.slice(begin.length);
}

function secondsOf(retryAfter: unknown): number | undefined {
  const seconds = typeof retryAfter === "string" ? Number.parseInt(retryAfter, 10) : Number.NaN;
  return seconds >= 0 ? seconds * 1000 : undefined;
}

/** Compares two decimal texts exactly: below 0, 0 or above 0, as `sort` wants it. */
export function compareDecimals(left: string, right: string): number {
  const [a, b] = [partsOf(left), partsOf(right)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  const size = a.whole.length - b.whole.length || order(a.whole, b.whole) || order(a.rest, b.rest);
  return a.sign < 0 ? -size : size;
}

const order = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** Leading and trailing zeros carry no value. */
function partsOf(text: string): Readonly<{ sign: number; whole: string; rest: string }> {
  const [, minus = "", digits = "0", fraction = ""] = DECIMAL.exec(text) ?? [];
  const whole = digits.replace(/^0+/, "");
  const rest = fraction.replace(/0+$/, "");
  const isZero = whole === "" && rest === "";
  return { sign: isZero ? 0 : minus === "" ? 1 : -1, whole, rest };
}

/** A managed or native order. A managed order has `apiManaged: true`, a native order has no such member. */
export type OrderReply = ManagedOrderReply | (NativeOrderReply & { readonly apiManaged?: undefined });

/** What a cancel returns: the order, or the list that was canceled with it. */
export type CanceledOrderReply =
  | (CanceledManagedOrderReply & { readonly orderReports?: undefined })
  | (CanceledNativeOrderReply & { readonly apiManaged?: undefined; readonly orderReports?: undefined })
  | (CanceledOrderListReply & { readonly apiManaged?: undefined });

const isManaged = (value: unknown, at: string): boolean => members(value, at).apiManaged === true;

const readManaged = object(MANAGED_ORDER);
const readNative = object(NATIVE_ORDER);
const readPlacedNative = object(PLACED_NATIVE_ORDER);
const readCanceledManaged = object(CANCELED_MANAGED_ORDER);
const readCanceledNative = object(CANCELED_NATIVE_ORDER);
const readCanceledList = object(CANCELED_ORDER_LIST);

/** Reads an order of either kind. */
export const readOrder: Reader<OrderReply> = (value, at) =>
  isManaged(value, at) ? readManaged(value, at) : readNative(value, at);

/**
 * Reads a placed order. A caller that TypeScript does not check may have sent a plain LIMIT, which is placed as a native
 * order; then the reply is that order.
 */
export const readPlacedOrder: Reader<ManagedOrderReply> = (value, at) =>
  isManaged(value, at)
    ? readManaged(value, at)
    : (readPlacedNative(value, at) as unknown as ManagedOrderReply);

/** Reads what a cancel returns. */
export const readCanceledOrder: Reader<CanceledOrderReply> = (value, at) => {
  if ("orderReports" in members(value, at)) return readCanceledList(value, at);
  return isManaged(value, at) ? readCanceledManaged(value, at) : readCanceledNative(value, at);
};
