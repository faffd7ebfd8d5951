/** The adapter: the API of a foreign exchange as an `ExecutionVenue`. The comments name the classic mistakes. */
import { type ChildRequest, type Fill, Price, Quantity } from "managed-orders";
import type { ChildReport, ExecutionVenue, NotFound, SubmitOptions, VenueEvent } from "managed-orders/ports";
import { ApiError, type ApiNewOrder, type ApiOrder, type ApiTrade, type ExchangeApi } from "./exchange.ts";

/** A filled order is `closed`, and so is one whose rest has expired. An unknown word must throw, not become `open`. */
const STATES = {
  NEW: "open",
  PARTIALLY_FILLED: "open",
  FILLED: "closed",
  EXPIRED: "closed",
} as const satisfies Record<ApiOrder["status"], ChildReport["state"]>;

/** Refusals that are definite. Only those that no later attempt can avoid are `final`. */
const REFUSALS: Readonly<Record<string, Partial<ChildReport>>> = {
  TOO_LATE: {},
  MARKET_HALTED: {},
  INSUFFICIENT_BALANCE: { mark: "INSUFFICIENT_FUNDS" },
  ACCOUNT_CLOSED: { final: true },
};

const MICROS_PER_MS = 1_000;

/** Creates the adapter on a client of the exchange's API. It keeps nothing that a crash could lose. */
export function createForeignVenue(api: ExchangeApi): ExecutionVenue {
  const report = async (childId: string): Promise<ChildReport> => {
    // The state is read before the trades. In the other order, a closed report could miss the trade that closed it.
    const order = await api.order(childId);
    return reportOf(order, await api.trades(childId));
  };
  return {
    capabilities: { honoursDeadline: true, canVoid: true, ratePerSecond: 10 },
    submit: (child, options) => submit(api, child, options, report),
    lookup: ({ childId }) => unlessUnknown(report(childId)),
    // The exchange's clock, by which it judges deadlines. The clock of this machine would be a guess.
    venueTimeMs: () => api.time(),
    voidChild: (child) => voidChild(api, child, report),
    subscribe: (listener) => subscribe(api, listener, report),
  };
}

type Report = (childId: string) => Promise<ChildReport>;

async function submit(
  api: ExchangeApi,
  child: ChildRequest,
  { deadlineMs, signal }: SubmitOptions,
  report: Report,
): Promise<ChildReport> {
  const { childId } = child;
  try {
    // The deadline is a moment in milliseconds, for both sides. A duration would begin when the order arrives.
    await api.placeOrder(orderOf(child, deadlineMs), { signal });
  } catch (error) {
    // Everything but a definite refusal leaves the outcome unknown: a timeout is no refusal.
    if (!(error instanceof ApiError)) throw error;
    const refusal = REFUSALS[error.code];
    if (refusal !== undefined)
      return { childId, state: "rejected", fills: [], detail: error.code, ...refusal };
    // The order has arrived before, such as by a retry of the HTTP client. What became of it is looked up.
    if (error.code !== "DUPLICATE_ID") throw error;
  }
  return await report(childId);
}

/** A child that does not exist is not found at the exchange's time. Every other failure is no proof, and rejects. */
async function unlessUnknown(report: Promise<ChildReport>): Promise<ChildReport | NotFound> {
  try {
    return await report;
  } catch (error) {
    if (error instanceof ApiError && error.code === "UNKNOWN_ORDER")
      return { notFoundAtMs: error.serverTime };
    throw error;
  }
}

async function voidChild(
  api: ExchangeApi,
  { childId }: ChildRequest,
  report: Report,
): Promise<ChildReport | "voided"> {
  try {
    await api.retire(childId);
    return "voided";
  } catch (error) {
    if (error instanceof ApiError && error.code === "ORDER_EXISTS") return await report(childId);
    throw error;
  }
}

/**
 * The stream says only that an order has changed. Each message is answered with the whole report, which a repeated or
 * late message cannot make wrong. Executions after the end of an order are told to every new listener, because the
 * engine does not look such a child up.
 */
function subscribe(api: ExchangeApi, listener: (event: VenueEvent) => void, report: Report): () => void {
  let isOver = false;
  const unread = new Set<string>();
  const read = async (childId: string): Promise<void> => {
    const said = await report(childId);
    unread.delete(childId);
    if (!isOver) listener({ report: said });
  };
  const readAll = (): void => {
    // A report that cannot be read now is read with the next message. The engine also looks open children up itself.
    for (const childId of unread) read(childId).catch(() => undefined);
  };
  const heard = (childId: string): void => {
    unread.add(childId);
    readAll();
  };
  const leave = api.stream(({ clientOrderId }) => heard(clientOrderId));
  api.corrected().then(
    (ids) => ids.forEach(heard),
    () => undefined,
  );
  return () => {
    isOver = true;
    leave();
  };
}

const orderOf = (child: ChildRequest, deadlineMs: number): ApiNewOrder => ({
  // The child id is the exchange's client id, whole. By it, the exchange refuses a second order.
  clientOrderId: child.childId,
  customer: child.accountId,
  market: child.symbol.replace("/", "-"),
  direction: child.side === "BUY" ? "bid" : "ask",
  // Decimal text, never a number: Quantity.format and Price.format lose nothing.
  qty: Quantity.format(child.quantity),
  ...(child.limitPrice !== undefined && { limit: Price.format(child.limitPrice) }),
  policy: child.timeInForce,
  validUntil: deadlineMs,
});

const reportOf = (order: ApiOrder, trades: readonly ApiTrade[]): ChildReport => ({
  childId: order.clientOrderId,
  state: STATES[order.status],
  fills: trades.map((trade) => fillOf(order, trade)),
});

const fillOf = ({ market }: ApiOrder, { tradeId, qty, price, timeMicros }: ApiTrade): Fill => ({
  // Trade ids count within a market, and an execution id must be unique at the venue.
  executionId: `${market}-${tradeId}`,
  quantity: Quantity.parse(qty),
  price: Price.parse(price),
  timeMs: Math.floor(timeMicros / MICROS_PER_MS),
});
