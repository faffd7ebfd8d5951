/**
 * A stand-in for a foreign exchange: a client of its REST API and its stream, with its own words. Amounts are decimal
 * text, markets are `BTC-USD`, deadlines are milliseconds, times of trades are microseconds, and ids of trades count
 * within a market. The other functions of `Exchange` are the controls of its test system.
 */
import { Price, Quantity } from "managed-orders";

/** An order as the exchange reports it. Trades are not part of it. */
export type ApiOrder = Readonly<{
  clientOrderId: string;
  market: string;
  status: "NEW" | "PARTIALLY_FILLED" | "FILLED" | "EXPIRED";
  executedQty: string;
}>;

/** A trade of an order. `tradeId` counts within the market, `timeMicros` is in microseconds since the epoch. */
export type ApiTrade = Readonly<{ tradeId: number; qty: string; price: string; timeMicros: number }>;

/** A new order. It is refused when it arrives after `validUntil`, in milliseconds since the epoch. */
export type ApiNewOrder = Readonly<{
  clientOrderId: string;
  customer: number;
  market: string;
  direction: "bid" | "ask";
  qty: string;
  limit?: string;
  policy: "IOC" | "FOK";
  validUntil: number;
}>;

/** A definite answer of the exchange that is not a success. Every other error leaves the outcome unknown. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  /** The exchange's time in milliseconds, which is in every answer. */
  readonly serverTime: number;

  constructor(status: number, code: string, serverTime: number) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.serverTime = serverTime;
  }
}

/** A message of the stream: something about this order has changed. It may come twice, and before other answers. */
export type ApiMessage = Readonly<{ clientOrderId: string }>;

/** The client of the exchange's API, as a library of the exchange would offer it. */
export type ExchangeApi = Readonly<{
  placeOrder: (order: ApiNewOrder, options: Readonly<{ signal: AbortSignal }>) => Promise<ApiOrder>;
  /** Rejects with 404 UNKNOWN_ORDER if no such order has arrived. */
  order: (clientOrderId: string) => Promise<ApiOrder>;
  trades: (clientOrderId: string) => Promise<readonly ApiTrade[]>;
  /** Returns the exchange's time in milliseconds. */
  time: () => Promise<number>;
  /** Takes an id out of use. Rejects with 409 ORDER_EXISTS if an order has it. */
  retire: (clientOrderId: string) => Promise<void>;
  /** The orders that were executed after their end, such as by a correction. */
  corrected: () => Promise<readonly string[]>;
  stream: (listener: (message: ApiMessage) => void) => () => void;
}>;

/** A part of the market. */
export type BookLevel = Readonly<{ price: string; quantity: string }>;

type Row = { readonly order: ApiNewOrder; status: ApiOrder["status"]; readonly trades: ApiTrade[] };

/** What happens to the next order, if anything unusual. */
type Next = Readonly<{ code?: string; lost?: "child" | "answer"; rests?: boolean; gate?: Promise<void> }>;

const START_MS = 1_760_000_000_250;

/** The exchange. Its clock advances by a millisecond with every call. */
export class Exchange {
  readonly api: ExchangeApi;
  readonly #rows: Map<string, Row> = new Map();
  readonly #books: Map<string, readonly BookLevel[]> = new Map();
  readonly #retired: Set<string> = new Set();
  readonly #corrected: Set<string> = new Set();
  readonly #listeners: Set<(message: ApiMessage) => void> = new Set();
  readonly #tradeCounts: Map<string, number> = new Map();
  #next: Next = {};
  #isOut = false;
  #timeMs = START_MS;

  constructor() {
    this.api = {
      placeOrder: (order, { signal }) => this.#place(order, signal),
      order: (id) => this.#called(() => shown(this.#row(id))),
      trades: (id) => this.#called(() => [...this.#row(id).trades]),
      time: () => this.#called(() => this.#timeMs),
      retire: (id) => this.#called(() => this.#retire(id)),
      corrected: () => this.#called(() => [...this.#corrected]),
      stream: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  now(): number {
    return this.#timeMs;
  }

  setBook(market: string, direction: ApiNewOrder["direction"], levels: readonly BookLevel[]): void {
    this.#books.set(`${market} ${direction}`, levels);
  }

  /** Returns what a customer has bought in a market less what it has sold, as decimal text. */
  position(customer: number, market: string): string {
    let position = Quantity.zero;
    for (const row of this.#rows.values()) {
      if (row.order.customer !== customer || row.order.market !== market) continue;
      const move = row.order.direction === "bid" ? Quantity.add : Quantity.subtract;
      position = move(position, executed(row));
    }
    return Quantity.format(position);
  }

  setOutage(isOut: boolean): void {
    this.#isOut = isOut;
  }

  /** Decides what happens to the next order. */
  next(next: Next): void {
    this.#next = next;
  }

  /** Executes a part of an order, also of one that has ended. */
  trade(clientOrderId: string, part: BookLevel): void {
    const row = this.#row(clientOrderId);
    this.#trade(row, part);
    if (row.status === "NEW") row.status = "PARTIALLY_FILLED";
    else if (row.status !== "PARTIALLY_FILLED") this.#corrected.add(clientOrderId);
    this.tell(clientOrderId);
  }

  /** Ends an order that rests, with what it can take, or with what it has taken. */
  end(clientOrderId: string): void {
    const row = this.#row(clientOrderId);
    const { market, direction, qty } = row.order;
    if (row.trades.length === 0)
      for (const part of matchOf(row.order, this.#books.get(`${market} ${direction}`) ?? []))
        this.#trade(row, part);
    row.status = executed(row) === Quantity.parse(qty) ? "FILLED" : "EXPIRED";
    this.tell(clientOrderId);
  }

  /** Sends a message on an order. */
  tell(clientOrderId: string): void {
    for (const listener of [...this.#listeners]) listener({ clientOrderId });
  }

  async #place(order: ApiNewOrder, signal: AbortSignal): Promise<ApiOrder> {
    const { lost, gate, code, rests = false } = this.#next;
    this.#next = {};
    return await this.#called(async () => {
      if (lost === "child") return await whenAborted(signal);
      this.#accept(order, code);
      if (!rests) this.end(order.clientOrderId);
      const answer = shown(this.#row(order.clientOrderId));
      if (lost === "answer") return await whenAborted(signal);
      await gate;
      return answer;
    });
  }

  #accept(order: ApiNewOrder, code: string | undefined): void {
    const { clientOrderId, validUntil } = order;
    if (this.#rows.has(clientOrderId) || this.#retired.has(clientOrderId)) this.#refuse(409, "DUPLICATE_ID");
    if (this.#timeMs > validUntil) this.#refuse(422, "TOO_LATE");
    if (code !== undefined) this.#refuse(422, code);
    this.#rows.set(clientOrderId, { order, status: "NEW", trades: [] });
  }

  #retire(clientOrderId: string): void {
    if (this.#rows.has(clientOrderId)) this.#refuse(409, "ORDER_EXISTS");
    this.#retired.add(clientOrderId);
  }

  #trade(row: Row, { price, quantity: qty }: BookLevel): void {
    const { market } = row.order;
    const tradeId = (this.#tradeCounts.get(market) ?? 0) + 1;
    this.#tradeCounts.set(market, tradeId);
    row.trades.push({ tradeId, qty, price, timeMicros: this.#timeMs * 1_000 + 999 });
  }

  #row(clientOrderId: string): Row {
    return this.#rows.get(clientOrderId) ?? this.#refuse(404, "UNKNOWN_ORDER");
  }

  #refuse(status: number, code: string): never {
    throw new ApiError(status, code, this.#timeMs);
  }

  /** Answers a call, unless the exchange cannot be reached. */
  async #called<T>(answer: () => T | Promise<T>): Promise<T> {
    this.#timeMs += 1;
    if (this.#isOut) throw new TypeError("fetch failed");
    return await answer();
  }
}

function shown(row: Row): ApiOrder {
  const { clientOrderId, market } = row.order;
  return { clientOrderId, market, status: row.status, executedQty: Quantity.format(executed(row)) };
}

const executed = ({ trades }: Row): Quantity =>
  trades.reduce((sum, { qty }) => Quantity.add(sum, Quantity.parse(qty)), Quantity.zero);

/** Never resolves; rejects when the request is given up, as `fetch` does. */
const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

/** Returns the parts of the book that an order takes. */
function matchOf(
  { qty, limit, direction, policy }: ApiNewOrder,
  book: readonly BookLevel[],
): readonly BookLevel[] {
  const taken: BookLevel[] = [];
  let rest = Quantity.parse(qty);
  for (const { price, quantity } of book) {
    const isBeyond = limit !== undefined && isWorse(direction, price, limit);
    const size = Quantity.min(rest, Quantity.parse(quantity));
    if (isBeyond || size === Quantity.zero) break;
    taken.push({ price, quantity: Quantity.format(size) });
    rest = Quantity.subtract(rest, size);
  }
  return policy === "FOK" && rest > Quantity.zero ? [] : taken;
}

function isWorse(direction: "bid" | "ask", price: string, limit: string): boolean {
  const [at, most] = [Price.parse(price), Price.parse(limit)];
  return direction === "bid" ? at > most : at < most;
}
