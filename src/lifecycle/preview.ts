import { type Notional, notionalOf, type Price, type Quantity } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ParentIntent, SchedulePlan } from "../model/index.ts";
import { endsAtMs, type PlannedSlot, slotsOf, smallestSlice } from "../schedules/index.ts";
import { type AdmissionContext, admissionPriceOf, admit, planOf } from "./admission.ts";

/**
 * The answer that a service would give to an order sent now: the refusal, if any. For a schedule also its slots, its
 * smallest slice and that slice's value for comparison with the minimum, and when the last slot closes (epoch
 * milliseconds).
 */
export type OrderPreview = Readonly<{
  refusal?: OrderError;
  /** The price at which the minimum is checked. */
  admissionPrice?: Price;
  minimum: Notional;
  slots?: readonly PlannedSlot[];
  smallestSlice?: Quantity;
  /** Present only with an admission price. */
  smallestSliceValue?: Notional;
  endsAtMs?: number;
}>;

/**
 * Previews an order before it is sent, with the code that admits it on the server. A real service uses its own quote,
 * time and volumes, so its answer can differ from that of a client with an older context (contract "Single-parent
 * advanced creation" rules 1-4, decisions 23 and 27-29).
 *
 *
 * @example
 * ```ts
 * import { Notional, orderIntent, previewOrder, Quantity } from "managed-orders";
 * const intent = orderIntent({
 *   symbol: "BTC/USD",
 *   side: "BUY",
 *   type: "LIMIT",
 *   targetStrategy: 180,
 *   price: "7000",
 *   quantity: "0.01",
 *   interval: 60_000,
 *   intervalCount: 4,
 *   newClientOrderId: "slices-1",
 * });
 * const preview = previewOrder(intent, { nowMs: 1_760_000_000_000, minimum: Notional.parse("15") });
 * console.log(preview.slots?.map((slot) => Quantity.format(slot.quantity)).join(" ")); // 0.0025 0.0025 0.0025 0.0025
 * console.log(preview.refusal?.reason); // undefined
 * ```
 */
export function previewOrder(intent: ParentIntent, context: AdmissionContext): OrderPreview {
  const refusal = refusalOf(() => admit(intent, context));
  const admissionPrice = admissionPriceOf(intent, context.quote);
  const plan = planIfAny(intent, context);
  return {
    ...(refusal !== undefined && { refusal }),
    ...(admissionPrice !== undefined && { admissionPrice }),
    minimum: context.minimum,
    ...(plan !== undefined && previewPlan(plan, intent.quantity, admissionPrice)),
  };
}

function previewPlan(
  plan: SchedulePlan,
  quantity: Quantity,
  admissionPrice: Price | undefined,
): Pick<OrderPreview, "slots" | "smallestSlice" | "smallestSliceValue" | "endsAtMs"> {
  const smallest = smallestSlice(plan, quantity);
  return {
    slots: [...slotsOf(plan, quantity)],
    smallestSlice: smallest,
    ...(admissionPrice !== undefined && { smallestSliceValue: notionalOf(admissionPrice, smallest) }),
    endsAtMs: endsAtMs(plan),
  };
}

function planIfAny(intent: ParentIntent, context: AdmissionContext): SchedulePlan | undefined {
  let plan: SchedulePlan | undefined;
  refusalOf(() => {
    plan = planOf(intent, context);
  });
  return plan;
}

function refusalOf(attempt: () => unknown): OrderError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof OrderError) return error;
    throw error;
  }
}
