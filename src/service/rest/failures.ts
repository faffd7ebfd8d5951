import { OrderError } from "../../errors/index.ts";
import type { ServiceParts } from "./parts.ts";
import { unexpectedError } from "./replies.ts";

/** Where a request failed: what its caller can be found by, and whether it only read. */
export type FailureContext = Readonly<{
  fields: Readonly<Record<string, string>>;
  onlyReads: boolean;
}>;

/** The refusal that a failure is answered with, and a word to the operator; neither holds a secret, a payload or a stack. */
export function refusalOf(
  { telemetry }: Pick<ServiceParts, "telemetry">,
  error: unknown,
  failed: FailureContext,
): OrderError {
  const refusal = error instanceof OrderError ? error : unexpectedError(failed.onlyReads);
  const fields = { ...failed.fields, code: refusal.code, reason: refusal.reason };
  if (refusal.status < 500) telemetry.event("debug", "request.refused", fields);
  else {
    const level = refusal === error ? "warn" : "error";
    telemetry.event(level, "request.failed", { ...fields, ...originOf(error) });
  }
  return refusal;
}

/** Kind and place of a failure. Its message stays out: it may quote what a client or a store said. */
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
