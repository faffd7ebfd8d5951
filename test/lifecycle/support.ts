import { notional, price, quantity } from "../../src/decimal/index.ts";
import {
  evolve,
  type ParentEvent,
  type Rules,
  type StatusView,
  statusOf,
  type Transition,
  transition,
} from "../../src/lifecycle/index.ts";
import type { Fact, ParentIntent, ParentOrder, Quote } from "../../src/model/index.ts";

export const NOW = 1_760_000_000_000;
/** Latest time of the children of these tests. */
export const NOT_AFTER_MS: number = NOW + 2_000;
export const RULES: Rules = { minimum: notional("15"), retryMinMs: 100, retryMaxMs: 5_000 };

/** A BUY of 1 with cap 100 by default. */
export const intentOf = (change: Partial<ParentIntent> = {}): ParentIntent => ({
  symbol: "BTC/USD",
  side: "BUY",
  type: "SYNTHETIC_LIMIT",
  quantity: quantity("1"),
  timeInForce: "GTC",
  reduceOnly: false,
  childTimeInForce: "IOC",
  clientOrderId: "c1",
  ...(change.type === undefined || change.type === "SYNTHETIC_LIMIT" ? { price: price("100") } : {}),
  ...change,
});

/** A quote whose sides show no sizes. */
export const quoteAt = (bid: string, ask: string): Quote => ({
  symbol: "BTC/USD",
  bid: price(bid),
  ask: price(ask),
  bids: [{ price: price(bid) }],
  asks: [{ price: price(ask) }],
  timeMs: NOW,
  sequence: 1,
});

/** A parent that receives events in sequence. */
export class Subject {
  order: ParentOrder;
  nowMs: number = NOW;
  #sequence = 1;

  constructor(change: Partial<ParentIntent> = {}) {
    const accepted: Fact = { kind: "ACCEPTED", accountId: 1, intent: intentOf(change), acceptance: 1 };
    this.order = evolve(undefined, accepted, { orderId: -256, sequence: 1, timeMs: NOW });
  }

  meet(event: ParentEvent): Transition {
    const done = transition(this.order, event, {
      sequence: ++this.#sequence,
      nowMs: this.nowMs,
      rules: RULES,
      notAfterMs: NOT_AFTER_MS,
    });
    this.order = done.order;
    return done;
  }

  /** Meets its condition at this ask (BUY) or bid (SELL). */
  fire(at: string, more: Partial<Extract<ParentEvent, { kind: "FIRED" }>> = {}): Transition {
    const { side } = this.order.intent;
    const quote = side === "BUY" ? quoteAt("0.01", at) : quoteAt(at, "9999999");
    return this.meet({
      kind: "FIRED",
      fired: { orderId: -256, observed: price(at) },
      quote,
      fresh: true,
      ...more,
    });
  }

  /** Applies the venue's report of the child with this number, the newest by default. */
  report(
    state: "open" | "closed" | "rejected",
    fills: readonly (readonly [id: string, size: string])[] = [],
    of: string = this.childId,
  ): Transition {
    const executions = fills.map(([executionId, size]) => ({
      executionId,
      quantity: quantity(size),
      price: price("100"),
      timeMs: NOW,
    }));
    return this.meet({ kind: "REPORTED", report: { childId: of, state, fills: executions } });
  }

  get childId(): string {
    return this.order.lastChildId ?? "";
  }

  get view(): StatusView {
    return statusOf(this.order);
  }

  get status(): string {
    return `${this.view.status} ${this.view.apiState}${this.view.cancelPending ? " cancelPending" : ""}`;
  }
}

export const kindsOf = ({ facts }: Transition): readonly string[] => facts.map(({ kind }) => kind);
