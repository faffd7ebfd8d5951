import { ClientError } from "./client-error.ts";

/** Why there is no reply: the connection failed, the time is up, or the caller's signal aborted the call. */
export type TransportReason = "connection" | "timeout" | "aborted";

const TEXT: Readonly<Record<TransportReason, string>> = {
  connection: "The connection failed",
  timeout: "The reply did not arrive in time",
  aborted: "The call was aborted",
};

/**
 * There is no reply. After a request that only reads, that is all; a placement or cancel is an `UncertainOutcome`
 * with this error as its cause.
 *
 * @example
 * ```ts
 * import { TransportError } from "managed-orders/client";
 * console.log(new TransportError("timeout").message); // The reply did not arrive in time.
 * ```
 */
export class TransportError extends ClientError {
  override readonly name = "TransportError";
  readonly kind = "transport";
  readonly reason: TransportReason;

  /** `detail` is what the platform said about it, without secrets. */
  constructor(reason: TransportReason, detail?: string) {
    super(detail === undefined ? `${TEXT[reason]}.` : `${TEXT[reason]}: ${detail}`);
    this.reason = reason;
  }
}
