/** Types that wait for a trigger before their first child. */
export type TriggeredType =
  | "STOP_MARKET"
  | "STOP_LOSS_LIMIT"
  | "TAKE_PROFIT_MARKET"
  | "TAKE_PROFIT_LIMIT"
  | "TRAILING_STOP_MARKET"
  | "TRAILING_STOP_LIMIT";

/** Types that trade by a schedule or a share of the volume. */
export type ScheduledType = "TWAP" | "VWAP" | "POV";

/** Canonical types of managed parents. */
export type ParentType = TriggeredType | ScheduledType | "SYNTHETIC_LIMIT" | "LIMIT_MAKER" | "ICEBERG";

/** Names of order types on input that stand for a canonical type (contract, Order type values). */
export type OrderTypeAlias =
  | "LIMIT"
  | "STOP"
  | "STOP_LOSS"
  | "STOP_LIMIT"
  | "TAKE_PROFIT"
  | "TRAILING_STOP"
  | "POST_ONLY";

/** Kind of trigger of a type: a stop price as a stop or as a take-profit, or a price that trails the market. */
export type TriggerKind = "stop" | "takeProfit" | "trailing";

/**
 * Limit of a type's children. `fixed`: a price. `fixedOrOffset`: a price, or a distance from the trigger. `cap`: a price
 * only where targetStrategy selects the type (contract rule 6). `none`: no limit.
 */
export type LimitKind = "none" | "fixed" | "fixedOrOffset" | "cap";

/**
 * When a type trades. `even`: equal slots. `volume`: slots weighted by volume. `participation`: a share of the
 * executed volume.
 */
export type ScheduleKind = "even" | "volume" | "participation";

/** Whether a part of an intent is required, allowed, or refused. */
export type Need = "required" | "optional" | "none";

/** Everything that distinguishes one type from another. */
export interface OrderTypeTraits {
  readonly trigger?: TriggerKind;
  readonly limit: LimitKind;
  readonly schedule?: ScheduleKind;
  /** Whether it shows only a part of its quantity at a time. */
  readonly iceberg: Need;
  /** Whether it is refused if its first quote would match it. */
  readonly postOnly: boolean;
  /** Legs of a list that it can be: any, any but those of an OCO pair, or none (contract rule 8). */
  readonly legs: "any" | "unpaired" | "none";
  /** Other names on input. LIMIT is not among them, because other fields decide what it means. */
  readonly aliases: readonly Exclude<OrderTypeAlias, "LIMIT">[];
  /** With type LIMIT, the value of targetStrategy that selects it. */
  readonly targetStrategy?: number;
}

type Table = {
  readonly [T in ParentType]: Omit<OrderTypeTraits, "trigger" | "schedule"> &
    (T extends TriggeredType ? Readonly<{ trigger: TriggerKind }> : Readonly<{ trigger?: never }>) &
    (T extends ScheduledType
      ? Readonly<{ schedule: ScheduleKind; targetStrategy: number }>
      : Readonly<{ schedule?: never; targetStrategy?: never }>);
};

const LIMITED = { limit: "fixed", iceberg: "optional", postOnly: false, legs: "any", aliases: [] } as const;
const AT_MARKET = { limit: "none", iceberg: "none", postOnly: false, legs: "any", aliases: [] } as const;
const SCHEDULED = { limit: "cap", iceberg: "none", postOnly: false, legs: "none", aliases: [] } as const;

const TABLE: Table = {
  SYNTHETIC_LIMIT: LIMITED,
  STOP_MARKET: { ...AT_MARKET, trigger: "stop", aliases: ["STOP", "STOP_LOSS"] },
  STOP_LOSS_LIMIT: { ...LIMITED, trigger: "stop", aliases: ["STOP_LIMIT"] },
  TAKE_PROFIT_MARKET: { ...AT_MARKET, trigger: "takeProfit", aliases: ["TAKE_PROFIT"] },
  TAKE_PROFIT_LIMIT: { ...LIMITED, trigger: "takeProfit" },
  TRAILING_STOP_MARKET: { ...AT_MARKET, trigger: "trailing", aliases: ["TRAILING_STOP"] },
  TRAILING_STOP_LIMIT: { ...LIMITED, trigger: "trailing", limit: "fixedOrOffset" },
  LIMIT_MAKER: { ...LIMITED, iceberg: "none", postOnly: true, aliases: ["POST_ONLY"] },
  ICEBERG: { ...LIMITED, iceberg: "required", legs: "unpaired" },
  TWAP: { ...SCHEDULED, schedule: "even", targetStrategy: 180 },
  VWAP: { ...SCHEDULED, schedule: "volume", targetStrategy: 1_000_002 },
  POV: { ...SCHEDULED, schedule: "participation", targetStrategy: 1_000_004 },
};

/**
 * The one table of order types. Every rule that depends on a type reads a trait here. A new type is a row here and a
 * member of the unions above; the compiler demands both.
 */
export const TRAITS: Readonly<Record<ParentType, OrderTypeTraits>> = TABLE;

/** The canonical types that can be placed, for catalogues such as exchangeInfo. */
export const ORDER_TYPES: readonly ParentType[] = Object.freeze(Object.keys(TABLE) as ParentType[]);

/** The parts of an intent that depend on its type. */
export const TYPED_PARTS = [
  "stopPrice",
  "trailing",
  "price",
  "limitOffset",
  "icebergQuantity",
  "schedule",
  "participationBips",
] as const;

/** One of the parts of an intent that depend on its type. */
export type TypedPart = (typeof TYPED_PARTS)[number];

/** The parts of an intent. */
export type Parts = Readonly<Partial<Record<TypedPart, Need>>>;

const OF_TRIGGER: Readonly<Record<TriggerKind, Parts>> = {
  stop: { stopPrice: "required" },
  takeProfit: { stopPrice: "required" },
  trailing: { stopPrice: "optional", trailing: "required" },
};

const OF_LIMIT: Readonly<Record<LimitKind, Parts>> = {
  none: {},
  fixed: { price: "required" },
  fixedOrOffset: { price: "optional", limitOffset: "optional" },
  cap: { price: "optional" },
};

const OF_SCHEDULE: Readonly<Record<ScheduleKind, Parts>> = {
  even: { schedule: "required" },
  volume: { schedule: "required" },
  participation: { participationBips: "required" },
};

/** Returns whether a type that triggers at a stop price may trail instead when it is a leg of a list. */
export function mayTrailAsLeg(type: ParentType): boolean {
  const { trigger } = TRAITS[type];
  return trigger === "stop" || trigger === "takeProfit";
}

function singleParts({ trigger, limit, schedule, iceberg }: OrderTypeTraits): Parts {
  return {
    ...(trigger !== undefined && OF_TRIGGER[trigger]),
    ...OF_LIMIT[limit],
    ...(schedule !== undefined && OF_SCHEDULE[schedule]),
    icebergQuantity: iceberg,
  };
}

const forEveryType = (partsFor: (type: ParentType) => Parts): Readonly<Record<ParentType, Parts>> =>
  Object.fromEntries(ORDER_TYPES.map((type) => [type, partsFor(type)])) as Record<ParentType, Parts>;

const SINGLE = forEveryType((type) => singleParts(TRAITS[type]));
const LEG = forEveryType((type) =>
  mayTrailAsLeg(type) ? { ...SINGLE[type], stopPrice: "optional", trailing: "optional" } : SINGLE[type],
);

/**
 * Returns the parts that a type takes. A part that is not listed is refused (contract, Order type values).
 */
export function partsOf(type: ParentType, place: "single" | "leg"): Parts {
  return (place === "leg" ? LEG : SINGLE)[type];
}
