import { flagOption, type OptionCheck } from "../../common/index.ts";
import {
  add,
  formatPrice,
  formatQuantity,
  type Notional,
  notionalOf,
  price,
  quantity,
  ZERO_NOTIONAL,
} from "../../decimal/index.ts";
import { OrderError } from "../../errors/index.ts";
import { checkedNativeOrders } from "../../host-answers/index.ts";
import type { Fill, NativeExecution, NativeLimitTerms, NativeOrder } from "../../model/index.ts";
import type { Awaitable, NativeOrders, NativePlaced, NativePlacement } from "../../ports/index.ts";
import { nativeOrdersOption } from "../../ports/internal.ts";
import { Mismatch, questionsOf, readable, same } from "../checks.ts";
import { type AtEnd, createdPlace, type Rules, subjectOption } from "../suite.ts";

/** An order flow that runs, as in a process of the service. */
export interface OpenNativeOrders {
  readonly native: NativeOrders;
  /** Ends it, as the end of its process does. */
  close(): Awaitable<void>;
}

/** The best prices of a market, in decimal strings. Any size is available at both. */
export interface NativeMarket {
  readonly symbol: string;
  readonly bid: string;
  readonly ask: string;
}

/**
 * A test system of the exchange, and what the suite needs of it. Accounts 1 and 2 have 1,000,000 USD, 10 BTC and 10 ETH
 * each, and no orders. Nobody else trades.
 */
export interface NativeOrdersPlace {
  /**
   * Opens the order flow. The suite calls it again for a restart, and once while another one is open, as after a process
   * that could not close; only the later one is used then.
   */
  open(): Awaitable<OpenNativeOrders>;
  /** Sets the market of BTC/USD or ETH/USD. Resting orders that it meets are executed. */
  quote(market: NativeMarket): Awaitable<void>;
  /** Returns the time of the exchange in epoch milliseconds. */
  nowMs(): number;
  /** Advances that time. */
  pass(ms: number): Awaitable<void>;
  /**
   * Resolves when every answer and execution that is due has come. What has not come by then counts as missing.
   */
  idle(): Promise<void>;
  /** Removes the place. All its order flows are closed. */
  remove(): Awaitable<void>;
}

/** The optional parts of an order flow, each declared as present or absent. */
export interface NativeOrdersSupport {
  /** Whether it has `cancelIf`. */
  readonly cancelIf: boolean;
  /** Whether it has `open`. */
  readonly open: boolean;
  /** Whether it takes market orders by an amount of USD. */
  readonly byAmount: boolean;
  /** Whether orders have `executedNotional`. */
  readonly notionals: boolean;
  /** Whether fills have their commission. */
  readonly commissions: boolean;
}

/** An adapter of the native orders port as its author describes it to the suite. */
export interface NativeOrdersSubject {
  /** The name of the adapter in the report. */
  readonly name: string;
  /** Its optional parts. What is declared as absent is tested to be absent. */
  readonly supports: NativeOrdersSupport;
  /** Creates a test system without orders. The suite creates one per test, and removes it at the end. */
  createPlace(): Awaitable<NativeOrdersPlace>;
}

/** Checks an adapter that is handed to the suite. */
export const nativeOrdersSubject: OptionCheck = /* @__PURE__ */ subjectOption<NativeOrdersSupport>(
  {
    ...{ cancelIf: flagOption, open: flagOption, byAmount: flagOption },
    ...{ notionals: flagOption, commissions: flagOption },
  },
  "creates a test system",
);

/** Rules of the native orders port about one subject. */
export type NativeRules = Rules<NativeWorld, NativeOrdersSupport>;

/** A limit order to place. */
type NativeLimit = NativePlacement & NativeLimitTerms;

/** The market of most rules. */
export const MARKET: Readonly<{ accountId: number; symbol: string }> = { accountId: 1, symbol: "BTC/USD" };

/** Distinguishes the placements of one process, so that several places may share an exchange. */
let placements = 0;

type NativeFields = Readonly<{
  accountId?: number;
  symbol?: string;
  side?: "BUY" | "SELL";
  timeInForce?: "GTC" | "IOC" | "FOK";
  quantity?: string;
  price?: string;
  clientOrderId?: string;
  requestKey?: string;
}>;

/** Returns a resting BUY of account 1 by default, with its own client id and request. */
export function nativeOf(fields: NativeFields = {}): NativeLimit {
  const number = ++placements;
  return {
    ...MARKET,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    clientOrderId: `native-${number}`,
    requestKey: `request-${number}`,
    ...fields,
    quantity: quantity(fields.quantity ?? "1"),
    price: price(fields.price ?? "90"),
  };
}

/** Returns an order in one line, such as `NEW BUY 0/1`. */
export const lineOf = ({ status, side, quantity: whole, executedQuantity }: NativeOrder): string =>
  `${status} ${side} ${formatQuantity(executedQuantity)}/${formatQuantity(whole)}`;

/** Returns fills as texts, such as `1 at 101`. */
export const fillsOf = (fills: readonly Fill[]): readonly string[] =>
  fills.map((fill) => `${formatQuantity(fill.quantity)} at ${formatPrice(fill.price)}`);

/** Checks what became of a placement: the line of the order, and its fills. Throws a Mismatch. */
export function expectPlaced(
  call: string,
  { order, fills }: NativePlaced,
  line: string,
  ...due: readonly string[]
): void {
  same(call, [lineOf(order), fillsOf(fills)], [line, due]);
}

/** Returns the exact amount of fills in USD. */
export const amountOf = (fills: readonly Fill[]): Notional =>
  fills.reduce((sum, fill) => add(sum, notionalOf(fill.price, fill.quantity)), ZERO_NOTIONAL);

/** Returns executions as texts, such as `mine NEW NEW`. */
export const eventsOf = (executions: readonly NativeExecution[]): readonly string[] =>
  executions.map(({ execType, order }) => `${order.clientOrderId} ${execType} ${order.status}`);

/** Returns the reason why a change was refused, or that nothing was. Rejects with any other error. */
export async function refusalOf(changing: Promise<unknown>): Promise<string> {
  try {
    await changing;
  } catch (error) {
    if (error instanceof OrderError) return error.reason;
    throw error;
  }
  return "nothing was refused";
}

/** The surroundings of one rule: a test system, and the order flow on it, whose answers are checked as the service does. */
export class NativeWorld {
  readonly place: NativeOrdersPlace;
  readonly #opened: OpenNativeOrders[] = [];
  readonly #problems: string[] = [];
  #native: NativeOrders | undefined;

  private constructor(place: NativeOrdersPlace) {
    this.place = place;
  }

  /** Creates a test system with both markets at 100 to 101. Throws a TypeError for a place that lacks a function. */
  static async create(subject: NativeOrdersSubject, atEnd: AtEnd): Promise<NativeWorld> {
    const place = await createdPlace(subject, atEnd, "NativeOrdersPlace", {
      ...{ open: true, quote: true, nowMs: true, pass: true, idle: true, remove: true },
    });
    const world = new NativeWorld(place);
    atEnd(() => world.#close());
    await world.reopen();
    for (const symbol of ["BTC/USD", "ETH/USD"]) await world.quote("100", "101", symbol);
    return world;
  }

  /** The order flow. Every call must answer in time, and with an answer that the service can read. */
  get native(): NativeOrders {
    if (this.#native === undefined) throw new Error("the order flow is not open");
    return this.#native;
  }

  /** Opens the order flow again. The one before stays open, as after a process that could not close. */
  async reopen(): Promise<void> {
    const opened = await this.place.open();
    this.#opened.push(opened);
    this.#native = this.#use(opened);
  }

  /** Closes the order flow, then opens it again. */
  async restart(): Promise<void> {
    await this.#opened.pop()?.close();
    await this.reopen();
  }

  async #close(): Promise<void> {
    for (const opened of this.#opened.splice(0)) await opened.close();
  }

  /** Sets the market, and waits until what it causes has happened. */
  readonly quote = async (bid: string, ask: string, symbol: string = MARKET.symbol): Promise<void> => {
    await this.place.quote({ symbol, bid, ask });
    await this.place.idle();
  };

  /** Places a limit order of {@link nativeOf}. */
  readonly put = (fields: NativeFields = {}): Promise<NativePlaced> => this.native.place(nativeOf(fields));

  /** Finds an order of {@link MARKET}. */
  readonly orderOf = (orderId: bigint): Promise<NativeOrder | undefined> =>
    Promise.resolve(this.native.find({ ...MARKET, orderId }));

  /** Listens to the executions. The returned function gives those that came, and checks that each can be read. */
  readonly subscribe = (): Readonly<{ received: () => readonly NativeExecution[]; leave: () => void }> => {
    const executions: NativeExecution[] = [];
    const leave = this.native.subscribe((execution) => executions.push(execution));
    const received = (): readonly NativeExecution[] => {
      const [problem] = this.#problems;
      if (problem === undefined) return executions;
      const expected = "an execution that the service can read";
      throw new Mismatch({ call: "subscribe", expected, answered: problem });
    };
    return { received, leave };
  };

  #use(opened: OpenNativeOrders): NativeOrders {
    nativeOrdersOption(opened.native, "the native orders that open returned");
    const questions = questionsOf((problem) => this.#problems.push(problem));
    const checked = checkedNativeOrders(opened.native, questions);
    return {
      isPaperTrade: opened.native.isPaperTrade,
      place: (placement) =>
        this.#query(`place of ${placementLine(placement)}`, () => checked.place(placement)),
      findRequest: (request) => this.#query("findRequest", () => checked.findRequest(request)),
      cancel: (key) => this.#query("cancel", () => checked.cancel(key)),
      ...(checked.cancelIf && {
        cancelIf: (key, restriction) =>
          this.#query(`cancelIf ${restriction}`, () => checked.cancelIf?.(key, restriction)),
      }),
      find: (key) => this.#query("find", () => checked.find(key)),
      page: (page) => this.#query("page", () => checked.page(page)),
      ...(checked.open && { open: (query) => this.#query("open", () => checked.open?.(query) ?? []) }),
      executions: (query) => this.#query("executions", () => checked.executions(query)),
      subscribe: (listener, missed) => checked.subscribe(listener, missed),
    };
  }

  #query<T>(call: string, question: () => Awaitable<T>): Promise<T> {
    return readable(call, question, () => this.place.idle());
  }
}

function placementLine(placement: NativePlacement): string {
  const { type, side, symbol } = placement;
  const size = "quantity" in placement ? formatQuantity(placement.quantity) : "by amount";
  const limit = "price" in placement ? ` at ${formatPrice(placement.price)}` : "";
  return `${type} ${side} ${size} ${symbol}${limit}`;
}
