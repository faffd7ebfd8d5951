import {
  add,
  averagePriceText,
  formatPrice,
  formatQuantity,
  notionalOf,
  ZERO_NOTIONAL,
} from "../../decimal/index.ts";
import type { ChildRequest, ChildTimeInForce, Side } from "../../model/index.ts";
import type { ChildReport, Instruments } from "../../ports/index.ts";
import type { ChildArrived, ChildReleased, ChildResolved, Entry } from "./entry.ts";
import { debitOf, Ledger, type Trade } from "./ledger.ts";
import { total } from "./order-book.ts";

/** The venue's record contradicts itself or cannot be read; the venue does not start on it. */
export class VenueRecordError extends Error {
  override readonly name = "VenueRecordError";
}

/** A child in the venue's own record, as `GET /control/children` shows it; `price` is null at market. */
export type ChildRow = Readonly<{
  clientOrderId: string;
  parentOrderId: number;
  symbol: string;
  side: Side;
  quantity: string;
  price: string | null;
  timeInForce: ChildTimeInForce;
  executedQty: string;
  averagePrice: string;
  submissions: number;
  time: number;
}>;

type ChildEntry = {
  readonly request: ChildRequest;
  readonly arrivedAtMs: number;
  submissions: number;
  outcome?: ChildResolved;
};

/** What the venue knows: children and balances, made from entries alone, live and after a restart alike. */
export class VenueRecord {
  readonly ledger: Ledger = new Ledger();
  readonly #instruments: Instruments;
  readonly #children: Map<string, ChildEntry> = new Map();
  #executions = 0;

  constructor(instruments: Instruments) {
    this.#instruments = instruments;
  }

  /** Takes one more entry. */
  apply(entry: Entry): void {
    if (entry.kind === "balances") this.ledger.set(entry.accountId, entry.balances);
    else if (entry.kind === "arrived") this.#arrived(entry);
    else if (entry.kind === "resolved") this.#resolved(entry);
    else this.#released(entry);
  }

  /** Whether a child of that id ever arrived. */
  has(childId: string): boolean {
    return this.#children.has(childId);
  }

  /** Executions so far; the next one's number. */
  get executions(): number {
    return this.#executions;
  }

  /** What the venue says of a child; `undefined` when it never arrived. */
  report(childId: string): ChildReport | undefined {
    const outcome = this.#children.get(childId)?.outcome;
    if (outcome === undefined || outcome.held) {
      return this.has(childId) ? { childId, state: "open", fills: [] } : undefined;
    }
    const { state, fills, final, detail } = outcome;
    return { childId, state, fills, ...(final ? { final } : {}), ...(detail === "" ? {} : { detail }) };
  }

  /** The request a child arrived with. */
  request(childId: string): ChildRequest | undefined {
    return this.#children.get(childId)?.request;
  }

  /** Ids of children that arrived and have no outcome. */
  unresolved(): readonly string[] {
    return [...this.#children].filter(([, child]) => child.outcome === undefined).map(([id]) => id);
  }

  /** Ids of held children, oldest first. */
  held(): readonly string[] {
    return [...this.#children].filter(([, child]) => child.outcome?.held === true).map(([id]) => id);
  }

  /** All children, or those of one parent, in the order of arrival. */
  rows(parentOrderId?: number): readonly ChildRow[] {
    const children = [...this.#children.values()];
    return children
      .filter(({ request }) => parentOrderId === undefined || request.parentOrderId === parentOrderId)
      .map((child) => rowOf(child, this.report(child.request.childId)));
  }

  #arrived({ child, timeMs }: ChildArrived): void {
    const known = this.#children.get(child.childId);
    if (known !== undefined) known.submissions += 1;
    else this.#children.set(child.childId, { request: child, arrivedAtMs: timeMs, submissions: 1 });
  }

  #resolved(entry: ChildResolved): void {
    const child = this.#child(entry.childId);
    child.outcome = entry;
    this.#executions += entry.fills.length;
    if (entry.fills.length === 0) return;
    const trade = this.#tradeOf(child.request, entry);
    if (entry.held) this.ledger.promise(entry.childId, debitOf(trade));
    else this.ledger.move(trade);
  }

  #released({ childId }: ChildReleased): void {
    const child = this.#child(childId);
    const { outcome } = child;
    if (outcome === undefined || !outcome.held) return;
    child.outcome = { ...outcome, held: false };
    this.ledger.forget(childId);
    if (outcome.fills.length > 0) this.ledger.move(this.#tradeOf(child.request, outcome));
  }

  #child(childId: string): ChildEntry {
    const child = this.#children.get(childId);
    if (child === undefined) throw new VenueRecordError(`child ${childId} never arrived`);
    return child;
  }

  #tradeOf({ accountId, side, symbol }: ChildRequest, { fills }: ChildResolved): Trade {
    const instrument = this.#instruments.find(symbol);
    if (instrument === undefined) throw new VenueRecordError(`${symbol} is not listed`);
    return { accountId, side, baseAsset: instrument.baseAsset, fills };
  }
}

function rowOf({ request, submissions, arrivedAtMs }: ChildEntry, report: ChildReport | undefined): ChildRow {
  const fills = report?.fills ?? [];
  const executed = total(fills);
  const value = fills.reduce((sum, fill) => add(sum, notionalOf(fill.price, fill.quantity)), ZERO_NOTIONAL);
  return {
    clientOrderId: request.childId,
    parentOrderId: request.parentOrderId,
    symbol: request.symbol,
    side: request.side,
    quantity: formatQuantity(request.quantity),
    price: request.limitPrice === undefined ? null : formatPrice(request.limitPrice),
    timeInForce: request.timeInForce,
    executedQty: formatQuantity(executed),
    averagePrice: averagePriceText(value, executed),
    submissions,
    time: arrivedAtMs,
  };
}
