import type { OrderError } from "../../errors/index.ts";
import type { ListForm } from "../../requests/index.ts";
import type { RequestParameters } from "../../signing/index.ts";
import { RefusedError } from "../errors/refused-error.ts";

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
