/** What a person may enter for an order, by the name of the field. */
export type Values = Readonly<Record<string, string>>;

/** A field of the order form. */
export type Field = Readonly<{
  label: string;
  kind: "choice" | "decimal" | "whole" | "text" | "check";
  /** `BASE` stands for the base asset of the market. */
  unit?: string;
  choices?: readonly (readonly [value: string, label: string])[];
}>;

/** The name of a field. */
export type FieldName =
  | "side"
  | "quantity"
  | "price"
  | "stopPrice"
  | "profitPrice"
  | "gate"
  | "trail"
  | "trailBy"
  | "limitOffset"
  | "icebergQty"
  | "slots"
  | "seconds"
  | "delaySeconds"
  | "volumeProfile"
  | "participationBips"
  | "cap"
  | "entryPrice"
  | "minutes"
  | "childTimeInForce"
  | "reduceOnly"
  | "clientId";

/** Every field of the form. The names of prices and quantities of lists begin with the leg. */
export const FIELDS: Readonly<Record<FieldName, Field>> = {
  side: {
    label: "Side",
    kind: "choice",
    choices: [
      ["SELL", "Sell"],
      ["BUY", "Buy"],
    ],
  },
  quantity: { label: "Quantity", kind: "decimal", unit: "BASE" },
  price: { label: "Limit price", kind: "decimal", unit: "USD" },
  stopPrice: { label: "Stop price", kind: "decimal", unit: "USD" },
  profitPrice: { label: "Take profit at", kind: "decimal", unit: "USD" },
  gate: { label: "Trail only from this price on", kind: "decimal", unit: "USD" },
  trail: { label: "Distance", kind: "decimal" },
  trailBy: {
    label: "Distance in",
    kind: "choice",
    choices: [
      ["bps", "basis points"],
      ["percent", "percent"],
      ["amount", "USD"],
    ],
  },
  limitOffset: { label: "Limit beyond the trigger", kind: "decimal", unit: "USD" },
  icebergQty: { label: "Shown at once", kind: "decimal", unit: "BASE" },
  slots: { label: "Slots", kind: "whole" },
  seconds: { label: "Length of a slot", kind: "whole", unit: "s" },
  delaySeconds: { label: "Begin after", kind: "whole", unit: "s" },
  volumeProfile: { label: "Weights of the slots", kind: "text" },
  participationBips: { label: "Share of the volume", kind: "whole", unit: "bps" },
  cap: { label: "Worst price", kind: "decimal", unit: "USD" },
  entryPrice: { label: "Entry at", kind: "decimal", unit: "USD" },
  minutes: { label: "Expire after", kind: "whole", unit: "min" },
  childTimeInForce: {
    label: "Each part that is sent",
    kind: "choice",
    choices: [
      ["", "IOC: as much as possible"],
      ["FOK", "FOK: all or nothing"],
    ],
  },
  reduceOnly: { label: "Only make a position smaller", kind: "check" },
  clientId: { label: "Your id of the order", kind: "text" },
};

/** A kind of order: its name for a person, a sentence about it, the fields that it needs and those that it may have. */
export type Kind = Readonly<{
  label: string;
  group: "Triggers" | "Limits" | "Schedules" | "Lists";
  says: string;
  needs: readonly FieldName[];
  may: readonly FieldName[];
}>;

const COMMON: readonly FieldName[] = ["minutes", "childTimeInForce", "reduceOnly", "clientId"];
const SIZED: readonly FieldName[] = ["side", "quantity"];
const TRAIL: readonly FieldName[] = ["trail", "trailBy"];

/** The name of a kind of order: a type of the contract, or the form of a list. */
export type KindName =
  | "TRAILING_STOP_MARKET"
  | "TRAILING_STOP_LIMIT"
  | "STOP_MARKET"
  | "STOP_LOSS_LIMIT"
  | "TAKE_PROFIT_MARKET"
  | "TAKE_PROFIT_LIMIT"
  | "SYNTHETIC_LIMIT"
  | "LIMIT_MAKER"
  | "ICEBERG"
  | "TWAP"
  | "VWAP"
  | "POV"
  | "OTOCO"
  | "OCO"
  | "OTO";

/** Every kind of order that the form offers, in its order. */
export const KINDS: Readonly<Record<KindName, Kind>> = {
  TRAILING_STOP_MARKET: {
    label: "Trailing stop",
    group: "Triggers",
    says: "Follows the market at a distance and trades when the market turns back by it.",
    needs: [...SIZED, ...TRAIL],
    may: ["gate", ...COMMON],
  },
  TRAILING_STOP_LIMIT: {
    label: "Trailing stop-limit",
    group: "Triggers",
    says: "A trailing stop whose limit follows the trigger.",
    needs: [...SIZED, ...TRAIL, "limitOffset"],
    may: ["gate", "icebergQty", ...COMMON],
  },
  STOP_MARKET: {
    label: "Stop",
    group: "Triggers",
    says: "Trades at the market once the price has moved against you to the stop price.",
    needs: [...SIZED, "stopPrice"],
    may: COMMON,
  },
  STOP_LOSS_LIMIT: {
    label: "Stop-limit",
    group: "Triggers",
    says: "A stop that trades at its limit price or better.",
    needs: [...SIZED, "stopPrice", "price"],
    may: ["icebergQty", ...COMMON],
  },
  TAKE_PROFIT_MARKET: {
    label: "Take-profit",
    group: "Triggers",
    says: "Trades at the market once the price has moved your way to the stop price.",
    needs: [...SIZED, "stopPrice"],
    may: COMMON,
  },
  TAKE_PROFIT_LIMIT: {
    label: "Take-profit limit",
    group: "Triggers",
    says: "A take-profit that trades at its limit price or better.",
    needs: [...SIZED, "stopPrice", "price"],
    may: ["icebergQty", ...COMMON],
  },
  SYNTHETIC_LIMIT: {
    label: "Persistent limit",
    group: "Limits",
    says: "Waits until the market reaches its price, and trades there or better.",
    needs: [...SIZED, "price"],
    may: ["icebergQty", ...COMMON],
  },
  LIMIT_MAKER: {
    label: "Post-only",
    group: "Limits",
    says: "A limit that is refused if the first quote would already match it.",
    needs: [...SIZED, "price"],
    may: COMMON,
  },
  ICEBERG: {
    label: "Iceberg",
    group: "Limits",
    says: "A limit that shows, and sends, only a part of its quantity at a time.",
    needs: [...SIZED, "price", "icebergQty"],
    may: COMMON,
  },
  TWAP: {
    label: "TWAP",
    group: "Schedules",
    says: "Spreads the quantity evenly over slots of time.",
    needs: [...SIZED, "slots", "seconds"],
    may: ["cap", "delaySeconds", ...COMMON],
  },
  VWAP: {
    label: "VWAP",
    group: "Schedules",
    says: "Spreads the quantity over slots by weight: yours, or the volume of the past.",
    needs: [...SIZED, "slots", "seconds", "volumeProfile"],
    may: ["cap", "delaySeconds", ...COMMON],
  },
  POV: {
    label: "POV",
    group: "Schedules",
    says: "Trades a share of the volume that others execute.",
    needs: [...SIZED, "participationBips"],
    may: ["cap", ...COMMON],
  },
  OTOCO: {
    label: "Bracket (OTOCO)",
    group: "Lists",
    says: "An entry that, when it is filled, releases a take-profit and a stop. Only one of them executes.",
    needs: [...SIZED, "entryPrice", "profitPrice", "stopPrice"],
    may: ["clientId"],
  },
  OCO: {
    label: "Profit or stop (OCO)",
    group: "Lists",
    says: "A take-profit and a stop. When one executes, the other is canceled.",
    needs: [...SIZED, "profitPrice", "stopPrice"],
    may: ["clientId"],
  },
  OTO: {
    label: "Entry, then stop (OTO)",
    group: "Lists",
    says: "An entry that, when it is filled, releases a stop on the other side.",
    needs: [...SIZED, "entryPrice", "stopPrice"],
    may: ["clientId"],
  },
};

/** The kinds that are offered with one click. */
export const QUICK: readonly KindName[] = ["TRAILING_STOP_MARKET", "TWAP", "ICEBERG", "OTOCO"];

/** Returns whether a kind is a list, which has no preview. */
export const isList = (kind: KindName): boolean => KINDS[kind].group === "Lists";

/** Returns the kind of a text from the page, or the first one. */
export function kindOf(text: string): KindName {
  return Object.hasOwn(KINDS, text) ? (text as KindName) : "TRAILING_STOP_MARKET";
}
