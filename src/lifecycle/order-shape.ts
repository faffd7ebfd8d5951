import { OrderError } from "../errors/index.ts";
import { type ParentIntent, partsOf, TRAITS, TYPED_PARTS } from "../model/index.ts";

/**
 * Checks that an intent has the fields that its type needs. An intent built by hand in process is checked too. Throws
 * an OrderError that names the field.
 */
export function checkShape(intent: ParentIntent, isLeg: boolean): void {
  // A leg that does not trail needs its stop price, as a single order does (decision 18).
  const trails = isLeg && intent.trailing !== undefined;
  const parts = partsOf(intent.type, trails ? "leg" : "single");
  for (const field of TYPED_PARTS) {
    const given = intent[field] !== undefined;
    const need = parts[field] ?? "none";
    if (need === "required" && !given) throw new OrderError("PARAMETER_MISSING", { field });
    if (need === "none" && given) throw new OrderError("PARAMETER_NOT_REQUIRED", { field });
  }
  if (TRAITS[intent.type].limit !== "fixedOrOffset") return;
  if ((intent.price === undefined) !== (intent.limitOffset === undefined)) return;
  throw new OrderError("BAD_COMBINATION", {
    fields: "'price', 'limitOffset'",
    advice: "Send exactly one of price and limitOffset.",
  });
}
