import { OrderError } from "../errors/index.ts";
import type { CancelRestriction } from "../model/index.ts";
import type { Parameters } from "../wire/index.ts";
import { fieldSet, type RequestShape } from "./field-set.ts";
import { namesOfWrite, plainFields } from "./parameters.ts";
import { type PlaceCommand, type PlacementContext, placementFlow, readPlacement } from "./placement.ts";
import { int64, lookupIdRule, newClientIdRule, only, optionalField, whole, words } from "./rule.ts";

/** A new order in place of another: the order, and what is to be canceled for it, by its id, its client id or both. */
export type ReplaceCommand = PlaceCommand &
  Readonly<{
    mode: "STOP_ON_FAILURE" | "ALLOW_FAILURE";
    orderId?: bigint;
    clientOrderId?: string;
    cancelId?: string;
    restriction?: CancelRestriction;
  }>;

const SET = fieldSet({
  cancelReplaceMode: words("STOP_ON_FAILURE", "ALLOW_FAILURE"),
  cancelOrderId: optionalField(int64),
  cancelOrigClientOrderId: optionalField(lookupIdRule),
  cancelNewClientOrderId: optionalField(newClientIdRule),
  cancelRestrictions: optionalField(words("ONLY_NEW", "ONLY_PARTIALLY_FILLED")),
  orderRateLimitExceededMode: optionalField(only("DO_NOTHING")),
});

const OWN: ReadonlySet<string> = new Set(Object.keys(SET.rules));

/** The parameters of a replacement besides those of the new order. */
export const REPLACEMENT: RequestShape = { names: namesOfWrite(OWN), set: SET };

/** The names under which the order to cancel may be sent. */
export const REPLACED_NAMES = ["cancelOrderId", "cancelOrigClientOrderId"] as const;

const NAME_SET = fieldSet({ orderId: optionalField(whole({})), clientOrderId: optionalField(lookupIdRule) });

/** Throws the OrderError of an id, given in process, that no order can have. */
export function requireOrderName(name: Readonly<{ orderId: number } | { clientOrderId: string }>): void {
  NAME_SET.read(name);
}

/**
 * Reads a replacement. Throws an OrderError as {@link readPlacement} does for the new order, -1102 without a mode or an order
 * to cancel, -1116 for a native order, and as a cancel does for its parameters. Source: convention 3.4.
 */
export function readReplacement(parameters: Parameters, context: PlacementContext): ReplaceCommand {
  const ofCancel = new Map([...parameters].filter(([name]) => OWN.has(name)));
  const ofOrder = new Map([...parameters].filter(([name]) => !OWN.has(name)));
  const fields = SET.read(plainFields(ofCancel, REPLACEMENT.names));
  const { cancelOrderId: orderId, cancelOrigClientOrderId: clientOrderId } = fields;
  const { cancelNewClientOrderId: cancelId, cancelRestrictions: restriction } = fields;
  if (orderId === undefined && clientOrderId === undefined) {
    const [field, other] = REPLACED_NAMES;
    throw new OrderError("PARAMETER_MISSING_BOTH", { field, other });
  }
  if (placementFlow(ofOrder) === "native") {
    const advice = "A native order cannot take the place of another. Cancel the other and place it.";
    throw new OrderError("BAD_ORDER_TYPE", { field: "type", advice });
  }
  return {
    ...readPlacement(ofOrder, context),
    mode: fields.cancelReplaceMode,
    ...(orderId !== undefined && { orderId }),
    ...(clientOrderId !== undefined && { clientOrderId }),
    ...(cancelId !== undefined && { cancelId }),
    ...(restriction !== undefined && { restriction }),
  };
}
