import { createMemoryAccounts, createMemoryRateLimiter } from "../../src/adapters/memory/index.ts";
import type { Random } from "../../src/common/random.ts";
import { type Quantity, quantity } from "../../src/decimal/index.ts";
import type { Account, ApiKey, ChildRequest } from "../../src/model/index.ts";
import type { Accounts, Exposure, RateLimiter } from "../../src/ports/index.ts";
import type { Instance } from "./instance.ts";
import type { RequireThat } from "./invariant-broken.ts";
import type { Plan } from "./plan.ts";
import { type AnswerParts, PortAnswers, type PortFaults } from "./port-answers.ts";
import { exactOf, stepsOf, UNREPORTED } from "./venue-row.ts";

/** Initial position of a reducing account in each market, and the quantity it buys at a time. */
const HELD = quantity("5");

/** The lag that a position port declares whose positions come late. */
const LAG_MS = 10_000;

/** A position from a time on, in units of 10^-18. */
type Held = Readonly<{ atMs: number; exact: bigint }>;

/** Dependencies of the hosts. */
export type HostParts = AnswerParts & Readonly<{ plan: Plan; requireThat: RequireThat }>;

/** Returns the key of an account's owner. */
export function keyOf(accountId: number): Readonly<{ apiKey: string; secret: string }> {
  return { apiKey: `key-${accountId}-${"k".repeat(40)}`, secret: `secret-${accountId}-${"s".repeat(40)}` };
}

/**
 * The parts of the host besides store, venue and market: positions, accounts, limits. They answer late, wrongly or
 * never.
 */
export class Hosts {
  readonly #parts: HostParts;
  /** By account and market, oldest first: as far back as a late answer may be. */
  readonly #positions: Map<string, readonly Held[]> = new Map();
  /** Accounts and markets whose position has been zero. */
  readonly #emptied: Set<string> = new Set();
  readonly #lateness: Random;
  readonly #accounts: Accounts;
  readonly #answers: PortAnswers;

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#answers = new PortAnswers(parts);
    this.#lateness = parts.random.of("late positions");
    this.#accounts = createMemoryAccounts(
      parts.plan.clients.map(({ accountId }) => ({
        account: accountOf(accountId),
        keys: [apiKeyOf(accountId)],
      })),
    );
  }

  /** Returns the true position of an account, now or at an earlier time. */
  position(accountId: number, symbol: string, atMs: number = Number.POSITIVE_INFINITY): Quantity {
    return stepsOf(this.exact(accountId, symbol, atMs));
  }

  /** Returns the true position of an account in units of 10^-18. */
  exact(accountId: number, symbol: string, atMs: number = Number.POSITIVE_INFINITY): bigint {
    const reduces = this.#parts.plan.clients.some((one) => one.accountId === accountId && one.reduces);
    const held = this.#positions.get(`${accountId} ${symbol}`)?.findLast((one) => one.atMs <= atMs);
    return held?.exact ?? (reduces ? exactOf({ quantity: HELD }) : 0n);
  }

  /** Increases an account's position, as if it bought elsewhere. */
  replenish(accountId: number, symbol: string, by: Quantity = HELD): void {
    this.#move(accountId, symbol, this.exact(accountId, symbol) + exactOf({ quantity: by }));
  }

  /** Closes an account's position, as if it was sold by hand. */
  close(accountId: number, symbol: string): void {
    this.#move(accountId, symbol, 0n);
  }

  /** Whether the position of an account has ever been zero. */
  wasEmpty(accountId: number, symbol: string): boolean {
    return this.#emptied.has(`${accountId} ${symbol}`);
  }

  #move(accountId: number, symbol: string, exact: bigint): void {
    const key = `${accountId} ${symbol}`;
    const atMs = this.#parts.time.trueMs;
    const before = this.#positions.get(key) ?? [
      { atMs: Number.NEGATIVE_INFINITY, exact: this.exact(accountId, symbol) },
    ];
    const oldest = before.findLastIndex((one) => one.atMs <= atMs - 2 * LAG_MS);
    this.#positions.set(key, [...before.slice(Math.max(oldest, 0)), { atMs, exact }]);
    if (stepsOf(exact) <= 0) this.#emptied.add(key);
  }

  /** Applies an execution of a reduce-only child to the position. */
  executed({ accountId, symbol, reduceOnly }: ChildRequest, size: bigint): void {
    if (!reduceOnly) return;
    const left = this.exact(accountId, symbol) - size;
    this.#move(accountId, symbol, left);
    this.#parts.requireThat(
      left >= -UNREPORTED,
      "I13",
      () => `account ${accountId} is left with ${left} ${symbol}`,
    );
  }

  exposure(instance: Instance): Exposure {
    const faults: PortFaults = {
      slow: "exposure is slow",
      silent: "exposure is silent",
      throws: "exposure throws",
      nonsense: "exposure is nonsense",
    };
    const { plan, time } = this.#parts;
    const isLate = (): boolean => this.#parts.faults.strikes("exposure is late", this.#lateness, 0.5);
    return {
      lagMs: plan.rates["exposure is late"] === undefined ? 0 : LAG_MS,
      position: (accountId, symbol) =>
        this.#answers.answer(instance, faults, {
          right: () => {
            const lateMs = isLate() ? this.#lateness.below(LAG_MS) : 0;
            return this.position(accountId, symbol, time.trueMs - lateMs);
          },
          wrong: () => Number.NaN,
        }),
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
      key: (apiKey) =>
        this.#answers.answer(instance, faults, { right: () => key(apiKey), wrong: () => ({ apiKey }) }),
      account: (accountId) =>
        this.#answers.answer(instance, faults, {
          right: () => account(accountId),
          wrong: () => ({ accountId }),
        }),
    };
  }

  rateLimiter(instance: Instance): RateLimiter {
    const { plan, time } = this.#parts;
    const limiter = createMemoryRateLimiter({
      clock: time.clock,
      enforce: plan.ordersPer10s !== undefined,
      ordersPer10s: plan.ordersPer10s ?? 1,
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
        this.#answers.answer(instance, faults, { right: () => limiter.weigh(request), wrong: () => ({}) }),
      takeOrders: (placement) => limiter.takeOrders(placement),
      returnOrders: (placement) => limiter.returnOrders(placement),
    };
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
