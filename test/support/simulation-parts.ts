import { expect } from "vitest";
import { createMemoryStore, type ManualClock } from "../../src/adapters/memory/index.ts";
import { add, type Quantity, quantity, subtract, ZERO_QUANTITY } from "../../src/decimal/index.ts";
import type { ChildRequest } from "../../src/model/index.ts";
import type { Clock, OrderStore } from "../../src/ports/index.ts";
import type { OrderFields } from "../../src/requests/index.ts";
import { createFaultyStore, type FaultyStore } from "./faulty-store.ts";
import type { Random } from "./random.ts";
import { TrueTape } from "./true-tape.ts";
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
  readonly tape: TrueTape;
  position: Quantity = HELD;
  engines = 0;
  /** Of engines before this one no timer and no turn comes any more. */
  oldestAlive = 0;
  submitting: (child: ChildRequest) => void = () => undefined;

  constructor(random: Random) {
    this.random = random;
    this.tape = new TrueTape(random);
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
            executed: (child, size, executionId) => this.#executed(child, size, executionId),
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
      monotonicMs: clock.monotonicMs,
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

  #executed({ accountId }: ChildRequest, size: Quantity, executionId: string): void {
    this.tape.owe(executionId, size);
    if (accountId !== REDUCER) return;
    this.position = subtract(this.position, size);
    expect(this.position >= 0, "I13: reduce-only children went beyond the position").toBe(true);
  }
}

/** Fields of an order that waits for a trigger. */
export function randomTriggers(random: Random): TriggerFields {
  const level = (low: number, span: number): string => (low + random.next() * span).toFixed(4);
  const distance = random.pick([
    { trailingDelta: 50 + random.below(800) },
    { price2: "1.5" },
    { trailingAmount: level(1, 6) },
  ]);
  const gate = random.below(2) === 0 ? { stopPrice: level(85, 30) } : {};
  return random.pick([
    { type: "STOP_MARKET", stopPrice: level(80, 45) },
    { type: "STOP_LOSS_LIMIT", stopPrice: level(80, 45), price: level(80, 45) },
    { type: "TAKE_PROFIT_MARKET", stopPrice: level(80, 45) },
    { type: "TAKE_PROFIT_LIMIT", stopPrice: level(80, 45), price: level(80, 45), icebergQty: "0.7" },
    { type: "TRAILING_STOP_MARKET", ...distance, ...gate },
    { type: "TRAILING_STOP_LIMIT", ...distance, ...gate, limitOffset: level(0, 2) },
    { type: "TRAILING_STOP_LIMIT", ...distance, ...gate, price: level(80, 45) },
  ] as const);
}

type TriggerFields = Omit<OrderFields, "symbol" | "side" | "quantity">;

/** Fields of an order that follows a plan or the volume; every one ends within two minutes of trade, or expires. */
function randomSchedule(random: Random, nowMs: number): TriggerFields {
  const plan = {
    interval: 1_000 + random.below(5_000),
    intervalDelay: random.below(2) * random.below(5_000),
  };
  const expiry = { expireTime: nowMs + 1_000 + random.below(60_000) };
  const cap = (80 + random.next() * 45).toFixed(4);
  return random.pick([
    { type: "TWAP", ...plan, intervalCount: 2 + random.below(4) },
    { type: "LIMIT", targetStrategy: 180, price: cap, ...plan, intervalCount: 2 + random.below(4) },
    { type: "VWAP", ...plan, volumeProfile: random.pick(["1,0,2", "0,1,1", "3,1,0,1"]) },
    { type: "LIMIT", targetStrategy: 1_000_002, price: cap, ...plan, volumeProfile: "1,1", ...expiry },
    { type: "VWAP", interval: 60_000, intervalCount: 2 + random.below(2), ...expiry },
    { type: "POV", participationBips: random.pick([500, 2_500, 10_000]) },
    { type: "LIMIT", targetStrategy: 1_000_004, price: cap, participationBips: 5_000 },
  ] as const);
}

/** An order of any type around a price of 100. */
export function randomFields(random: Random, nowMs: number): OrderFields {
  const price = (80 + random.next() * 45).toFixed(4);
  const kind = random.pick([
    { type: "SYNTHETIC_LIMIT", price } as const,
    { type: "LIMIT_MAKER", price } as const,
    { type: "ICEBERG", price, icebergQty: "0.5" } as const,
    randomSchedule(random, nowMs),
    randomSchedule(random, nowMs),
    randomTriggers(random),
    randomTriggers(random),
    randomTriggers(random),
    randomTriggers(random),
  ]);
  return {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"] as const),
    quantity: `${1 + random.below(4)}.${random.below(10)}`,
    ...(random.below(4) === 0 ? { expireTime: nowMs + 1 + random.below(60_000) } : {}),
    childTimeInForce: random.below(4) === 0 ? "FOK" : "IOC",
    ...kind,
  };
}
