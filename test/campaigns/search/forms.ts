import type { Quantity } from "../../../src/decimal/index.ts";
import { type Admission, admit, admitList, managedIdOf, type Rules } from "../../../src/lifecycle/index.ts";
import type {
  Contingency,
  LegRole,
  ListIntent,
  ListKind,
  ListMembership,
  ListTerms,
  OcaMode,
  ParentIntent,
  ParentOrder,
  Side,
} from "../../../src/model/index.ts";
import {
  ACCEPTED_AT_MS,
  HIGH,
  LOW,
  MIDDLE,
  priceAt,
  quantityOf,
  RULES,
  RULES_COUNTING_RESIDUALS,
  TRAIL,
  timeOf,
} from "./market.ts";
import type { Subject } from "./subject.ts";

/** The kinds of legs, in the words of traders. */
export type Kind =
  | "limit"
  | "post-only"
  | "iceberg"
  | "stop"
  | "stop-limit"
  | "take-profit"
  | "take-profit-limit"
  | "trailing stop"
  | "trailing stop-limit";

/**
 * A leg of a form. `expiresAt` is the step of the clock at which it expires (GTD); `attempts` limits its children if
 * the limit differs from that of the form.
 */
export type LegPlan = Readonly<{
  kind: Kind;
  reduceOnly?: true;
  expiresAt?: number;
  attempts?: number;
  /** Units; 2 by default. */
  units?: number;
}>;

/** How far a form is searched. */
export type Bounds = Readonly<{
  /** Children per leg. */
  attempts: number;
  /** Records that are decided and not durable at one time. */
  undurable: number;
  /** Crashes, or failures of the store. */
  faults: number;
  /** Whether the venue, once, reports a fill after the child was closed, or fills more than it was sent. */
  lies: boolean;
}>;

/** The bounds of the long search. */
export const FULL: Bounds = { attempts: 2, undurable: 2, faults: 1, lies: true };

/** A form of order or list with its accepted legs. */
export type Form = Readonly<{
  name: string;
  contingency: Contingency | "single";
  listKind?: ListKind;
  mode?: OcaMode;
  legs: readonly ParentOrder[];
  plans: readonly LegPlan[];
  roles: readonly (LegRole | "order")[];
  rules: Rules;
  bounds: Bounds;
  /** The last step of the clock. */
  lastClock: number;
}>;

/** A form before it is accepted: legs in the order in which they are shown. */
export type FormPlan = Readonly<{
  contingency: Contingency | "single";
  listKind?: ListKind;
  mode?: OcaMode;
  /** The first take-profit of a bracket moves its stop to the entry. */
  moves?: true;
  /** Side of the first leg; the legs that a working leg releases have the other side. */
  side: Side;
  legs: readonly LegPlan[];
  /** The setting residualCountsAsFilled. */
  countsResiduals?: true;
  bounds?: Partial<Bounds>;
}>;

const ROLES: Readonly<Record<Form["contingency"], readonly (LegRole | "order")[]>> = {
  single: ["order"],
  OCO: ["protective", "profit"],
  OTO: ["working", "pending"],
  OTOCO: ["working", "protective", "profit"],
};

/** The role of each leg. A bracket has further take-profits, and the orders of an OCA are alike. */
function rolesOf({ contingency, listKind, legs }: FormPlan): readonly (LegRole | "order")[] {
  const roles = ROLES[contingency];
  return legs.map((_, place) => (listKind === "OCA" ? "shared" : (roles[place] ?? "profit")));
}

const opposite = (side: Side): Side => (side === "BUY" ? "SELL" : "BUY");

/** Returns the side of a leg: the exits close the position that a working leg opens. */
function sideOf(plan: FormPlan, role: LegRole | "order"): Side {
  const isExit = role !== "working" && (plan.contingency === "OTO" || plan.contingency === "OTOCO");
  return isExit ? opposite(plan.side) : plan.side;
}

/** The prices of a leg: in the middle, but the profit leg of a pair is above or below it. */
function levelOf(side: Side, role: LegRole | "order", listKind?: ListKind): number {
  if (listKind === "BRACKET" && role === "protective") return side === "SELL" ? LOW : HIGH;
  if (role !== "profit") return MIDDLE;
  return side === "SELL" ? HIGH : LOW;
}

type Terms = Pick<ParentIntent, "type"> &
  Partial<Pick<ParentIntent, "price" | "stopPrice" | "trailing" | "limitOffset" | "icebergQuantity">>;

/** The limit of a trailing stop-limit is its level: the price at which it triggers. */
const NO_OFFSET = 0 as unknown as NonNullable<ParentIntent["limitOffset"]>;

function termsOf(kind: Kind, level: number): Terms {
  const at = priceAt(level);
  const trailing = { kind: "amount", amount: TRAIL } as const;
  switch (kind) {
    case "limit":
      return { type: "SYNTHETIC_LIMIT", price: at };
    case "post-only":
      return { type: "LIMIT_MAKER", price: at };
    case "iceberg":
      return { type: "ICEBERG", price: at, icebergQuantity: quantityOf(1) };
    case "stop":
      return { type: "STOP_MARKET", stopPrice: at };
    case "stop-limit":
      return { type: "STOP_LOSS_LIMIT", stopPrice: at, price: at };
    case "take-profit":
      return { type: "TAKE_PROFIT_MARKET", stopPrice: at };
    case "take-profit-limit":
      return { type: "TAKE_PROFIT_LIMIT", stopPrice: at, price: at };
    case "trailing stop":
      return { type: "TRAILING_STOP_MARKET", stopPrice: at, trailing };
    case "trailing stop-limit":
      return { type: "TRAILING_STOP_LIMIT", stopPrice: at, trailing, limitOffset: NO_OFFSET };
  }
}

function intentOf(plan: FormPlan, leg: LegPlan, role: LegRole | "order"): ParentIntent {
  const side = sideOf(plan, role);
  return {
    symbol: "BTC/USD",
    side,
    quantity: quantityOf(leg.units ?? 2),
    ...termsOf(leg.kind, levelOf(side, role, plan.listKind)),
    ...(leg.expiresAt === undefined
      ? { timeInForce: "GTC" }
      : { timeInForce: "GTD", expireTimeMs: timeOf(leg.expiresAt) }),
    reduceOnly: leg.reduceOnly ?? false,
    childTimeInForce: "IOC",
    clientOrderId: role,
  };
}

/** Admits a form as the engine does; throws the refusal of one that is not admissible. */
function admissionsOf(plan: FormPlan, intents: readonly ParentIntent[]): readonly Admission[] {
  const position = plan.side === "SELL" ? quantityOf(2) : (-quantityOf(2) as unknown as Quantity);
  const context = { nowMs: ACCEPTED_AT_MS, minimum: RULES.minimum, position };
  if (plan.contingency === "single") return intents.map((intent) => admit(intent, context));
  const roles = rolesOf(plan) as readonly LegRole[];
  const legs = intents.map((intent, index) => ({
    role: roles[index] as LegRole,
    intent,
    generatedClientId: false,
  }));
  const { contingency } = plan;
  const list: ListIntent = { listClientOrderId: "list", contingency, ...listTerms(plan), legs };
  return admitList(list, context);
}

const listTerms = ({ listKind, mode, moves }: FormPlan): ListTerms => ({
  ...(listKind !== undefined && { kind: listKind }),
  ...(mode !== undefined && { mode }),
  ...(moves && { stopMove: { after: 1, to: "ENTRY" } }),
});

function wordsOf(plan: FormPlan): string {
  const legs = plan.legs.map(({ kind, reduceOnly, expiresAt, attempts }) => {
    const terms = [
      ...(attempts === undefined ? [] : [`${attempts} children`]),
      ...(reduceOnly ? ["reduce-only"] : []),
      ...(expiresAt === undefined ? [] : [`GTD ${expiresAt}`]),
    ];
    return terms.length === 0 ? kind : `${kind} (${terms.join(", ")})`;
  });
  const { contingency, mode = contingency === "single" ? "single order" : contingency } = plan;
  const name = plan.listKind === undefined ? mode : `${plan.listKind} ${plan.mode ?? ""}`.trim();
  const setting = plan.countsResiduals ? ", residualCountsAsFilled" : "";
  return `${name} ${plan.side}: ${legs.join(" + ")}${setting}`;
}

/** Returns a form right after its acceptance became durable. */
export function formOf(plan: FormPlan, subject: Subject): Form {
  const roles = rolesOf(plan);
  const intents = plan.legs.map((leg, index) => intentOf(plan, leg, roles[index] ?? "order"));
  const admissions = admissionsOf(plan, intents);
  const ids = intents.map((_, index) => managedIdOf({ count: index + 2, shard: 7 }));
  const legs = intents.map((intent, index) => {
    const membership: ListMembership = {
      listId: managedIdOf({ count: 1, shard: 7 }),
      listClientOrderId: "list",
      contingency: plan.contingency as Contingency,
      role: roles[index] as LegRole,
      legs: ids,
      ...listTerms(plan),
    };
    const list = plan.contingency === "single" ? {} : { list: membership };
    return subject.evolve(
      undefined,
      { kind: "ACCEPTED", accountId: 1, intent, acceptance: 1, ...admissions[index], ...list },
      { orderId: ids[index] ?? 0, sequence: 1, timeMs: ACCEPTED_AT_MS },
    );
  });
  return {
    name: wordsOf(plan),
    contingency: plan.contingency,
    ...(plan.listKind !== undefined && { listKind: plan.listKind }),
    ...(plan.mode !== undefined && { mode: plan.mode }),
    legs,
    plans: plan.legs,
    roles,
    rules: plan.countsResiduals ? RULES_COUNTING_RESIDUALS : RULES,
    bounds: { ...FULL, ...plan.bounds },
    lastClock: Math.max(0, ...plan.legs.map(({ expiresAt }) => expiresAt ?? 0)),
  };
}
