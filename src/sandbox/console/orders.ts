import type { ManagedOrderReply, OrderState, OrderUpdateMembers } from "../../client/index.ts";
import { durationText } from "../../common/index.ts";
import { dollars, grouped, shortPrice, timeText } from "./numbers.ts";
import { KINDS, kindOf } from "./ticket.ts";

/** The members of an order that its words need. */
export type WordedOrder = Pick<ManagedOrderReply, "type" | "side" | "status" | "apiState" | "held"> &
  Partial<ManagedOrderReply>;

/** How a status should look. */
export type Tone = "open" | "work" | "good" | "bad" | "off";

/** What a step has come to: a sentence of success, or one with another tone. */
export type Outcome = string | Readonly<{ text: string; tone: Tone }>;

const sides = (
  order: WordedOrder,
): Readonly<{ does: string; price: string; worse: string; better: string }> =>
  order.side === "SELL"
    ? { does: "sells", price: "bid", worse: "≤", better: "≥" }
    : { does: "buys", price: "ask", worse: "≥", better: "≤" };

/** Returns the condition under which an order trades, in words. */
export function conditionOf(order: WordedOrder): string {
  const words = `${whenOf(order)}${limitOf(order)}`;
  return order.held ? `held until the entry is filled, then ${words}` : words;
}

function whenOf(order: WordedOrder): string {
  const { does, price, worse, better } = sides(order);
  const { type, stopPrice = "", interval = 0, intervalCount = 0 } = order;
  switch (type) {
    case "STOP_MARKET":
    case "STOP_LOSS_LIMIT":
      return `${does} when ${price} ${worse} ${dollars(stopPrice)}`;
    case "TAKE_PROFIT_MARKET":
    case "TAKE_PROFIT_LIMIT":
      return `${does} when ${price} ${better} ${dollars(stopPrice)}`;
    case "TRAILING_STOP_MARKET":
    case "TRAILING_STOP_LIMIT":
      return trailingOf(order);
    case "TWAP":
      return `${does} in ${intervalCount} slots of ${durationText(interval)}`;
    case "VWAP":
      return `${does} in ${intervalCount} slots of ${durationText(interval)}, by weight`;
    case "POV":
      return `${does} ${percentOf(order.participationBips ?? 0)} of the executed volume`;
    default:
      return `${does} when ${price} ${better} ${dollars(order.price ?? "")}`;
  }
}

function trailingOf(order: WordedOrder): string {
  const { does, price } = sides(order);
  const turn = order.side === "SELL" ? "falls" : "rises";
  const from = order.side === "SELL" ? "high" : "low";
  const gate = order.stopPrice === undefined ? "" : `, from ${dollars(order.stopPrice)} on`;
  const now =
    order.triggerLevel === undefined || order.triggerTime !== undefined
      ? ""
      : `, now at ${shortPrice(order.triggerLevel)}`;
  return `${does} when ${price} ${turn} ${distanceOf(order)} from its ${from}${gate}${now}`;
}

/** Returns the distance of a trailing order, in words. */
export function distanceOf({ trailingDelta, price2, trailingAmount }: WordedOrder): string {
  if (trailingAmount !== undefined) return `${dollars(trailingAmount)} USD`;
  return price2 === undefined ? percentOf(trailingDelta ?? 0) : `${price2} %`;
}

/** Basis points in percent. They are small whole numbers. */
const percentOf = (bps: number): string => `${bps / 100} %`;

const OWN_LIMIT: readonly string[] = ["SYNTHETIC_LIMIT", "LIMIT_MAKER", "ICEBERG"];

function limitOf({ type, price, limitOffset, dynamicLimit, icebergQty }: WordedOrder): string {
  const parts: string[] = [];
  if (price !== undefined && !OWN_LIMIT.includes(type)) parts.push(`limit ${dollars(price)}`);
  if (dynamicLimit !== undefined) parts.push(`limit now ${shortPrice(dynamicLimit)}`);
  else if (limitOffset !== undefined) parts.push(`limit ${dollars(limitOffset)} beyond`);
  if (icebergQty !== undefined) parts.push(`${grouped(icebergQty)} at a time`);
  return parts.map((part) => `, ${part}`).join("");
}

/** Returns the name of the type of an order, for a person. */
export const typeName = ({ type }: Pick<WordedOrder, "type">): string =>
  Object.hasOwn(KINDS, type) ? KINDS[kindOf(type)].label : type;

/** Returns whether an order may still trade or be canceled. */
export const isOpen = ({ status }: Pick<WordedOrder, "status">): boolean =>
  status === "NEW" || status === "PARTIALLY_FILLED" || status === "PENDING_NEW";

const ENDED: Readonly<Record<string, readonly [string, Tone]>> = {
  FILLED: ["Filled", "good"],
  CANCELED: ["Canceled", "off"],
  EXPIRED: ["Expired", "off"],
  REJECTED: ["Rejected", "bad"],
};

/** Returns the state of an order in a word or two, and how it should look. */
export function statusOf(order: WordedOrder): readonly [text: string, tone: Tone] {
  const ended = ENDED[order.status];
  if (ended !== undefined) return ended;
  if (order.apiState === "UNKNOWN") return ["No answer, asking again", "bad"];
  if (order.cancelPending) return ["Canceling", "work"];
  if (order.held) return ["Held", "off"];
  if (order.stalled !== undefined)
    return [`Stalled: ${order.stalled.toLowerCase().replaceAll("_", " ")}`, "bad"];
  if (order.apiState === "WORKING") return ["At the venue", "work"];
  if (order.triggerTime !== undefined && order.status === "NEW") return ["Triggered", "work"];
  return order.status === "PARTIALLY_FILLED" ? ["Partly filled", "work"] : ["Waiting", "open"];
}

/** Returns what is known of an order without its history, as names and values. */
export function knownOf(order: ManagedOrderReply): readonly (readonly [name: string, value: string])[] {
  const { side, origQty, executedQty, avgPrice, timeInForce, expireTime, transactTime, orderId } = order;
  const filled =
    executedQty === "0" ? "nothing" : `${grouped(executedQty)} at ${shortPrice(avgPrice)} on average`;
  const until = expireTime === undefined ? timeInForce : `${timeInForce}, until ${timeText(expireTime)}`;
  return [
    ["Order", `${side === "SELL" ? "Sell" : "Buy"} ${grouped(origQty)} ${order.symbol}, ${typeName(order)}`],
    ["Condition", conditionOf(order)],
    ["Filled", filled],
    ["Valid", until],
    ["Only reduces", order.reduceOnly ? "yes" : "no"],
    ["Placed", timeText(transactTime, true)],
    ["Order id", orderId],
  ];
}

const REASONS: Readonly<Record<string, string>> = {
  EXPIRED_GTD: "its time was over",
  RESIDUAL_BELOW_MIN_NOTIONAL: "the rest was worth less than the minimum",
  REJECTED_BY_VENUE: "the venue refused it",
  OVERFILL: "the venue filled more than was sent",
  BEYOND_LIMIT: "the venue filled it beyond its limit",
  SCHEDULE_ENDED: "its last slot is over",
  WOULD_MATCH_IMMEDIATELY: "it would have traded at once",
  OCO_TRIGGER: "the other order of the pair was first",
  WORKING_LEG_ENDED: "its entry ended without being filled",
  NOTHING_TO_REDUCE: "no position was left to reduce",
};

/** Returns why an order has ended, in words; empty if its status says it. */
export function reasonWords(reason: string): string {
  if (reason === "FILLED" || reason === "USER_CANCELED") return "";
  return REASONS[reason] ?? reason.toLowerCase().replaceAll("_", " ");
}

const TEN_THOUSAND = 10_000n;

const stepsOf = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".");
  return /^[0-9]*$/.test(whole + fraction) ? BigInt(`${whole}${fraction.slice(0, 6).padEnd(6, "0")}`) : 0n;
};

/** Returns how much of an order is executed, in percent with two decimals at most. */
export function shareOf(executed: string, quantity: string): number {
  const [done, all] = [stepsOf(executed), stepsOf(quantity)];
  if (all === 0n) return 0;
  return Number.parseInt(String((done * TEN_THOUSAND) / all), 10) / 100;
}

/** The orders of a list, or one order alone, whose `listId` is undefined. */
export type OrderGroup = Readonly<{
  listId: string | undefined;
  orders: readonly [ManagedOrderReply, ...ManagedOrderReply[]];
}>;

/** The list id of an order that is part of none. */
export const NO_LIST = "-1";

/** Returns orders as groups in their order. The legs of a list are in the order in which it names them. */
export function groupsOf(orders: readonly ManagedOrderReply[]): readonly OrderGroup[] {
  const groups = new Map<string, OrderGroup>();
  for (const order of orders) {
    const listId = order.orderListId === NO_LIST ? undefined : order.orderListId;
    const key = listId === undefined ? `order ${order.orderId}` : `list ${listId}`;
    const known = groups.get(key)?.orders ?? [];
    // Ids are negative, and newer ones are lower.
    const [first = order, ...rest] = [...known, order].toSorted((a, b) =>
      BigInt(a.orderId) > BigInt(b.orderId) ? -1 : 1,
    );
    groups.set(key, { listId, orders: [first, ...rest] });
  }
  return [...groups.values()];
}

/** Whether an order of the group may still trade or be canceled. */
export const isGroupOpen = ({ orders }: OrderGroup): boolean => orders.some(isOpen);

/** Returns what the orders of a list are to each other: the service tells it of a list only, and not of its legs. */
export function listWords({ orders }: OrderGroup): string {
  if (orders.length === 1) return "One order of a list";
  if (orders.length > 2) return "Bracket: an entry, then a take-profit or a stop";
  const isPair = orders.every(({ side, held }) => side === orders[0].side && !held);
  return isPair ? "Take-profit or stop" : "Entry, then its exit";
}

/** How far a status has come. What the stream tells never moves back, a page that was read before it might. */
const RANK: Readonly<Record<string, number>> = { PENDING_NEW: 0, NEW: 1, PARTIALLY_FILLED: 2 };
const RANK_ENDED = 3;
const rankOf = ({ status }: Readonly<{ status: string }>): number => RANK[status] ?? RANK_ENDED;

/** An order as the page shows it. Only an event or the journal tells why it has ended. */
export type ShownOrder = ManagedOrderReply & Readonly<{ reason?: string | undefined }>;

/** The orders that the page shows, newest first: pages that were read, brought up to date by the stream. */
export class OrderRows {
  #orders: readonly ShownOrder[] = [];
  /** Why orders have ended, by order id, as far as it is known. */
  readonly #reasons: Map<string, string> = new Map();

  /** Whether an order may still change. */
  get hasOpen(): boolean {
    return this.#orders.some(isOpen);
  }

  /** Takes a page in. A state of the stream that is further on takes precedence. */
  read(page: readonly ManagedOrderReply[], states: ReadonlyMap<string, OrderState>): readonly ShownOrder[] {
    this.#orders = page.map((read) => {
      const order = { ...read, reason: this.#reasons.get(read.orderId) };
      const state = states.get(order.orderId);
      return state === undefined || rankOf(state) <= rankOf(order) ? order : updated(order, state, undefined);
    });
    return this.#orders;
  }

  /** Applies an event. Returns the orders, or undefined for an order that only a new page can show. */
  apply(state: OrderState, members: OrderUpdateMembers | undefined): readonly ShownOrder[] | undefined {
    if (members?.reason !== undefined) this.#reasons.set(state.orderId, members.reason);
    const index = this.#orders.findIndex(({ orderId }) => orderId === state.orderId);
    const known = this.#orders[index];
    if (known === undefined) return undefined;
    this.#orders = this.#orders.with(index, updated(known, state, members));
    return this.#orders;
  }

  /** Takes in why an order has ended. Returns the orders. */
  explain(orderId: string, reason: string): readonly ShownOrder[] {
    this.#reasons.set(orderId, reason);
    this.#orders = this.#orders.map((order) => (order.orderId === orderId ? { ...order, reason } : order));
    return this.#orders;
  }
}

function updated(
  order: ShownOrder,
  { status, executedQty }: OrderState,
  members: OrderUpdateMembers | undefined,
): ShownOrder {
  const { apiState = order.apiState, held = order.held, cancelPending = order.cancelPending } = members ?? {};
  const avgPrice = members === undefined || members.ap === "0" ? order.avgPrice : members.ap;
  const stalled = members === undefined ? order.stalled : members.stalled;
  const { triggerLevel = order.triggerLevel, triggerTime = order.triggerTime } = members ?? {};
  return {
    ...{ ...order, status, executedQty, apiState, held, cancelPending, stalled, avgPrice },
    ...{ triggerLevel, triggerTime, reason: members?.reason ?? order.reason },
  };
}
