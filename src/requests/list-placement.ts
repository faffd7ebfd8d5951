import { type OptionCheck, wordOption } from "../common/index.ts";
import type { ListIntent } from "../model/index.ts";
import { type Parameters, readFlatText, writeJson } from "../wire/index.ts";
import { type Actor, splitActor } from "./actor.ts";
import { fieldSet } from "./field-set.ts";
import {
  asLeg,
  exitsOf,
  FIXED_NAMES,
  type LegacyOcoFields,
  type LegSource,
  type OcoFields,
  type OtocoFields,
  type OtoFields,
  pairOf,
  readLegs,
} from "./list-legs.ts";
import { fieldsOption, intentOptions, type OrderIntentOptions, sentFields } from "./order-intent.ts";
import { plainFields } from "./parameters.ts";
import type { PlacementContext } from "./placement.ts";
import { newClientIdRule } from "./rule.ts";
import {
  BRACKET_FORM,
  BRACKET_LEGS,
  type BracketFields,
  OCA_FORM,
  OCA_LEGS,
  type OcaFields,
  readBracket,
  readOca,
} from "./shared-lists.ts";
import { marketOf } from "./symbols.ts";

/** The forms of an order list. Source: contract, List creation rules 2-5. */
export type ListForm = keyof ListFields;

/** The fields by form. */
export interface ListFields {
  readonly oco: OcoFields;
  readonly oto: OtoFields;
  readonly otoco: OtocoFields;
  readonly legacyOco: LegacyOcoFields;
  readonly bracket: BracketFields;
  readonly oca: OcaFields;
}

/** The field names of every form. */
export const LIST_NAMES: typeof FIXED_NAMES & {
  readonly bracket: typeof BRACKET_FORM;
  readonly oca: typeof OCA_FORM;
} = { ...FIXED_NAMES, bracket: BRACKET_FORM, oca: OCA_FORM };

/** A placement of a list: its actor, and its legs in display order. */
export type ListCommand = Actor & Readonly<{ list: ListIntent }>;

/**
 * Reads the parameters of a list placement. In a list, LIMIT is a managed limit, and a stop or take-profit leg may trail.
 * Throws an OrderError that names the field as it was sent: -1102 for a missing field, including listClientOrderId; -1104
 * for an unknown field; -1106 for a field that the leg's type does not take; -1014 for a schedule; -1121 for a symbol that
 * is not a market; and the errors of OCO pairs. Source: contract, List creation rules.
 */
export function readListPlacement(
  form: ListForm,
  parameters: Parameters,
  { resolve, clientId }: PlacementContext,
): ListCommand {
  const { list, ...actor } = commandOf(form, parameters, clientId);
  const legs = list.legs.map(({ intent, ...leg }) => {
    return { ...leg, intent: { ...intent, symbol: marketOf(intent.symbol, resolve) } };
  });
  return { ...actor, list: { ...list, legs } };
}

/**
 * Returns the list that a service reads from fields sent as JSON; the symbol is not resolved. Throws the OrderError of
 * the service, also where {@link listIntent} judges a value of the wrong kind later than the wire does.
 */
export function listAsSent<F extends ListForm>(
  form: F,
  fields: ListFields[F],
  clientId: PlacementContext["clientId"],
): ListIntent {
  return commandOf(form, readFlatText(writeJson({ ...fields })), clientId).list;
}

function commandOf(
  form: ListForm,
  parameters: Parameters,
  clientId: PlacementContext["clientId"],
): ListCommand {
  const { parameters: names, fieldOf } = LIST_NAMES[form];
  const { actor, order } = splitActor(plainFields(parameters, names, fieldOf));
  return { ...actor, list: listOf({ fields: order, clientId }, READERS[form]) };
}

const formOption: OptionCheck = /* @__PURE__ */ (() => wordOption(Object.keys(LIST_NAMES)))();

/**
 * Returns the canonical intent of a list given in process. Names, rules and errors are the same as on the wire. A leg
 * without a client id gets one from `options.clientId`, which receives the name of the field; without that option,
 * PARAMETER_MISSING (-1102) is thrown. Throws an OrderError that names the invalid field, a RangeError for a form that does
 * not exist, and a TypeError for fields that are not an object and for an option that is unknown or wrong. Source:
 * contract, List creation rules.
 *
 * @example
 * ```ts
 * import { listIntent } from "managed-orders";
 * const list = listIntent("oco", {
 *   symbol: "BTC/USD",
 *   side: "SELL",
 *   quantity: "0.5",
 *   aboveType: "LIMIT",
 *   abovePrice: "8000",
 *   aboveClientOrderId: "exit-1-high",
 *   belowType: "STOP",
 *   belowStopPrice: "7000",
 *   belowClientOrderId: "exit-1-low",
 *   listClientOrderId: "exit-1",
 * });
 * console.log(list.legs.map(({ role, intent }) => `${role} ${intent.type}`).join());
 * // protective STOP_MARKET,profit SYNTHETIC_LIMIT
 * ```
 */
export function listIntent<F extends ListForm>(
  form: F,
  fields: ListFields[F],
  options: OrderIntentOptions = {},
): ListIntent {
  formOption(form, "listIntent.form");
  fieldsOption(fields, "listIntent.fields");
  intentOptions(options, "listIntent.options");
  const plain = sentFields(fields, LIST_NAMES[form].known);
  return listOf({ fields: plain, clientId: options.clientId }, READERS[form]);
}

const OWN_SET = fieldSet({ newClientOrderId: newClientIdRule });

/** Reads the legs of a list and puts them in display order. */
export type ReadOrders = (source: LegSource) => Omit<ListIntent, "listClientOrderId">;

/** Returns the list that a source expresses. Throws the OrderError of an invalid field. */
export function listOf(source: LegSource, readOrders: ReadOrders): ListIntent {
  const own = { newClientOrderId: source.fields.listClientOrderId };
  const { newClientOrderId } = OWN_SET.read(own, () => "listClientOrderId");
  return { listClientOrderId: newClientOrderId, ...readOrders(source) };
}

/** Reads the legs of each form and puts them in display order. */
const READERS: Readonly<Record<ListForm, ReadOrders>> = {
  oco: (source) => {
    const { above, below } = readLegs(LIST_NAMES.oco.legs, source);
    return { contingency: "OCO", legs: pairOf({ upper: above, lower: below }) };
  },
  oto: (source) => {
    const { working, pending } = readLegs(LIST_NAMES.oto.legs, source);
    return { contingency: "OTO", legs: [asLeg(working, "working"), asLeg(pending, "pending")] };
  },
  otoco: (source) => {
    const { working, above, below } = readLegs(LIST_NAMES.otoco.legs, source);
    const pair = pairOf({ upper: above, lower: below });
    return { contingency: "OTOCO", legs: [asLeg(working, "working"), ...pair] };
  },
  legacyOco: (source) => {
    const { limit, stop } = readLegs(LIST_NAMES.legacyOco.legs, source);
    return { contingency: "OCO", legs: exitsOf({ profit: limit, stop }) };
  },
  bracket: (source) => readBracket(BRACKET_LEGS, source),
  oca: (source) => readOca(OCA_LEGS, source),
};
