import { recognisedAs } from "../common/index.ts";
import type { OrderError } from "../errors/index.ts";
import type { ListForm } from "../requests/index.ts";
import type { RequestParameters } from "../signing/index.ts";

/** The kind of a {@link ClientError}: its class, for programs that cannot use `instanceof`. */
export type ClientErrorKind = "refused" | "protocol" | "transport" | "uncertain";

/**
 * Base class of every error that a client rejects with. Errors contain no key, secret, signature or request body, so
 * they can be logged completely.
 *
 * @example
 * ```ts
 * import { type Client, ClientError } from "managed-orders/client";
 * export async function isUp(client: Client): Promise<boolean> {
 *   try {
 *     return (await client.status()).system === "normal";
 *   } catch (error) {
 *     if (error instanceof ClientError) return false;
 *     throw error;
 *   }
 * }
 * ```
 */
export abstract class ClientError extends Error {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("ClientError");
  abstract readonly kind: ClientErrorKind;
}

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

/** The contents of a refusal. */
export interface Refusal {
  /** The negative number of the refusal; absent if the server sent a text only. */
  readonly code?: number | undefined;
  /** The text of the refusal. */
  readonly msg: string;
  /** How to fix the problem, if the server says so. */
  readonly remedy?: string | undefined;
  /** The invalid parameter, if the server names one. */
  readonly field?: string | undefined;
  /** HTTP status of the reply; absent if nothing was sent. */
  readonly status?: number | undefined;
  /** How long to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** What was done of a replacement: `cancelResult`, `newOrderResult`, `cancelResponse` and `newOrderResponse`. */
  readonly data?: unknown;
}

/** Members of an error that are absent if their value is not known. */
const OPTIONAL = ["code", "remedy", "field", "status", "retryAfterMs", "data"] as const;

/**
 * A refusal by the server. If `sent` is false, the client itself refused the request before it sent anything. Nothing
 * was placed or canceled, but for the code -2021 of a replacement, where `data` tells what was.
 *
 * @example
 * ```ts
 * import { type Client, RefusedError, type OrderKey } from "managed-orders/client";
 * export async function exists(client: Client, key: OrderKey): Promise<boolean> {
 *   try {
 *     await client.order(key);
 *     return true;
 *   } catch (error) {
 *     if (error instanceof RefusedError && error.code === -2013) return false;
 *     throw error;
 *   }
 * }
 * ```
 */
export class RefusedError extends ClientError implements Refusal {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("RefusedError");
  override readonly name = "RefusedError";
  readonly kind = "refused";
  declare readonly code?: number;
  readonly msg: string;
  declare readonly remedy?: string;
  declare readonly field?: string;
  declare readonly status?: number;
  declare readonly retryAfterMs?: number;
  declare readonly data?: unknown;
  /** Whether the request was sent. */
  readonly sent: boolean;

  /** Creates the error of a refusal, by the service or, with `sent` false, by a local check. */
  constructor(refusal: Refusal, options: ErrorOptions & Readonly<{ sent: boolean }>) {
    super(refusal.remedy === undefined ? refusal.msg : `${refusal.msg} ${refusal.remedy}`, options);
    this.msg = refusal.msg;
    this.sent = options.sent;
    for (const name of OPTIONAL)
      if (refusal[name] !== undefined) Object.assign(this, { [name]: refusal[name] });
  }
}

/**
 * What is wrong with a reply: it has no body, a body that is too large, or one that is not UTF-8 or not JSON; a member
 * is missing or has the wrong type; the reply is about another order; the server redirects; a page repeats an earlier
 * cursor.
 */
export type ProtocolProblem =
  | "empty"
  | "too large"
  | "not text"
  | "not JSON"
  | "wrong type"
  | "another order"
  | "redirect"
  | "cursor";

/** What is wrong with a reply, and in which member. */
export interface ProtocolFinding {
  readonly problem: ProtocolProblem;
  /** HTTP status of the reply. */
  readonly status: number;
  /** The member that is wrong, such as `orders[3].orderId`. */
  readonly member?: string | undefined;
  /** The wait that the server demands, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * A reply that cannot be read. It may come from a proxy between client and service, or from another version of the
 * service.
 *
 * @example
 * ```ts
 * import { ProtocolError } from "managed-orders/client";
 * const error = new ProtocolError({ problem: "not JSON", status: 502 });
 * console.log(error.message); // The reply (HTTP 502) is not JSON.
 * ```
 */
export class ProtocolError extends ClientError implements ProtocolFinding {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("ProtocolError");
  override readonly name = "ProtocolError";
  readonly kind = "protocol";
  readonly problem: ProtocolProblem;
  readonly status: number;
  declare readonly member?: string;
  declare readonly retryAfterMs?: number;

  /** Creates the error of a reply that cannot be read. */
  constructor({ problem, status, member, retryAfterMs }: ProtocolFinding) {
    super(`The reply (HTTP ${status}) ${textOf(problem, member)}.`);
    this.problem = problem;
    this.status = status;
    if (member !== undefined) this.member = member;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

function textOf(problem: ProtocolProblem, member = "body"): string {
  if (problem === "wrong type") return `has no valid '${member}'`;
  if (problem === "redirect") return "is a redirect";
  if (problem === "cursor") return "repeats the cursor of an earlier page";
  return `is ${problem === "another order" ? "about another order" : problem}`;
}

/** Why there is no reply: the connection failed, the time is up, or the caller's signal aborted the call. */
export type TransportReason = "connection" | "timeout" | "aborted";

const TEXT: Readonly<Record<TransportReason, string>> = {
  connection: "The connection failed",
  timeout: "The reply did not arrive in time",
  aborted: "The call was aborted",
};

/**
 * There is no reply. Reads, and requests that were not sent, reject with this error. A placement or cancel that was
 * sent rejects with an `UncertainOutcome` whose `cause` is this error.
 *
 * @example
 * ```ts
 * import { TransportError } from "managed-orders/client";
 * console.log(new TransportError("timeout").message); // The reply did not arrive in time.
 * ```
 */
export class TransportError extends ClientError {
  /** Recognises an error of this class, also one of another copy of the package. */
  static override readonly [Symbol.hasInstance]: (value: unknown) => boolean =
    /* @__PURE__ */ recognisedAs("TransportError");
  override readonly name = "TransportError";
  readonly kind = "transport";
  readonly reason: TransportReason;

  /** `detail` is the platform's description of the failure, without secrets. */
  constructor(reason: TransportReason, detail?: string) {
    super(detail === undefined ? `${TEXT[reason]}.` : `${TEXT[reason]}: ${detail}`);
    this.reason = reason;
  }
}

/**
 * Checks of orders before they are sent. Each returns the error that the service would answer, or undefined.
 * `nowMs` is the client's estimate of the service's time.
 */
export interface LocalChecks {
  /** Checks a managed order. */
  order(fields: RequestParameters, nowMs: number): OrderError | undefined;
  /** Checks a list. */
  list(form: ListForm, fields: RequestParameters): OrderError | undefined;
}

/** Throws the refusal of a check. Nothing was sent. */
export function throwRefusal(refusal: OrderError | undefined): void {
  if (refusal === undefined) return;
  const { code, msg, remedy, field } = refusal;
  throw new RefusedError({ code, msg, remedy: remedy || undefined, field }, { sent: false, cause: refusal });
}
