import {
  afterExecution,
  averagePriceText,
  beforeExecution,
  type ExecutedValue,
  exactQuantityText,
  executedPriceText,
  executedText,
  formatPrice,
  formatQuantity,
  type Price,
  ZERO_NOTIONAL,
} from "../../decimal/index.ts";
import type { ListUpdate, OrderUpdate } from "../../engine/index.ts";
import { listStatusOf, type StatusView, statusOf } from "../../lifecycle/index.ts";
import {
  type AlertKind,
  type EndReason,
  type Fact,
  type Fill,
  type NativeExecution,
  type ParentIntent,
  type ParentOrder,
  TRAITS,
} from "../../model/index.ts";
import type { AccountUpdate, MarginCall } from "../../ports/index.ts";
import {
  type ACCOUNT_UPDATE,
  type CompleteOf,
  type LIST_STATUS,
  type MANAGED_UPDATE,
  type MARGIN_CALL,
  type NATIVE_UPDATE,
  UNUSED_LETTERS,
} from "../../replies/index.ts";
import type { JsonInput } from "../../wire/index.ts";
import { membersInEvents, NO_LIST, termsInEvents, triggerInEvents } from "../views/managed-order.ts";
import { tradeIdOf } from "../views/native-order.ts";

/** Kinds of order events under the convention's names, TRIGGERED, AMENDED for new terms, and ALERT for an alert of a stalled order. */
export type ExecutionType =
  | "NEW"
  | "TRADE"
  | "CANCELED"
  | "EXPIRED"
  | "REJECTED"
  | "TRIGGERED"
  | "AMENDED"
  | "ALERT";

/**
 * One event of an order that a client receives. What was executed, and its value, are those after the event.
 */
export type OrderEvent = Readonly<{
  order: ParentOrder;
  timeMs: number;
  execution: ExecutionType;
  view: StatusView;
  executed: ExecutedValue;
  fill?: Fill;
  reason?: EndReason;
  amend?: AmendedFact;
  alerts?: readonly AlertKind[];
}>;

type FilledFact = Extract<Fact, { kind: "FILLED" }>;
type AmendedFact = Extract<Fact, { kind: "AMENDED" }>;
type EndedFact = Extract<Fact, { kind: "ENDED" }>;

const OF_STALLS: ReadonlySet<AlertKind> = new Set(["ORDER_STALLED", "ORDER_RESUMED"]);

const isFilled = (fact: Fact): fact is FilledFact => fact.kind === "FILLED";
const isEnded = (fact: Fact): fact is EndedFact => fact.kind === "ENDED";

/**
 * Returns the events that a durable change of an order sends to its account, in the order of the facts: NEW when it was
 * accepted or released, TRADE for each fill, CANCELED, EXPIRED or REJECTED for an end without a full fill, TRIGGERED,
 * AMENDED, and ALERT when it is stalled or goes on. Other changes, such as a cancel that waits for a child, send no event. Source:
 * convention 4.11.
 */
export function orderEventsOf({ record, order }: OrderUpdate): readonly OrderEvent[] {
  const facts = record.changes.find(({ orderId }) => orderId === order.orderId)?.facts ?? [];
  const end = facts.find(isEnded);
  const fills = facts.filter(isFilled);
  const events: OrderEvent[] = [];
  let executed = fills.reduce<ExecutedValue>((total, { fill }) => beforeExecution(total, fill), order);
  for (const fact of facts) {
    if (fact.kind === "FILLED") executed = afterExecution(executed, fact.fill);
    const event = eventOf(fact, { order, end, lastFill: fills.at(-1), isFirst: events.length === 0 });
    if (event !== undefined)
      events.push({ order, timeMs: record.timeMs, view: statusOf(order), executed, ...event });
    // An alert belongs to the event before it.
    const last = fact.kind === "ALERT" ? events.pop() : undefined;
    if (fact.kind === "ALERT" && last !== undefined)
      events.push({ ...last, alerts: [...(last.alerts ?? []), fact.alert] });
  }
  return events;
}

/** The order of a fact, the end and the last fill that came with it, and whether no event comes before it. */
type FactContext = Readonly<{
  order: ParentOrder;
  end: EndedFact | undefined;
  lastFill: FilledFact | undefined;
  isFirst: boolean;
}>;

function eventOf(
  fact: Fact,
  { order, end, lastFill, isFirst }: FactContext,
):
  | (Pick<OrderEvent, "execution" | "fill" | "reason" | "amend"> & { readonly view?: StatusView })
  | undefined {
  switch (fact.kind) {
    case "ACCEPTED":
    case "RELEASED":
      return { execution: "NEW" };
    case "FILLED": {
      const completes = end?.status === "FILLED" && fact === lastFill;
      const goesOn = end !== undefined && !completes;
      return { execution: "TRADE", fill: fact.fill, ...(goesOn && { view: beforeEnd(order) }) };
    }
    case "ENDED":
      if (fact.status !== "FILLED") return { execution: fact.status, reason: fact.reason };
      // If the order is filled, the event of the last fill already says so.
      return lastFill === undefined ? { execution: "TRADE" } : undefined;
    case "ALERT":
      // That the order is stalled or goes on is an event of its own; any other alert alone concerns only the operator.
      return isFirst && OF_STALLS.has(fact.alert) ? { execution: "ALERT" } : undefined;
    case "AMENDED":
      return { execution: "AMENDED", amend: fact };
    case "TRIGGERED":
      // A child may follow late or never. An event before it, or the end that comes with it, has the trigger already.
      return isFirst && end === undefined ? { execution: "TRIGGERED" } : undefined;
    default:
      return undefined;
  }
}

/** Returns the status of an order before the end that the same record brought. */
function beforeEnd(order: ParentOrder): StatusView {
  const { ended: _ended, ...open } = order;
  return statusOf(open);
}

/** Members of every event of the private stream: its number within the account, and its sending time. */
export type EventStamp = Readonly<{ sequence: number; nowMs: number }>;

/** Text for an absent value. */
export const NONE = "0";

/** Trade id of an event that is not a trade. */
const NO_TRADE = 0;

/** One basis point as a percentage, in units of 1e-8. */
const PERCENT_STEPS_PER_BPS = 1_000_000;

/**
 * Builds an ORDER_TRADE_UPDATE. The single-letter members are the convention's. `sequence` and the spelled-out members of
 * `o` are additions: accountId, executionId (unique at the venue; `t` is its number), g (list), apiState, held,
 * cancelPending, triggerLevel, triggerTime, reason, alerts, and of an amend before and amendId. Source: convention 4.9.
 */
export function orderTradeUpdate(event: OrderEvent, { sequence, nowMs }: EventStamp): JsonInput {
  return { e: "ORDER_TRADE_UPDATE", E: nowMs, T: event.timeMs, sequence, o: updateOf(event) };
}

function updateOf(event: OrderEvent): CompleteOf<typeof MANAGED_UPDATE> {
  const { order, timeMs, execution, view, fill } = event;
  const { intent, accountId, orderId } = order;
  return {
    s: intent.symbol,
    c: intent.clientOrderId,
    S: intent.side,
    o: intent.type,
    f: intent.timeInForce,
    q: formatQuantity(intent.quantity),
    p: priceText(intent.price),
    ap: executedPriceText(event.executed),
    sp: priceText(intent.stopPrice),
    x: execution,
    X: view.status,
    i: orderId,
    l: fill === undefined ? NONE : exactQuantityText(fill),
    z: executedText(event.executed),
    L: priceText(fill?.price),
    T: fill?.timeMs ?? timeMs,
    t: fill === undefined ? NO_TRADE : tradeIdOf(fill.executionId),
    R: intent.reduceOnly,
    ot: intent.type,
    ...UNUSED_LETTERS,
    ...trailingOf(intent),
    gtd: intent.expireTimeMs ?? 0,
    er: expiryNumber(event),
    g: order.list?.listId ?? NO_LIST,
    accountId,
    ...membersInEvents(event),
    ...triggerInEvents(order),
    executionId: fill?.executionId,
    reason: event.reason,
    alerts: event.alerts,
    before: event.amend && termsInEvents(event.amend.before),
    amendId: event.amend?.amendId,
  };
}

/** Formats a price, or returns the text for an absent value. */
export const priceText = (price: Price | undefined): string =>
  price === undefined ? NONE : formatPrice(price);

const NOT_TRAILING = { AP: undefined, cr: undefined };

/** Returns activation price and callback rate in percent for trailing types only. An absolute distance has no rate. */
function trailingOf({
  type,
  trailing,
  stopPrice,
}: ParentIntent): Pick<CompleteOf<typeof MANAGED_UPDATE>, "AP" | "cr"> {
  if (trailing === undefined) return NOT_TRAILING;
  const gated = TRAITS[type].trigger === "trailing";
  const rate =
    trailing.kind === "bps"
      ? formatPrice((trailing.bps * PERCENT_STEPS_PER_BPS) as Price)
      : trailing.kind === "percent"
        ? formatPrice(trailing.percent)
        : undefined;
  return { AP: gated ? priceText(stopPrice) : undefined, cr: rate };
}

/**
 * Returns the convention's expiry number: 2 for the remainder of a limit order, 9 for that of a market order, otherwise
 * 0.
 */
function expiryNumber({ execution, reason, order }: OrderEvent): string {
  if (execution !== "EXPIRED" || reason !== "RESIDUAL_BELOW_MIN_NOTIONAL") return "0";
  return order.intent.price === undefined && order.intent.limitOffset === undefined ? "9" : "2";
}

/** Times in force whose remainder expires if it cannot execute at once. */
const AT_ONCE: ReadonlySet<string> = new Set(["IOC", "FOK"]);

/**
 * Builds an ORDER_TRADE_UPDATE of a native order. Its average price is 0 if the host does not report the executed amount.
 * `sequence`, `g`, `accountId`, `executionId`, `reason` and `rejectReason` are additions to the convention. Source:
 * convention 4.9.
 */
export function nativeTradeUpdate(execution: NativeExecution, { sequence, nowMs }: EventStamp): JsonInput {
  return { e: "ORDER_TRADE_UPDATE", E: nowMs, T: execution.timeMs, sequence, o: nativeUpdateOf(execution) };
}

function nativeUpdateOf(execution: NativeExecution): CompleteOf<typeof NATIVE_UPDATE> {
  const { order, execType, executionId, timeMs, lastQuantity, lastPrice } = execution;
  const isTrade = execType === "TRADE";
  return {
    s: order.symbol,
    c: order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: formatQuantity(order.quantity),
    p: priceText(order.price),
    ap: averagePriceText(order.executedNotional ?? ZERO_NOTIONAL, order.executedQuantity),
    sp: priceText(order.stopPrice),
    x: execType,
    X: order.status,
    i: order.orderId,
    l: lastQuantity === undefined ? NONE : formatQuantity(lastQuantity),
    z: formatQuantity(order.executedQuantity),
    L: priceText(lastPrice),
    T: timeMs,
    t: isTrade ? tradeIdOf(executionId) : NO_TRADE,
    R: false,
    ot: order.type,
    ...UNUSED_LETTERS,
    gtd: 0,
    er: nativeExpiryNumber(execution),
    g: order.orderListId ?? NO_LIST,
    accountId: order.accountId,
    executionId: isTrade ? executionId : undefined,
    reason: order.reason,
    rejectReason: order.rejectReason,
  };
}

/**
 * Returns the convention's expiry number: 9 for the remainder of a market order, 2 for that of IOC and FOK, otherwise
 * 0.
 */
function nativeExpiryNumber({ execType, order }: NativeExecution): string {
  if (execType !== "EXPIRED") return "0";
  if (order.type === "MARKET") return "9";
  return AT_ONCE.has(order.timeInForce) ? "2" : "0";
}

/** Stamp of an event, with its account. */
type AccountStamp = EventStamp & Readonly<{ accountId: number }>;

/** Builds an ACCOUNT_UPDATE. `sequence` and `accountId` are additions to the convention. Source: convention 4.10. */
export function accountUpdate(
  update: AccountUpdate,
  { accountId, sequence, nowMs }: AccountStamp,
): CompleteOf<typeof ACCOUNT_UPDATE> {
  const { reason, timeMs, balances, positions } = update;
  return {
    e: "ACCOUNT_UPDATE",
    E: nowMs,
    T: timeMs,
    sequence,
    accountId,
    a: {
      m: reason,
      B: balances.map(({ asset, wallet, cross, change }) => {
        return { a: asset, wb: wallet, cw: cross ?? wallet, bc: change };
      }),
      P: positions.map((position) => ({
        s: position.symbol,
        pa: position.amount,
        ep: position.entryPrice ?? "0",
        bep: position.breakEvenPrice ?? "0",
        cr: position.realizedProfit ?? "0",
        up: position.unrealizedProfit ?? "0",
        mt: "cross",
        iw: "0",
        ps: "BOTH",
      })),
    },
  };
}

/** Builds a MARGIN_CALL. `sequence` and `accountId` are additions to the convention. Source: convention 4.10. */
export function marginCall(
  call: MarginCall,
  { accountId, sequence, nowMs }: AccountStamp,
): CompleteOf<typeof MARGIN_CALL> {
  return {
    e: "MARGIN_CALL",
    E: nowMs,
    sequence,
    accountId,
    cw: call.crossWallet,
    p: call.positions.map((position) => ({
      s: position.symbol,
      ps: position.side,
      pa: position.amount,
      mt: position.marginType,
      iw: position.isolatedWallet ?? "0",
      mp: position.markPrice,
      up: position.unrealizedProfit,
      mm: position.maintenanceMargin,
    })),
  };
}

/** Stamp of an event, with the name of its market. */
export type MarketStamp = EventStamp & Readonly<{ symbol: string }>;

const starts = ({ kind }: Fact): boolean => kind === "ACCEPTED" || kind === "RELEASED";

/**
 * Returns whether a record of a list emits a listStatus event: when the list is placed, when legs of it are released,
 * and when its last leg has ended. Source: convention 4.8 and 4.11.
 */
export function changesListStatus({ record, list }: ListUpdate): boolean {
  if (record.changes.some(({ facts }) => facts.some(starts))) return true;
  return listStatusOf(list).listOrderStatus === "ALL_DONE";
}

/** Builds a listStatus event. `sequence` and `accountId` are additions to the convention. Source: convention 4.8. */
export function listStatus(
  { record, list }: ListUpdate,
  { sequence, nowMs, symbol }: MarketStamp,
): CompleteOf<typeof LIST_STATUS> {
  const { listStatusType, listOrderStatus } = listStatusOf(list);
  return {
    e: "listStatus",
    E: nowMs,
    s: symbol,
    g: list.listId,
    c: list.contingency,
    listKind: list.kind,
    l: listStatusType,
    L: listOrderStatus,
    r: "NONE",
    C: list.listClientOrderId,
    T: record.timeMs,
    sequence,
    accountId: list.accountId,
    O: list.legs.map(({ orderId, intent }) => ({ s: symbol, i: orderId, c: intent.clientOrderId })),
  };
}
