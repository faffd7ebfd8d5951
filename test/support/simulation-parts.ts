import { expect } from "vitest";
import { createMemoryStore, type ManualClock } from "../../src/adapters/memory/index.ts";
import { add, type Quantity, quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type { Clock, OrderStore } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyStore, type FaultyStore } from "./faulty-store.ts";
import type { Random } from "./random.ts";
import { TruthVenue } from "./truth-venue.ts";
import { createWorld, SYMBOL, type World } from "./world.ts";

/** The account whose orders all reduce, and what it holds. */
export const REDUCER = 2;
const HELD = quantity("5");

/** What the world of a simulation is made of; the engines in it can die. */
export class SimulationParts {
  readonly random: Random;
  venue!: TruthVenue;
  store!: FaultyStore;
  /** Reads what is durable, past all faults. */
  reader!: OrderStore;
  position: Quantity = HELD;
  engines = 0;
  /** Of engines before this one no timer and no turn comes any more. */
  oldestAlive = 0;
  submitting: (child: ChildRequest) => void = () => undefined;

  constructor(random: Random) {
    this.random = random;
  }

  open(): Promise<World> {
    const ratePerSecond = this.random.pick([undefined, 5, 50]);
    return createWorld({
      settings: { snapshotEvery: 40, reconcileEveryMs: 3_000 },
      executes: (clock) => {
        const rate = ratePerSecond === undefined ? {} : { ratePerSecond };
        this.venue = new TruthVenue(
          { random: this.random, clock, quietMs: 2_000, ...rate },
          {
            submitting: (child) => this.submitting(child),
            executed: (child, size) => this.#executed(child, size),
          },
        );
        return this.venue;
      },
      store: (disk) => {
        this.reader = createMemoryStore({ disk });
        this.store = createFaultyStore(this.#slow(createMemoryStore({ disk })));
        return this.store;
      },
      exposure: (clock) => ({ position: (accountId) => this.#positionOf(accountId, clock) }),
      clock: (clock) => this.#mortal(clock),
    });
  }

  /** A clock that stops for an engine when that dies. */
  #mortal(clock: ManualClock): Clock {
    const engine = ++this.engines;
    const alive = (run: () => void) => (): void => {
      if (engine >= this.oldestAlive) run();
    };
    return {
      nowMs: clock.nowMs,
      schedule: (atMs, run) => clock.schedule(atMs, alive(run)),
      soon: (run) => clock.soon(alive(run)),
    };
  }

  /** An append takes a number of turns, so that other things happen meanwhile. */
  #slow(store: OrderStore): OrderStore {
    return {
      ...store,
      append: async (batch) => {
        for (let turns = this.random.below(12); turns > 0; turns--) await Promise.resolve();
        const outcomes = await store.append(batch);
        for (let turns = this.random.below(12); turns > 0; turns--) await Promise.resolve();
        return outcomes;
      },
    };
  }

  #positionOf(accountId: number, clock: ManualClock): Quantity | Promise<Quantity> {
    if (accountId !== REDUCER) return ZERO_QUANTITY;
    const { position } = this;
    const kind = this.random.below(6);
    if (kind > 1 || !this.venue.faulty) return position;
    if (kind === 1) return Promise.resolve(position);
    const atMs = clock.nowMs() + this.random.below(300);
    return new Promise((resolve) => clock.schedule(atMs, () => resolve(position)));
  }

  /** The account buys somewhere else. */
  replenish(): void {
    this.position = add(this.position, HELD);
  }

  #executed({ accountId }: ChildRequest, size: Quantity): void {
    if (accountId !== REDUCER) return;
    this.position = subtract(this.position, size);
    expect(this.position >= 0, "I13: reduce-only children went beyond the position").toBe(true);
  }
}

/** An order of any type around a price of 100. */
export function randomFields(random: Random, nowMs: number): OrderFields {
  const level = (low: number, span: number): string => (low + random.next() * span).toFixed(4);
  const distance = random.pick([
    { trailingDelta: 50 + random.below(800) },
    { price2: "1.5" },
    { trailingAmount: level(1, 6) },
  ]);
  const gate = random.below(2) === 0 ? { stopPrice: level(85, 30) } : {};
  const kind = random.pick([
    { type: "SYNTHETIC_LIMIT", price: level(80, 45) },
    { type: "STOP_MARKET", stopPrice: level(80, 45) },
    { type: "STOP_LOSS_LIMIT", stopPrice: level(80, 45), price: level(80, 45) },
    { type: "TAKE_PROFIT_MARKET", stopPrice: level(80, 45) },
    { type: "TAKE_PROFIT_LIMIT", stopPrice: level(80, 45), price: level(80, 45) },
    { type: "TRAILING_STOP_MARKET", ...distance, ...gate },
    { type: "TRAILING_STOP_LIMIT", ...distance, ...gate, limitOffset: level(0, 2) },
    { type: "TRAILING_STOP_LIMIT", ...distance, ...gate, price: level(80, 45) },
  ] as const);
  return {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"] as const),
    quantity: `${1 + random.below(4)}.${random.below(10)}`,
    ...kind,
    ...(random.below(4) === 0 ? { expireTime: nowMs + 1 + random.below(60_000) } : {}),
    childTimeInForce: random.below(4) === 0 ? "FOK" : "IOC",
  };
}
