import { OrderError } from "../../errors/index.ts";
import type { ServiceParts } from "./parts.ts";
import { unexpectedError } from "./replies.ts";

/** Context of a failed request: log fields that identify its caller, and whether it only read. */
export type FailureContext = Readonly<{
  fields: Readonly<Record<string, string>>;
  onlyReads: boolean;
}>;

/**
 * Returns the refusal that answers a failure, and logs the failure. Neither contains a secret, a payload or a stack.
 */
export function refusalOf(
  { telemetry }: Pick<ServiceParts, "telemetry">,
  error: unknown,
  failed: FailureContext,
): OrderError {
  const refusal =
    error instanceof OrderError ? publicErrorOf(error, failed) : unexpectedError(failed.onlyReads);
  const fields = { ...failed.fields, code: refusal.code, reason: refusal.reason };
  if (refusal.status < 500) telemetry.event("debug", "request.refused", fields);
  else {
    const level = error instanceof OrderError ? "warn" : "error";
    telemetry.event(level, "request.failed", { ...fields, ...originOf(error) });
  }
  return refusal;
}

/** An error as the client is told: after a request that only reads, it says nothing of what was stored. */
function publicErrorOf(error: OrderError, { onlyReads }: FailureContext): OrderError {
  if (!onlyReads || error.status < 500) return error;
  return new OrderError(error.reason, { ...error.details, request: "read" }, { cause: error.cause });
}

/** Returns the kind and place of a failure. The message is left out, because it may quote a client or a store. */
function originOf(error: unknown): Readonly<Record<string, string>> {
  const origin = error instanceof OrderError ? error.cause : error;
  if (!(origin instanceof Error)) return {};
  const frames = (origin.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return {
    error: origin.name,
    at: frames
      .slice(0, 5)
      .map((line) => line.trim())
      .join("; "),
  };
}
