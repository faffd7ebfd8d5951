import { type Reader, WrongType } from "../../replies/index.ts";
import { readReplyJson } from "../../wire/index.ts";
import { ProtocolError, type ProtocolProblem } from "../errors/protocol-error.ts";
import type { Redact } from "../errors/redaction.ts";
import { type Refusal, RefusedError } from "../errors/refused-error.ts";
import type { WireReply } from "../http/exchange.ts";

/** What came with the value of a reply. */
export type ReplyHead = Omit<WireReply, "text">;

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
  const { code, msg, error, field, remedy, retryAfter } = value as Readonly<Record<string, unknown>>;
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
