import { readReplyJson } from "../../wire/index.ts";
import { ProtocolError, type ProtocolProblem } from "../errors/protocol-error.ts";
import type { Redact } from "../errors/redaction.ts";
import { type Refusal, RefusedError } from "../errors/refused-error.ts";
import type { WireReply } from "../http/exchange.ts";
import { type Reader, WrongType } from "./reader.ts";

/**
 * Returns what a reply says. Throws a RefusedError for a refusal, whatever its HTTP status: a business error may come
 * with 200. Throws a ProtocolError for a reply that is empty, a redirect, not JSON or of another form.
 * Source: contract, Errors.
 */
export function interpret<T>(reply: WireReply, read: Reader<T>, redact: Redact): T {
  const { status, text } = reply;
  const broken = (problem: ProtocolProblem, member?: string): ProtocolError =>
    new ProtocolError({
      problem,
      status,
      ...(member !== undefined && { member }),
      ...(reply.retryAfterMs !== undefined && { retryAfterMs: reply.retryAfterMs }),
    });
  // A browser hides the status of a redirect.
  if (status === 0 || (status >= 300 && status < 400)) throw broken("redirect");
  if (text === "") throw broken("empty");
  const value = parsed(text, broken);
  const refusal = refusalOf(value, reply, redact);
  if (refusal !== undefined) throw new RefusedError(refusal, { sent: true });
  if (status < 200 || status >= 300) throw broken("wrong type");
  try {
    return read(value, "");
  } catch (error) {
    if (error instanceof WrongType) throw broken("wrong type", error.member === "" ? "body" : error.member);
    throw error;
  }
}

function parsed(text: string, broken: (problem: ProtocolProblem) => ProtocolError): unknown {
  try {
    return readReplyJson(text);
  } catch {
    throw broken("not JSON");
  }
}

/** Returns the refusal in a body: a negative code, or a text of a failed request. */
function refusalOf(value: unknown, { status, retryAfterMs }: WireReply, redact: Redact): Refusal | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { code, msg, error, field, remedy, retryAfter } = value as Readonly<Record<string, unknown>>;
  const negative = typeof code === "number" && code < 0 ? code : undefined;
  const said = [msg, error].find((text) => typeof text === "string");
  if (negative === undefined && (status < 400 || said === undefined)) return undefined;
  const text = redact(String(said ?? ""));
  const advice = remedy ?? adviceIn(error, msg);
  const waitMs = retryAfterMs ?? secondsOf(retryAfter);
  return {
    msg: text,
    status,
    ...(negative !== undefined && { code: negative }),
    ...(typeof advice === "string" && { remedy: redact(advice) }),
    ...(typeof field === "string" && { field: redact(field) }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  };
}

/** Returns the remedy that follows the text of a refusal in its member `error`. */
function adviceIn(error: unknown, msg: unknown): string | undefined {
  if (typeof error !== "string" || typeof msg !== "string") return undefined;
  return error.startsWith(`${msg} `) ? error.slice(msg.length + 1) : undefined;
}

function secondsOf(retryAfter: unknown): number | undefined {
  const seconds = typeof retryAfter === "string" ? Number.parseInt(retryAfter, 10) : Number.NaN;
  return seconds >= 0 ? seconds * 1000 : undefined;
}
