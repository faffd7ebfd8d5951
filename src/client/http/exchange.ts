import { ClientError } from "../errors/client-error.ts";
import type { Redact } from "../errors/redaction.ts";
import { TransportError } from "../errors/transport-error.ts";
import { readBody } from "./body.ts";
import { type Bounds, within } from "./deadline.ts";
import { withOriginHint } from "./origin-hint.ts";
import type { FetchRequest, Platform, ReplyHeaders } from "./platform.ts";

/** A request that is ready to be sent. */
export type WireCall = Readonly<{ url: string }> & Omit<FetchRequest, "redirect" | "signal">;

/** A reply as it came. */
export type WireReply = Readonly<{ status: number; text: string; retryAfterMs?: number | undefined }>;

/** How long to wait for a reply, and how much of it to read. */
export type ExchangeBounds = Bounds & Readonly<{ maxReplyBytes: number }>;

/**
 * Sends a request once and reads its reply. Rejects with a TransportError if no reply came, and with a ProtocolError if
 * its body is too large or not UTF-8. What the platform says about a failure is passed on without secrets.
 */
export async function exchange(
  { fetch, clock }: Platform,
  { url, ...call }: WireCall,
  { maxReplyBytes, redact, ...bounds }: ExchangeBounds & Readonly<{ redact: Redact }>,
): Promise<WireReply> {
  return await within(clock, bounds, async (signal) => {
    let isAnswered = false;
    try {
      const response = await fetch(url, { ...call, redirect: "manual", signal });
      isAnswered = true;
      const retryAfterMs = waitOf(response.headers, clock.nowMs());
      const text = await readBody(response, { maxBytes: maxReplyBytes, retryAfterMs });
      return { status: response.status, text, retryAfterMs };
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const detail = redact(detailOf(error));
      throw new TransportError("connection", isAnswered ? detail : withOriginHint(detail, url));
    }
  });
}

const SECONDS = /^[0-9]{1,9}$/;

/**
 * Reads Retry-After: whole seconds, or an HTTP date. A date counts from the date of the reply: the client's own clock,
 * which takes its place where a browser hides it, may be wrong.
 */
function waitOf(headers: ReplyHeaders, nowMs: number): number | undefined {
  const retryAfter = headers.get("Retry-After");
  if (retryAfter === null) return undefined;
  if (SECONDS.test(retryAfter)) return Number.parseInt(retryAfter, 10) * 1000;
  const sentMs = Date.parse(headers.get("Date") ?? "");
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - (Number.isNaN(sentMs) ? nowMs : sentMs));
}

/** Returns message and code of a failure and of its causes. The objects themselves may hold the request's headers. */
function detailOf(error: unknown): string {
  const parts: string[] = [];
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const code = "code" in at && typeof at.code === "string" && !at.message.includes(at.code) ? at.code : "";
    parts.push([at.message, code].filter((part) => part !== "").join(" "));
  }
  return parts.length === 0 ? String(error) : parts.join(": ");
}
