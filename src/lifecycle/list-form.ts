import {
  add,
  type Notional,
  notionalOf,
  type Price,
  type Quantity,
  subtract,
  ZERO_QUANTITY,
} from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import {
  type Contingency,
  type LegIntent,
  type LegRole,
  type ListIntent,
  type ParentIntent,
  type StopMove,
  TRAITS,
} from "../model/index.ts";
import { MOST_SHARES } from "../requests/index.ts";

const ROLES: Readonly<Record<Contingency, readonly LegRole[]>> = {
  OCO: ["protective", "profit"],
  OTO: ["working", "pending"],
  OTOCO: ["working", "protective", "profit"],
};

/** Returns the level by which an OCO leg is compared: its stop price, else its price; undefined for a leg with neither. */
export function levelOf(intent: ParentIntent): Price | undefined {
  return intent.stopPrice ?? intent.price;
}

/** Checks the form of a list. One that was built by hand in process must have it too. Throws the OrderError that refuses it. */
export function checkLegs(list: ListIntent): void {
  if (list.kind === "BRACKET") checkBracket(list);
  else if (list.kind === "OCA") checkShared(list);
  else checkPaired(list);
  if (list.legs.some(({ intent }) => intent.schedule !== undefined || intent.participationBips !== undefined))
    throw new OrderError("UNSUPPORTED_COMBINATION", { field: "type" });
}

function checkPaired({ contingency, legs, mode, stopMove }: ListIntent): void {
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
  const isPlain = mode === undefined && stopMove === undefined;
  if (!inForm || !oneMarket || !alike || !ordered || !isPlain)
    throw outOfForm(`The legs of ${contingency} are: ${roles.join(", ")}.`);
}

const outOfForm = (advice: string): OrderError =>
  new OrderError("BAD_COMBINATION", {
    fields: "'legs'",
    advice: `Build the list with listIntent. ${advice}`,
  });

function checkBracket({ contingency, legs, mode, stopMove }: ListIntent): void {
  const [entry, stop, ...profits] = legs;
  const exits = [stop, ...profits].map((leg) => leg?.intent);
  const inForm =
    contingency === "OTOCO" &&
    mode === undefined &&
    entry?.role === "working" &&
    stop?.role === "protective" &&
    profits.length >= 1 &&
    profits.length <= MOST_SHARES &&
    profits.every(({ role }) => role === "profit");
  const closes = exits.every(
    (intent) => intent?.symbol === entry?.intent.symbol && intent?.side !== entry?.intent.side,
  );
  if (!inForm || !closes || stop.intent.quantity !== entry.intent.quantity)
    throw outOfForm(
      "The legs of a bracket are: the entry, the stop with the same quantity, and one to ten take-profits.",
    );
  if (stop.intent.expireTimeMs !== undefined)
    throw outOfForm("The stop of a bracket has no expiry: it would leave a position without it.");
  if (!profits.every(({ intent }) => isPair([stop.intent, intent])))
    throw outOfForm("Every take-profit of a bracket is on the other side of the market than its stop.");
  const shares = profits.reduce((sum, { intent }) => add(sum, intent.quantity), ZERO_QUANTITY);
  if (shares > entry.intent.quantity)
    throw outOfForm("The take-profits of a bracket have together at most the quantity of its entry.");
  if (stopMove !== undefined)
    checkMove(
      stopMove,
      stop.intent,
      profits.map(({ intent }) => intent),
    );
}

function checkMove(
  { after, to, offset }: StopMove,
  stop: ParentIntent,
  profits: readonly ParentIntent[],
): void {
  const invalid = (field: string, advice: string): OrderError =>
    new OrderError("INVALID_PARAMETER", { field, advice });
  if (!Number.isSafeInteger(after) || after < 1 || after > profits.length)
    throw invalid("moveStopAfter", `Send the number of a take-profit, 1 to ${profits.length}.`);
  if (to !== "ENTRY" && to <= 0) throw invalid("moveStopTo", "Send ENTRY or a price above 0.");
  if (offset !== undefined && offset < 0) throw invalid("moveStopOffset", "Send an offset of at least 0.");
  if (TRAITS[stop.type].trigger !== "stop" || stop.trailing !== undefined)
    throw invalid("moveStopAfter", "A trailing stop moves by itself: leave moveStopAfter out.");
  if (to === "ENTRY") return;
  const level = movedLevel(to, stop, offset);
  const moved = { ...stop, stopPrice: level };
  if (!isBetterLevel(level, stop) || !profits.slice(after).every((profit) => isPair([moved, profit])))
    throw invalid("moveStopTo", "Send a price between the stop and the take-profits that are left then.");
}

const ZERO_PRICE = 0 as Price;

/** Returns the level of a stop that moves there, and by an offset toward the take-profits. */
export const movedLevel = (from: Price, { side }: ParentIntent, offset: Price = ZERO_PRICE): Price =>
  side === "SELL" ? add(from, offset) : subtract(from, offset);

/** Returns whether a level is better for the owner of a stop than that of the stop. */
export const isBetterLevel = (level: Price, { side, stopPrice }: ParentIntent): boolean =>
  stopPrice !== undefined && (side === "SELL" ? level > stopPrice : level < stopPrice);

function checkShared({ contingency, legs, mode, stopMove }: ListIntent): void {
  const first = legs[0]?.intent;
  const inForm =
    contingency === "OCO" &&
    mode !== undefined &&
    stopMove === undefined &&
    legs.length >= 2 &&
    legs.length <= MOST_SHARES &&
    legs.every(
      ({ role, intent: { symbol, side, quantity } }) =>
        role === "shared" && symbol === first?.symbol && side === first.side && quantity === first.quantity,
    );
  if (!inForm)
    throw outOfForm(
      "The legs of an OCA are two to ten orders of one symbol, side and quantity, with a mode.",
    );
}

/**
 * Returns a bracket of which no take-profit is worth less than the minimum at its own price: one that is joins the one before it,
 * the first the next. A reduce-only one has no minimum, and one without a price is not judged. Other lists are returned as they
 * are. The move of a stop follows the take-profit into the one that it joins.
 */
export function withJoinedShares(list: ListIntent, minimum: Notional): ListIntent {
  if (list.kind !== "BRACKET") return list;
  const [entry, stop, ...profits] = list.legs;
  const joined: LegIntent[] = [];
  const { stopMove } = list;
  let after = stopMove?.after ?? 0;
  let carried = ZERO_QUANTITY;
  for (const [index, leg] of profits.entries()) {
    const quantity = add(leg.intent.quantity, carried);
    const before = joined.at(-1);
    const isSmall = isBelow({ ...leg.intent, quantity }, minimum);
    carried = isSmall && before === undefined && index < profits.length - 1 ? quantity : ZERO_QUANTITY;
    if (isSmall && before !== undefined)
      joined[joined.length - 1] = withQuantity(before, add(before.intent.quantity, quantity));
    else if (carried === ZERO_QUANTITY) joined.push(withQuantity(leg, quantity));
    if (stopMove?.after === index + 1) after = Math.max(1, joined.length);
  }
  if (entry === undefined || stop === undefined || joined.length === profits.length) return list;
  return { ...list, legs: [entry, stop, ...joined], ...(stopMove && { stopMove: { ...stopMove, after } }) };
}

const withQuantity = (leg: LegIntent, quantity: Quantity): LegIntent =>
  quantity === leg.intent.quantity ? leg : { ...leg, intent: { ...leg.intent, quantity } };

function isBelow({ price, stopPrice, quantity, reduceOnly }: ParentIntent, minimum: Notional): boolean {
  const at = price ?? stopPrice;
  return !reduceOnly && at !== undefined && notionalOf(at, quantity) < minimum;
}

/** Returns whether the protective leg is a stop, the other a limit or take-profit, and their levels do not cross. */
export function isPair([protective, profit]: readonly ParentIntent[]): boolean {
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
