import { recognisedAs } from "../../common/index.ts";
import { ClientError } from "./client-error.ts";

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
