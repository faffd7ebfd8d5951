import type { ParentIntent } from "../model/index.ts";
import { type Parameters, readFlatText, writeJson } from "../wire/index.ts";
import { type Actor, splitActor } from "./actor.ts";
import { type KnownNames, namesOfWrite, ORDER_NAMES } from "./known-names.ts";
import { intentOf } from "./order-intent.ts";
import type { OrderFields } from "./orders.ts";
import { plainFields } from "./plain-fields.ts";
import { marketOf, type ResolveSymbol } from "./symbols.ts";

/** A placement: its actor, its intent, and whether its client id was generated (decision 3). */
export type PlaceCommand = Actor & Readonly<{ intent: ParentIntent; generatedClientId: boolean }>;

/** Dependencies of reading a placement: the catalogue, and a generator of client ids by field name. */
export type PlacementContext = Readonly<{ resolve: ResolveSymbol; clientId: (field: string) => string }>;

/** The parameters that POST /api/order knows. */
export const PLACEMENT_NAMES: KnownNames = namesOfWrite(ORDER_NAMES);

/**
 * Reads the parameters of POST /api/order into a command for an advanced order.
 * Throws an OrderError that names the invalid field: -1104 for an unknown parameter, -1116 for a type that is not
 * available, -1106 for a field that the type does not take, -1121 for a symbol that is unknown or not a liquidity
 * market. Source: contract, Single-parent advanced creation; decisions 7, 10, 32, 38, 44.
 */
export function readPlacement(parameters: Parameters, context: PlacementContext): PlaceCommand {
  const command = commandOf(parameters, context.clientId);
  const symbol = marketOf(command.intent.symbol, context.resolve);
  return { ...command, intent: { ...command.intent, symbol } };
}

/**
 * Returns the intent that a service reads from an order sent as JSON; the symbol is not resolved. Throws the OrderError
 * of the service, also where {@link orderIntent} judges a value of the wrong kind later than the wire does.
 */
export function intentAsSent(fields: OrderFields, clientId: PlacementContext["clientId"]): ParentIntent {
  return commandOf(readFlatText(writeJson({ ...fields })), clientId).intent;
}

function commandOf(parameters: Parameters, clientId: PlacementContext["clientId"]): PlaceCommand {
  const { actor, order } = splitActor(plainFields(parameters, PLACEMENT_NAMES));
  const generatedClientId = order.newClientOrderId === undefined;
  const intent = intentOf(
    generatedClientId ? { ...order, newClientOrderId: clientId("newClientOrderId") } : order,
  );
  return { ...actor, intent, generatedClientId };
}
