import {
  formatQuantity,
  type Price,
  parseQuantity,
  portion,
  type Quantity,
  subtract,
} from "../decimal/index.ts";
import { OrderError } from "../errors/index.ts";
import type { ListIntent, OcaMode, ParentIntent, Side, StopMove } from "../model/index.ts";
import { fieldSet } from "./field-set.ts";
import {
  asLeg,
  exitsOf,
  type FormNames,
  type FreeLegFields,
  formNames,
  type Leg,
  type LegFields,
  type LegNames,
  type LegSource,
  type ListCommonFields,
  legNames,
  ONE_ORDER,
  type Prefixed,
  prefixedLeg,
  readLegs,
  SYMBOL,
  WORKING,
} from "./list-legs.ts";
import { conflict, invalid, type PlainFields } from "./parameters.ts";
import { entryOrPriceRule, type FieldRule, offsetRule, optionalField, whole, words } from "./rule.ts";

type Numbers = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;
const NUMBERS: readonly Numbers[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** Most take-profits of a bracket by fills, and most orders of an OCA. */
export const MOST_SHARES: number = NUMBERS.length;

/** The take-profits of a bracket by fills. Their type is LIMIT unless they name another. */
interface TakeProfitFields extends Omit<LegFields, "type"> {
  readonly type?: LegFields["type"];
  /** Share of the working quantity in basis points; all shares together are 10,000 at most. */
  readonly shareBips?: number;
}

/** When and where a bracket by fills moves its stop. */
export interface StopMoveFields {
  /** How many take-profits, in their order, must have executed whole. */
  readonly moveStopAfter?: number;
  /** ENTRY, the average price of the working leg's executions, or a price in USD as a decimal string. */
  readonly moveStopTo?: string;
  /** Distance in USD toward the take-profits, as a decimal string. */
  readonly moveStopOffset?: string;
}

type StopNames = "type" | "stopPrice" | "price";

/** A working order, one stop and one to ten take-profits, which are sized by what the working order executes. */
export type BracketFields = ListCommonFields &
  Prefixed<"working", FreeLegFields> &
  Prefixed<"stop", Omit<LegFields, StopNames>> &
  Partial<Prefixed<`takeProfit${Numbers}`, TakeProfitFields>> &
  StopMoveFields &
  Readonly<{
    /** Default: STOP_MARKET, and STOP_LOSS_LIMIT with a limit. */
    stopType?: LegFields["type"];
    /** The level that triggers the stop. */
    stopPrice?: string;
    /** The limit of the stop. */
    stopLimitPrice?: string;
  }>;

/** Two to ten orders that share one quantity. */
export type OcaFields = ListCommonFields &
  Readonly<{ side: Side; quantity: string; mode: "CANCEL" | "REDUCE" }> &
  Prefixed<"leg1" | "leg2", LegFields> &
  Partial<Prefixed<`leg${Exclude<Numbers, 1 | 2>}`, LegFields>>;

/** The legs of a bracket by fills, and the names of the fields that no leg has. */
export type BracketLegs = Readonly<{
  working: LegNames;
  stop: LegNames;
  profits: readonly LegNames[];
  shareOf: (profit: number) => string;
  move: (field: keyof StopMoveFields) => string;
}>;

/** Returns the names of an exit, which has the other side than the entry and takes its quantity from it. */
export function exitNames(leg: LegNames, more: Partial<LegNames> = {}): LegNames {
  const names = [...leg.names].filter(([field]) => field !== "side" && field !== "quantity");
  return legNames(new Map(names), { inPair: true, ...more });
}

const STOP: LegNames = exitNames(
  prefixedLeg("stop", {
    inPair: true,
    shared: { ...SYMBOL, stopPrice: "stopPrice", price: "stopLimitPrice" },
  }),
  { impliedType: ({ type, price }) => type ?? (price === undefined ? "STOP_MARKET" : "STOP_LOSS_LIMIT") },
);

/** The type of a take-profit that names none. */
export const impliedProfit: NonNullable<LegNames["impliedType"]> = ({ type }) => type ?? "LIMIT";

/** The legs of a bracket by fills in a request. */
export const BRACKET_LEGS: BracketLegs = {
  working: WORKING,
  stop: STOP,
  profits: NUMBERS.map((n) =>
    exitNames(prefixedLeg(`takeProfit${n}`, { inPair: true, shared: SYMBOL }), {
      impliedType: impliedProfit,
      isOptional: n > 1,
    }),
  ),
  shareOf: (index) => `takeProfit${index + 1}ShareBips`,
  move: (field) => field,
};

/** The names of a bracket by fills in a request. */
export const BRACKET_FORM: FormNames<string> = formNames(
  {
    working: BRACKET_LEGS.working,
    stop: BRACKET_LEGS.stop,
    ...Object.fromEntries(BRACKET_LEGS.profits.map((leg, index) => [`takeProfit${index + 1}`, leg])),
  },
  {
    ...Object.fromEntries(NUMBERS.map((n) => [BRACKET_LEGS.shareOf(n - 1), "shareBips"])),
    moveStopAfter: "moveStopAfter",
    moveStopTo: "moveStopTo",
    moveStopOffset: "moveStopOffset",
  },
);

/** The legs of an OCA in a request. */
export const OCA_LEGS: readonly LegNames[] = NUMBERS.map((n) => ({
  ...prefixedLeg(`leg${n}`, { inPair: true, shared: ONE_ORDER }),
  isOptional: n > 2,
}));

/** The names of an OCA in a request. */
export const OCA_FORM: FormNames<string> = formNames(
  Object.fromEntries(OCA_LEGS.map((leg, index) => [`leg${index + 1}`, leg])),
  { mode: "mode" },
);

/** The rules of the fields that no leg has. */
export const OWN_RULES: OwnRules = {
  shareBips: whole({ from: 1, to: 10_000 }),
  moveStopAfter: optionalField(whole({ from: 1, to: MOST_SHARES })),
  moveStopTo: optionalField(entryOrPriceRule),
  moveStopOffset: optionalField(offsetRule),
  mode: words("CANCEL", "REDUCE"),
};

type OwnRules = Readonly<{
  shareBips: FieldRule<number>;
  moveStopAfter: FieldRule<number | undefined>;
  moveStopTo: FieldRule<StopMove["to"] | undefined>;
  moveStopOffset: FieldRule<Price | undefined>;
  mode: FieldRule<OcaMode>;
}>;

const SHARE_SET = fieldSet({ shareBips: OWN_RULES.shareBips });
const MODE_SET = fieldSet({ mode: OWN_RULES.mode });
const MOVE_SET = fieldSet({
  moveStopAfter: OWN_RULES.moveStopAfter,
  moveStopTo: OWN_RULES.moveStopTo,
  moveStopOffset: OWN_RULES.moveStopOffset,
});

/** The whole of the shares, in basis points. */
const ALL_BIPS = 10_000;

/**
 * Reads a bracket by fills, in display order: working, stop, take-profits. A number between take-profits that is left out is
 * refused as a missing leg. Throws as {@link readLegs} and, for each take-profit with the stop, as {@link exitsOf}; also
 * BAD_COMBINATION (-1128) for shares of more than the whole and for a move of a stop that trails.
 */
export function readBracket(names: BracketLegs, source: LegSource): Omit<ListIntent, "listClientOrderId"> {
  const { fields } = source;
  const isSent = ({ names: own }: LegNames, index: number): boolean =>
    fields[names.shareOf(index)] !== undefined ||
    [...own].some(([field, name]) => field !== "symbol" && fields[name] !== undefined);
  const profits = names.profits.slice(0, Math.max(1, names.profits.findLastIndex(isSent) + 1));
  const quantity = fields[names.working.nameOf("quantity")];
  const side = fields[names.working.nameOf("side")] === "BUY" ? "SELL" : "BUY";
  const shares = sharesOf(names, profits.length, fields);
  const given = (leg: LegNames, size: typeof quantity): LegNames => ({
    ...leg,
    given: { side, quantity: size },
  });
  const sized = profits.map((leg, index) => [`takeProfit${index}`, given(leg, shares[index])] as const);
  const legs = { working: names.working, stop: given(names.stop, quantity) };
  const read = readLegs<string>({ ...legs, ...Object.fromEntries(sized) }, source);
  const [working, stop, ...takeProfits] = Object.values(read) as [Leg, Leg, ...Leg[]];
  for (const profit of takeProfits) exitsOf({ profit, stop });
  const stopMove = stopMoveOf(names, stop, source.fields, profits.length);
  return {
    contingency: "OTOCO",
    kind: "BRACKET",
    ...(stopMove !== undefined && { stopMove }),
    legs: [
      asLeg(working, "working"),
      asLeg(stop, "protective"),
      ...takeProfits.map((leg) => asLeg(leg, "profit")),
    ],
  };
}

/**
 * Returns the quantities of take-profits: their shares of the whole, rounded down; of shares that are the whole together, the
 * last has the rest. Empty if the whole is no quantity, which its own leg is refused for.
 */
function sharesOf({ working, shareOf }: BracketLegs, count: number, fields: PlainFields): readonly string[] {
  const bips = NUMBERS.slice(0, count).map((_, index) => {
    const name = shareOf(index);
    const shareBips = fields[name] ?? (count === 1 ? ALL_BIPS : undefined);
    return SHARE_SET.read({ shareBips }, () => name).shareBips;
  });
  const sum = bips.reduce((total, one) => total + one, 0);
  if (sum > ALL_BIPS) {
    const advice = `The shares together are at most ${ALL_BIPS}. Send smaller ones.`;
    throw conflict(
      bips.map((_, index) => shareOf(index)),
      advice,
    );
  }
  const all = parseQuantity(String(fields[working.nameOf("quantity")]));
  if (all === undefined) return [];
  const parts = bips.map((one) =>
    portion<Quantity>(all, {
      numerator: one as Quantity,
      denominator: ALL_BIPS as Quantity,
      rounding: "down",
    }),
  );
  return parts.map((part, index) => {
    const isRest = sum === ALL_BIPS && index === count - 1;
    const size = isRest ? parts.slice(0, -1).reduce((rest, one) => subtract(rest, one), all) : part;
    if (size > 0) return formatQuantity(size);
    const advice = "The share is less than the smallest quantity. Send a larger one.";
    throw new OrderError("INVALID_PARAMETER", { field: shareOf(index), advice });
  });
}

function stopMoveOf(
  { move }: BracketLegs,
  { intent, nameOf }: Leg,
  fields: PlainFields,
  profits: number,
): StopMove | undefined {
  const sent = Object.keys(MOVE_SET.rules) as (keyof StopMoveFields)[];
  const values = Object.fromEntries(sent.map((field) => [field, fields[move(field)]]));
  const nameOfMove = (field: string): string => move(field as keyof StopMoveFields);
  const { moveStopAfter, moveStopTo, moveStopOffset } = MOVE_SET.read(values, nameOfMove);
  if (moveStopAfter === undefined || moveStopTo === undefined) {
    if (sent.every((field) => values[field] === undefined)) return undefined;
    const field = move(moveStopAfter === undefined ? "moveStopAfter" : "moveStopTo");
    throw new OrderError("PARAMETER_MISSING", { field });
  }
  if (moveStopAfter > profits) throw invalid("moveStopAfter", move("moveStopAfter"));
  if (intent.trailing !== undefined) {
    const trailing = nameOf(DISTANCES[intent.trailing.kind]);
    throw conflict(
      [move("moveStopAfter"), trailing],
      "A stop that trails moves by itself. Omit one of them.",
    );
  }
  const offset = moveStopOffset !== undefined && moveStopOffset > 0 && { offset: moveStopOffset };
  return { after: moveStopAfter, to: moveStopTo, ...offset };
}

/** The field of each kind of distance. */
const DISTANCES: Readonly<Record<NonNullable<ParentIntent["trailing"]>["kind"], string>> = {
  bps: "trailingDelta",
  percent: "price2",
  amount: "trailingAmount",
};

/** Reads an OCA: two to ten legs. A number that is left out is refused as a missing leg. Throws as {@link readLegs}. */
export function readOca(
  names: readonly LegNames[],
  source: LegSource,
): Omit<ListIntent, "listClientOrderId"> {
  const { fields } = source;
  const shared = Object.values(ONE_ORDER);
  const isSent = ({ names: own }: LegNames): boolean =>
    [...own.values()].some((name) => !shared.includes(name) && fields[name] !== undefined);
  const sent = names.slice(0, Math.max(2, names.findLastIndex(isSent) + 1));
  const { mode } = MODE_SET.read({ mode: fields["mode"] });
  const legs = readLegs(Object.fromEntries(sent.map((leg, index) => [`leg${index}`, leg])), source);
  return {
    contingency: "OCO",
    kind: "OCA",
    mode,
    legs: Object.values(legs).map((leg) => asLeg(leg, "shared")),
  };
}
