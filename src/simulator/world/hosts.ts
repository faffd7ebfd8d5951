import { createMemoryAccounts, createMemoryRateLimiter } from "../../adapters/memory/index.ts";
import {
  add,
  formatQuantity,
  type Quantity,
  quantity,
  subtract,
  ZERO_QUANTITY,
} from "../../decimal/index.ts";
import type { Account, ApiKey } from "../../model/index.ts";
import type { Accounts, Awaitable, Exposure, RateLimiter } from "../../ports/index.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Instance } from "./instance.ts";
import type { Demand } from "./invariant-broken.ts";
import type { Plan } from "./plan.ts";
import type { Random } from "./random.ts";
import type { Row } from "./venue-row.ts";
import type { WorldTime } from "./world-time.ts";

/** Of what a reducer begins with in each market, and what it buys at a time. */
const HELD = quantity("5");

/** Faults of one port. */
type PortFaults = Readonly<{ slow?: Fault; silent?: Fault; throws?: Fault; nonsense?: Fault }>;

/** What the hosts are made of. */
export type HostParts = Readonly<{
  random: Random;
  faults: Faults;
  time: WorldTime;
  plan: Plan;
  demand: Demand;
}>;

/** The key of an account's owner. */
export function keyOf(accountId: number): Readonly<{ apiKey: string; secret: string }> {
  return { apiKey: `key-${accountId}-${"k".repeat(40)}`, secret: `secret-${accountId}-${"s".repeat(40)}` };
}

/** The parts of the host beside store, venue and market: positions, accounts, limits. They answer late, wrongly or never. */
export class Hosts {
  readonly #parts: HostParts;
  readonly #positions: Map<string, Quantity> = new Map();
  readonly #accounts: Accounts;

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#accounts = createMemoryAccounts(
      parts.plan.clients.map(({ accountId }) => ({
        account: accountOf(accountId),
        keys: [apiKeyOf(accountId)],
      })),
    );
  }

  /** What an account really has. */
  position(accountId: number, symbol: string): Quantity {
    const reduces = this.#parts.plan.clients.some((one) => one.accountId === accountId && one.reduces);
    return this.#positions.get(`${accountId} ${symbol}`) ?? (reduces ? HELD : ZERO_QUANTITY);
  }

  /** An account buys somewhere else. */
  replenish(accountId: number, symbol: string, by: Quantity = HELD): void {
    this.#positions.set(`${accountId} ${symbol}`, add(this.position(accountId, symbol), by));
  }

  /** A child executed: what it sold is gone. */
  executed({ child }: Row, size: Quantity): void {
    if (!child.reduceOnly) return;
    const { accountId, symbol } = child;
    const left = subtract(this.position(accountId, symbol), size);
    this.#positions.set(`${accountId} ${symbol}`, left);
    this.#parts.demand(
      left >= 0,
      "I13",
      () => `account ${accountId} is left with ${formatQuantity(left)} ${symbol}`,
    );
  }

  exposure(instance: Instance): Exposure {
    const faults: PortFaults = {
      slow: "exposure is slow",
      silent: "exposure is silent",
      throws: "exposure throws",
      nonsense: "exposure is nonsense",
    };
    return {
      position: (accountId, symbol) =>
        this.#answer(
          instance,
          faults,
          () => this.position(accountId, symbol),
          Number.NaN as unknown as Quantity,
        ),
    };
  }

  accounts(instance: Instance): Accounts {
    const faults: PortFaults = {
      slow: "accounts are slow",
      silent: "accounts are silent",
      throws: "accounts throw",
      nonsense: "accounts are nonsense",
    };
    const key = (apiKey: string): ApiKey | undefined => this.#accounts.key(apiKey) as ApiKey | undefined;
    const account = (accountId: number): Account | undefined =>
      this.#accounts.account(accountId) as Account | undefined;
    return {
      key: (apiKey) => this.#answer(instance, faults, () => key(apiKey), { apiKey } as ApiKey),
      account: (accountId) =>
        this.#answer(instance, faults, () => account(accountId), { accountId } as Account),
    };
  }

  rateLimiter(instance: Instance): RateLimiter {
    const { plan, time } = this.#parts;
    const limiter = createMemoryRateLimiter({
      clock: time.clock,
      enforce: plan.limited,
      ordersPer10s: 20,
      weightPerMinute: 1_000_000,
    });
    const faults: PortFaults = {
      slow: "rate limiter is slow",
      throws: "rate limiter throws",
      nonsense: "rate limiter is nonsense",
    };
    return {
      limits: limiter.limits,
      weigh: (request) =>
        this.#answer(
          instance,
          faults,
          () => limiter.weigh(request),
          {} as Awaited<ReturnType<RateLimiter["weigh"]>>,
        ),
      takeOrders: (placement) => limiter.takeOrders(placement),
      returnOrders: (placement) => limiter.returnOrders(placement),
    };
  }

  /** An answer of a port: mostly at once and right. */
  #answer<T>(
    instance: Instance,
    { slow, silent, throws, nonsense }: PortFaults,
    right: () => Awaitable<T>,
    wrong: T,
  ): Awaitable<T> {
    const { faults, random, time } = this.#parts;
    const strikes = (fault: Fault | undefined, chance: number): boolean =>
      fault !== undefined && faults.strikes(fault, random, chance);
    if (strikes(throws, 0.02)) throw new Error("the host does not answer");
    if (strikes(silent, 0.01)) return new Promise(() => undefined);
    if (strikes(nonsense, 0.01)) return wrong;
    const delayMs = random.below(300);
    if (strikes(slow, 0.1)) return instance.call(() => time.after(delayMs).then(right));
    return random.chance(0.2) ? instance.call(async () => right()) : right();
  }
}

function accountOf(accountId: number): Account {
  return { accountId, userId: accountId, enableDataSharing: true, delegates: [], restricted: false };
}

function apiKeyOf(accountId: number): ApiKey {
  return {
    ...keyOf(accountId),
    userId: accountId,
    accountId,
    permissions: ["READ", "TRADE"],
    ipAllowlist: [],
  };
}
