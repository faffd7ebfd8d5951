import {
  formatScaled,
  max,
  NOTIONAL_SCALE,
  notionalOf,
  type Price,
  parsePrice,
  parseQuantity,
  parseScaled,
  portion,
  QUANTITY_SCALE,
  type Scaled,
} from "../../decimal/index.ts";
import type { ListFields, OrderFields } from "../../requests/index.ts";
import { grouped } from "./numbers.ts";
import { type BestQuote, type FieldName, fieldsOf, KINDS, type KindName, type Values } from "./ticket.ts";

type List<Form extends keyof ListFields> = Omit<ListFields[Form], "listClientOrderId"> &
  Readonly<{ listClientOrderId?: string }>;

/** What the form asks of the service: an order, or a list of one of the three forms. */
export type Request =
  | Readonly<{ form: "order"; order: OrderFields }>
  | Readonly<{ form: "oco"; list: List<"oco"> }>
  | Readonly<{ form: "oto"; list: List<"oto"> }>
  | Readonly<{ form: "otoco"; list: List<"otoco"> }>;

type Members = Record<string, string | number | boolean>;

/** The types that stand for a schedule with a price limit. */
const STRATEGIES: Readonly<Record<string, number>> = { TWAP: 180, VWAP: 1_000_002, POV: 1_000_004 };
/** The names of a distance in a request. */
const DISTANCES: Readonly<Record<string, string>> = {
  bps: "trailingDelta",
  percent: "price2",
  amount: "trailingAmount",
};
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/**
 * Returns the request of a filled form. Texts go to the rules of the service as they are, because those say best what is
 * wrong with one; a field that is left empty is left out.
 */
export function requestOf(
  kind: KindName,
  symbol: string,
  { values, nowMs, id }: Readonly<{ values: Values; nowMs: number; id: string }>,
): Request {
  const name = values["clientId"] || id;
  if (kind === "OCO") return { form: "oco", list: ocoOf(symbol, name, values) };
  if (kind === "OTO") return { form: "oto", list: otoOf(symbol, name, values) };
  if (kind === "OTOCO") return { form: "otoco", list: otocoOf(symbol, name, values) };
  const members: Members = {
    symbol,
    type: kind,
    newClientOrderId: name,
    ...copied(values),
    ...times(values, nowMs),
  };
  const strategy = STRATEGIES[kind];
  if (strategy !== undefined && values["cap"])
    Object.assign(members, { type: "LIMIT", targetStrategy: strategy, price: values["cap"] });
  return { form: "order", order: members as unknown as OrderFields };
}

/** Fields that a request has under the same name, as text. */
const SAME = ["side", "quantity", "price", "stopPrice", "limitOffset", "icebergQty", "volumeProfile"];

function copied(values: Values): Members {
  const members: Members = {};
  for (const name of SAME) if (values[name]) members[name] = values[name];
  if (values["gate"]) members["stopPrice"] = values["gate"];
  const distance = DISTANCES[values["trailBy"] ?? ""];
  if (distance !== undefined && values["trail"])
    members[distance] = distance === "trailingDelta" ? wholeOf(values["trail"]) : values["trail"];
  if (values["participationBips"]) members["participationBips"] = wholeOf(values["participationBips"]);
  if (values["childTimeInForce"]) members["childTimeInForce"] = values["childTimeInForce"];
  if (values["reduceOnly"]) members["reduceOnly"] = true;
  return members;
}

function times({ slots, seconds, delaySeconds, minutes }: Values, nowMs: number): Members {
  return {
    ...(slots && { intervalCount: wholeOf(slots) }),
    ...(seconds && { interval: wholeOf(seconds, SECOND_MS) }),
    ...(delaySeconds && { intervalDelay: wholeOf(delaySeconds, SECOND_MS) }),
    ...(minutes && { expireTime: timeAfter(minutes, nowMs) }),
  };
}

/** Returns the time after some minutes, in epoch milliseconds. A text that is no whole number stays as it is. */
export function timeAfter(minutes: string, nowMs: number): number | string {
  const ms = wholeOf(minutes, MINUTE_MS);
  return typeof ms === "number" ? nowMs + ms : ms;
}

/** Fields of a request under another name than in the form; of several, the kind has one. */
const SOURCES: readonly (readonly [name: RegExp, fields: readonly FieldName[]])[] = [
  [/^(trailingDelta|price2|trailingAmount)$/, ["trail"]],
  [/^intervalCount$/, ["slots"]],
  [/^interval$/, ["seconds"]],
  [/^intervalDelay$/, ["delaySeconds"]],
  [/^(expireTime|goodTillDate)$/, ["minutes"]],
  [/ClientOrderId$/, ["clientId"]],
  [/quantity$/i, ["quantity"]],
  [/stopPrice$/i, ["stopPrice", "gate"]],
  [/^workingPrice$/, ["entryPrice"]],
  [/(above|below)Price$/i, ["profitPrice"]],
  [/^price$/, ["price", "cap"]],
];

/** Returns the field of the form from which a field of a request comes; undefined if none does. */
export function fieldOf(kind: KindName, name: string): FieldName | undefined {
  const { needs, may } = fieldsOf(kind);
  const sources = SOURCES.find(([pattern]) => pattern.test(name))?.[1] ?? [name as FieldName];
  return sources.find((field) => needs.includes(field) || may.includes(field));
}

/** Returns a whole number, in a unit. A text that is none goes to the rules of the service as it is: they name the field and the remedy. */
export const wholeOf = (text: string, unit = 1): number | string =>
  /^[0-9]{1,9}$/.test(text) ? Number.parseInt(text, 10) * unit : text;

const other = (side: string | undefined): "BUY" | "SELL" => (side === "BUY" ? "SELL" : "BUY");
const sideOf = (side: string | undefined): "BUY" | "SELL" => (side === "BUY" ? "BUY" : "SELL");

/** Returns a client id that a person recognises in the table. Two of the same tenth of a second are refused as used. */
export function newId(kind: KindName, nowMs: number): string {
  const [label = ""] = /^[a-z -]*[a-z]/i.exec(KINDS[kind].label) ?? [];
  const name = kind === "OCO" || kind === "OTO" ? kind : label;
  const time = Math.floor(nowMs / 100).toString(36);
  return `${name.toLowerCase().replaceAll(" ", "-")}-${time.slice(-5)}`;
}

function ocoOf(symbol: string, name: string, values: Values): List<"oco"> {
  const { side, quantity = "", profitPrice = "", stopPrice = "" } = values;
  const shared = { symbol, quantity, listClientOrderId: name };
  const [profit, stop] = [`${name}-profit`, `${name}-stop`];
  // Of a pair that sells, the take-profit is the upper order.
  return side === "BUY"
    ? {
        ...{ ...shared, side: "BUY", belowType: "SYNTHETIC_LIMIT", belowPrice: profitPrice },
        ...{ aboveType: "STOP_MARKET", aboveStopPrice: stopPrice },
        ...{ belowClientOrderId: profit, aboveClientOrderId: stop },
      }
    : {
        ...{ ...shared, side: "SELL", aboveType: "SYNTHETIC_LIMIT", abovePrice: profitPrice },
        ...{ belowType: "STOP_MARKET", belowStopPrice: stopPrice },
        ...{ aboveClientOrderId: profit, belowClientOrderId: stop },
      };
}

function otoOf(symbol: string, name: string, values: Values): List<"oto"> {
  const { side, quantity = "", entryPrice = "", stopPrice = "" } = values;
  return {
    ...{ symbol, listClientOrderId: name, workingType: "SYNTHETIC_LIMIT", workingSide: sideOf(side) },
    ...{ workingQuantity: quantity, workingPrice: entryPrice },
    ...{ pendingType: "STOP_MARKET", pendingSide: other(side), pendingQuantity: quantity },
    ...{ pendingStopPrice: stopPrice },
    ...{ workingClientOrderId: `${name}-entry`, pendingClientOrderId: `${name}-stop` },
  };
}

function otocoOf(symbol: string, name: string, values: Values): List<"otoco"> {
  const { side, quantity = "", entryPrice = "", profitPrice = "", stopPrice = "" } = values;
  const entry = {
    ...{
      symbol,
      listClientOrderId: name,
      workingType: "SYNTHETIC_LIMIT" as const,
      workingSide: sideOf(side),
    },
    ...{ workingQuantity: quantity, workingPrice: entryPrice },
    ...{ pendingSide: other(side), pendingQuantity: quantity, workingClientOrderId: `${name}-entry` },
  };
  const [profit, stop] = [`${name}-profit`, `${name}-stop`];
  return side === "BUY"
    ? {
        ...{ ...entry, pendingAboveType: "SYNTHETIC_LIMIT", pendingAbovePrice: profitPrice },
        ...{ pendingBelowType: "STOP_MARKET", pendingBelowStopPrice: stopPrice },
        ...{ pendingAboveClientOrderId: profit, pendingBelowClientOrderId: stop },
      }
    : {
        ...{ ...entry, pendingBelowType: "SYNTHETIC_LIMIT", pendingBelowPrice: profitPrice },
        ...{ pendingAboveType: "STOP_MARKET", pendingAboveStopPrice: stopPrice },
        ...{ pendingBelowClientOrderId: profit, pendingAboveClientOrderId: stop },
      };
}

/** What the size of an order depends on. `balances`: of the account, as far as they are known. */
export type SizeInput = Readonly<{
  values: Values;
  base: string;
  quote: BestQuote | undefined;
  balances: Readonly<Record<string, string>>;
}>;

/** The size of an order, and what the account has for it: USD to buy, the base asset to sell. */
export type OrderSize = Readonly<{
  /** What the order does, such as "Sell 0.5 BTC". */
  does: string;
  /** Its value in USD; undefined without a quantity or a price. */
  value: string | undefined;
  available: string | undefined;
  /** The share of what is available, in percent, rounded up; undefined if one of the two is not known. */
  percent: number | undefined;
}>;

/** A share of the balance beyond which a person confirms an order, in percent. */
const MOST_PERCENT = 50;
/** Percents above this are only "more than all". */
const ALL_PERCENT = 100;
const CENTS = 10n ** BigInt(NOTIONAL_SCALE - 2);

/** The fields that price an order, the one that counts first. Without one, the market does. */
const PRICES = ["price", "cap", "entryPrice", "stopPrice"];

const isSale = ({ values }: SizeInput): boolean => values["side"] === "SELL";

function priceOf({ values, quote }: SizeInput, sells: boolean): Price | undefined {
  const text = PRICES.map((name) => values[name]).find(Boolean) ?? (sells ? quote?.bid : quote?.ask);
  return text === undefined ? undefined : parsePrice(text);
}

type Fund = Readonly<{ asset: string; scale: number; amount: Scaled }>;

/** A sale is paid in the base asset, a purchase in USD. */
function fundOf(input: SizeInput, sells: boolean): Fund | undefined {
  const asset = sells ? input.base : "USD";
  const scale = sells ? QUANTITY_SCALE : NOTIONAL_SCALE;
  const amount = parseScaled(input.balances[asset] ?? "", scale);
  return amount === undefined ? undefined : { asset, scale, amount: max(amount, 0) };
}

/** Returns the size of the order in a form. */
export function sizeOf(input: SizeInput): OrderSize {
  const sells = isSale(input);
  const text = input.values["quantity"] ?? "";
  const quantity = parseQuantity(text);
  const price = priceOf(input, sells);
  const fund = fundOf(input, sells);
  const value = quantity === undefined || price === undefined ? undefined : notionalOf(price, quantity);
  const needs = sells ? quantity : value;
  return {
    does: `${sells ? "Sell" : "Buy"}${quantity === undefined ? "" : ` ${grouped(text)}`} ${input.base}`,
    value: value === undefined ? undefined : dollarText(value),
    available: fund === undefined ? undefined : fundText(fund),
    percent: fund === undefined || needs === undefined ? undefined : percentOf(needs, fund.amount),
  };
}

/** Cents are rounded up, so that an order of less than a cent is not said to be worth nothing. */
const dollarText = (value: Scaled): string =>
  grouped(formatScaled(portion(value, { numerator: 1, denominator: CENTS, rounding: "up" }), 2), 2);

/** What is available is rounded down. */
const fundText = ({ asset, scale, amount }: Fund): string =>
  asset === "USD"
    ? `${grouped(formatScaled(portion(amount, { numerator: 1, denominator: CENTS, rounding: "down" }), 2), 2)} USD`
    : `${grouped(formatScaled(amount, scale))} ${asset}`;

function percentOf(needs: Scaled, available: Scaled): number {
  if (needs > available) return ALL_PERCENT + 1;
  const percent = portion(needs, { numerator: ALL_PERCENT, denominator: available, rounding: "up" });
  return Number.parseInt(String(percent), 10);
}

/** Returns the quantity that uses a share of what is available, in percent; undefined if that is not known. */
export function quantityAt(percent: number, input: SizeInput): string | undefined {
  const sells = isSale(input);
  const fund = fundOf(input, sells);
  const price = priceOf(input, sells);
  if (fund === undefined || (!sells && price === undefined)) return undefined;
  const denominator = BigInt(ALL_PERCENT) * (sells || price === undefined ? 1n : BigInt(price));
  return formatScaled(
    portion(fund.amount, { numerator: percent, denominator, rounding: "down" }),
    QUANTITY_SCALE,
  );
}

/** Returns the question that a person answers before an order is sent, or undefined for one that is small enough. */
export function questionOf({ does, value, available, percent }: OrderSize): string | undefined {
  if (percent === undefined || percent <= MOST_PERCENT) return undefined;
  const worth = value === undefined ? "" : ` for about ${value} USD`;
  const share = percent > ALL_PERCENT ? "more than" : `${percent} % of`;
  return `${does}${worth}? That is ${share} the ${available} that you have.`;
}
