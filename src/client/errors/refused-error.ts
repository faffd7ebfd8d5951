import { recognisedAs } from "../../common/index.ts";
import { ClientError } from "./client-error.ts";

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
}

/** Members of an error that are absent if their value is not known. */
const OPTIONAL = ["code", "remedy", "field", "status", "retryAfterMs"] as const;

/**
 * A refusal by the server. If `sent` is false, the client itself refused the request before it sent anything. Nothing
 * was placed or canceled.
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
