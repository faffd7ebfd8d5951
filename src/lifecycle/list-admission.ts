import type { Price } from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import {
  type Contingency,
  type LegRole,
  type ListIntent,
  type ParentIntent,
  TRAITS,
} from "../model/index.ts";
import { executableSide } from "../triggers/index.ts";
import { type Admission, type AdmissionContext, admit } from "./admission.ts";

/**
 * Context of a list admission besides its legs. With `mustStraddle` the market must lie between the legs of an OCO.
 */
export interface ListAdmissionContext
  extends Pick<AdmissionContext, "nowMs" | "minimum" | "quote" | "position"> {
  readonly maxIcebergParts?: number;
  readonly mustStraddle?: boolean;
}

const ROLES: Readonly<Record<Contingency, readonly LegRole[]>> = {
  OCO: ["protective", "profit"],
  OTO: ["working", "pending"],
  OTOCO: ["working", "protective", "profit"],
};

/**
 * Admits a whole list, or throws the OrderError that refuses it. The admissions are in the order of the legs
 * (contract "List creation rules", decisions 24, 33 and 35).
 *
 *
 * @example
 * ```ts
 * import { type ListIntent, Notional } from "managed-orders";
 * import { admitList } from "managed-orders/rules";
 * const check = (list: ListIntent): number =>
 *   admitList(list, { nowMs: 1_760_000_000_000, minimum: Notional.parse("15") }).length;
 * ```
 */
export function admitList(list: ListIntent, context: ListAdmissionContext): readonly Admission[] {
  checkLegs(list);
  const { mustStraddle = false, ...shared } = context;
  const admissions = list.legs.map(({ role, intent }) => {
    const leg = list.contingency === "OCO" || role === "working" ? "active" : "held";
    return admit(intent, { ...shared, leg });
  });
  if (mustStraddle && list.contingency === "OCO") checkStraddle(list, context);
  return admissions;
}

/**
 * Returns the level by which an OCO leg is compared: its stop price, else its price; undefined for a leg with neither
 * (decision 33).
 */
export function levelOf(intent: ParentIntent): Price | undefined {
  return intent.stopPrice ?? intent.price;
}

/** Checks the form of the contingency. A list that was built by hand in process must have it too. */
function checkLegs({ contingency, legs }: ListIntent): void {
  const roles = ROLES[contingency];
  const first = legs[0]?.intent;
  const inForm = legs.length === roles.length && legs.every(({ role }, index) => role === roles[index]);
  const oneMarket = legs.every(({ intent }) => intent.symbol === first?.symbol);
  const pair = legs
    .filter(({ role }) => role === "protective" || role === "profit")
    .map(({ intent }) => intent);
  const [protective, profit] = pair;
  const alike = protective?.side === profit?.side && protective?.quantity === profit?.quantity;
  const ordered = pair.length === 0 || isPair(pair);
  if (!inForm || !oneMarket || !alike || !ordered) {
    throw new OrderError("BAD_COMBINATION", {
      fields: "'legs'",
      advice: `Build the list with listIntent. The legs of ${contingency} are: ${roles.join(", ")}.`,
    });
  }
  if (legs.some(({ intent }) => intent.schedule !== undefined || intent.participationBips !== undefined)) {
    throw new OrderError("UNSUPPORTED_COMBINATION", { field: "type" });
  }
}

/** Returns whether the protective leg is a stop, the other a limit or take-profit, and their levels do not cross. */
function isPair([protective, profit]: readonly ParentIntent[]): boolean {
  if (protective === undefined || profit === undefined) return false;
  if (!stops(protective) || stops(profit)) return false;
  const [upper, lower] = protective.side === "BUY" ? [protective, profit] : [profit, protective];
  const [high, low] = [levelOf(upper), levelOf(lower)];
  return high === undefined || low === undefined || high > low;
}

function stops({ type }: ParentIntent): boolean {
  const { trigger } = TRAITS[type];
  return trigger === "stop" || trigger === "trailing";
}

function checkStraddle({ legs }: ListIntent, { quote }: ListAdmissionContext): void {
  if (quote === undefined) throw new OrderError("NO_DEPTH");
  const levels = legs.map(({ intent }) => levelOf(intent)).filter((level) => level !== undefined);
  const market = quote[executableSide(legs[0]?.intent.side ?? "BUY")];
  const above = levels.filter((level) => level > market).length;
  const below = levels.filter((level) => level < market).length;
  if (levels.length < 2 || (above === 1 && below === 1)) return;
  throw new OrderError("BAD_PRICE_RELATION", {
    advice: "The upper leg must be above the market, and the lower leg below it.",
  });
}
