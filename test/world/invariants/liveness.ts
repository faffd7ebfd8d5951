import type { Price } from "../../../src/decimal/index.ts";
import type { SeenOrder } from "../journal-book.ts";
import { showHeartbeat, showQuote } from "../market-publisher.ts";
import { settle, unknownOrders } from "../operator.ts";
import type { WorldParts } from "../parts.ts";
import { HOUR_MS } from "../world-time.ts";

/**
 * Number of rounds of half a second, half an hour of trading, in which everything eligible ends once faults are over (I62). A
 * venue that has executed after closing is given up to 30 s after every child of an iceberg that closes with less than asked.
 */
export const ROUNDS = 3_600;
const ROUND_MS = 500;
/** Number of rounds in which a market goes down and up again, from three times its middle to a third of it. */
const SWEEP = 72;

/**
 * Runs without faults. Every market passes through its whole range repeatedly, with trades. Every order that can end
 * must do so within the bound. A child that this venue can neither find nor void has been reported, and an operator
 * settles it (I62, I63).
 */
export async function endAll(parts: WorldParts): Promise<void> {
  const { journal, time, plan, hosts, venue } = parts;
  if (plan.seed % 2 === 0) await closeByHand(parts);
  if (plan.seed % 4 === 1) await fallQuiet(parts);
  for (const { accountId } of plan.clients)
    for (const { symbol } of parts.markets) hosts.replenish(accountId, symbol, 1_000_000_000 as never);
  const cancels = plan.cluster?.cancels ?? "never";
  if (cancels === "after a sweep") await tradeOn(parts, SWEEP);
  if (cancels !== "never" && journal.open.size > 0) await cancelAll(parts);
  await tradeOn(parts);
  const waitMs = latestDeadline(parts) - venue.aheadMs - time.trueMs;
  if (waitMs > 0) {
    await time.pass(Math.min(waitMs, LONGEST_DEADLINE_MS) + plan.settings.venueQuietMs);
    await tradeOn(parts, ROUNDS, waitMs > LONGEST_DEADLINE_MS);
  }
  if (plan.cluster !== undefined) await countAll(parts);
  // A request that was under way may have been accepted meanwhile.
  if (cancels !== "never" && journal.open.size > 0) await cancelAll(parts);
  if (plan.cluster !== undefined) await tradeOn(parts);
  for (const orderId of journal.open) explain(parts, journal.find(orderId));
}

/**
 * The longest wait for the deadline of a child. One that was decided while the wall clock of an opening was days ahead has a
 * later one, if the venue does not tell its time; after two hours nothing is under way, and the venue voids it by hand.
 */
const LONGEST_DEADLINE_MS = 2 * HOUR_MS;

/** Longer than a quote counts, and than a child takes to be resolved. */
const QUIET_MS = 15_000;
/** Time in which three measurements are made, however late the positions are. */
const CONFIRM_MS = 60_000;

/**
 * Closes every position by hand, in markets without a quote. Reduce-only orders that have triggered must end: later
 * positions are not theirs to reduce. A child of unknown outcome on the same market keeps them.
 */
async function closeByHand(parts: WorldParts): Promise<void> {
  const { journal, time, plan, hosts, markets, requireThat, situations } = parts;
  await passServed(parts, QUIET_MS);
  const open = (): readonly SeenOrder[] =>
    [...journal.open].flatMap((orderId) => journal.find(orderId) ?? []);
  const isBusy = (accountId: number, symbol: string): boolean =>
    open().some((one) => one.child && one.accountId === accountId && one.intent.symbol === symbol);
  const closed: string[] = [];
  for (const { accountId, reduces } of plan.clients)
    for (const { symbol } of markets) {
      if (!reduces || isBusy(accountId, symbol)) continue;
      hosts.close(accountId, symbol);
      closed.push(`${accountId} ${symbol}`);
      situations.observe("position closed by hand");
    }
  await passServed(parts, CONFIRM_MS);
  await time.settle();
  for (const { orderId, accountId, intent, trigger, pendingEnd, frozen } of open()) {
    if (!intent.reduceOnly || trigger === undefined || pendingEnd !== undefined || frozen) continue;
    if (!closed.includes(`${accountId} ${intent.symbol}`) || isBusy(accountId, intent.symbol)) continue;
    requireThat(false, "Reduce-only", () => `order ${orderId} waits for the next position`);
  }
}

/** Lets time pass with a process that serves, and without quotes. */
async function passServed({ time, fleet, venue }: WorldParts, ms: number, act = () => {}): Promise<void> {
  for (let passed = 0; passed < ms; passed += ROUND_MS) {
    if (fleet.newest === undefined) fleet.start();
    act();
    await time.pass(ROUND_MS);
    venue.tick();
  }
}

/** Longest time between two children of an order: a child that closed early is looked up twice, after 30 s each. */
const LONGEST_WAIT_MS = 62_000;
/** Time of a quiet market, in which every order sends a child that its first quote did not cause. */
const STANDING_MS = 75_000;

/**
 * Two quotes of each market, of which the second confirms one that jumps, then heartbeats alone: a limit that the market
 * lies inside acts on it again and again until it has ended. The market is as the quote says that counted last: these may
 * come after one that is stamped later.
 */
async function fallQuiet(parts: WorldParts): Promise<void> {
  const { journal, markets, fleet, venue, time, requireThat, situations } = parts;
  for (const market of markets) {
    const reported = { quote: market.at(1).quote };
    for (const instance of fleet.alive)
      for (const one of [reported, reported]) showQuote(parts, instance, one);
  }
  const asks = highestAsks(parts);
  const actsOn = ({ intent: { type, side, price, symbol, reduceOnly }, ...order }: SeenOrder): boolean => {
    if (type !== "SYNTHETIC_LIMIT" || side !== "BUY" || reduceOnly || price === undefined) return false;
    if (order.child !== undefined || order.pendingEnd !== undefined || order.frozen || order.held)
      return false;
    // What an order of a list may do can be taken by the others.
    if (order.list?.kind !== undefined && order.list.role !== "working") return false;
    const ask = asks.get(symbol);
    return ask !== undefined && price >= ask;
  };
  const inside = [...journal.open].flatMap((orderId) => journal.find(orderId) ?? []).filter(actsOn);
  await passServed(parts, STANDING_MS, () => {
    for (const instance of fleet.alive)
      for (const { symbol } of markets) showHeartbeat(parts, instance, symbol);
  });
  for (const { orderId } of inside) {
    const now = journal.find(orderId);
    if (now === undefined || now.ended !== undefined) continue;
    situations.observe("waits inside a market that stands");
    const sentAtMs = venue.rowsOf.get(orderId)?.at(-1)?.submittedAtMs ?? Number.NEGATIVE_INFINITY;
    const hasActed = !actsOn(now) || sentAtMs >= time.trueMs - LONGEST_WAIT_MS;
    requireThat(
      hasActed,
      "Which quotes count",
      () => `order ${orderId} does not act on the market as it stands`,
    );
  }
}

/** Returns the highest ask of each market that a process has counted last. */
function highestAsks({ markets, fleet }: WorldParts): ReadonlyMap<string, Price> {
  const asks = new Map<string, Price>();
  for (const { symbol } of markets)
    for (const instance of fleet.alive) {
      const { ask } = instance.markets.last(symbol) ?? {};
      if (ask !== undefined && ask > (asks.get(symbol) ?? 0)) asks.set(symbol, ask);
    }
  return asks;
}

/** Lets executions be counted that were told after the end of their orders: half a minute at most. */
async function countAll({ journal, venue, time, plan }: WorldParts): Promise<void> {
  const isCounted = (): boolean =>
    [...journal.orders.values()].every(({ orderId, executed }) => executed === venue.executedOf(orderId));
  for (let round = 0; round < 60 && !isCounted(); round++) await time.pass(ROUND_MS);
  // A stream waits as long for the account of its reader.
  await time.pass(plan.settings.hostTimeoutMs);
}

/** Number of times that clients try to cancel everything, and the time between two of them. */
const TRIES = 60;
const TRY_MS = 500;

/** Cancels every order that is open, as its client would. A node that hands its shards over refuses for a moment. */
async function cancelAll({ fleet, plan, time, requireThat }: WorldParts): Promise<void> {
  for (const { accountId } of plan.clients) {
    let isDone = false;
    for (let tries = TRIES; tries > 0 && !isDone; tries--) {
      fleet
        .servingAccount(accountId)
        ?.engine?.cancelAll(accountId)
        .then(
          () => {
            isDone = true;
          },
          () => undefined,
        );
      await time.settle();
      if (!isDone) await time.pass(TRY_MS);
    }
    requireThat(isDone, "I62", () => `account ${accountId} cannot cancel its orders`);
  }
}

async function tradeOn(parts: WorldParts, rounds: number = ROUNDS, isVoided = false): Promise<void> {
  const { journal, time, fleet } = parts;
  for (let round = 0; round < rounds && journal.open.size > 0; round++) {
    trade(parts, 1.07 ** (Math.abs((round % SWEEP) - SWEEP / 2) - SWEEP / 4));
    await time.settle();
    await time.pass(ROUND_MS);
    parts.venue.tick();
    if (fleet.newest === undefined) fleet.start();
    await time.settle();
    if (round % SWEEP === SWEEP - 1)
      for (const order of unknownOrders(parts))
        if (order.escalated) parts.beside(settle(parts, order, isVoided));
  }
}

/**
 * Returns the latest time at which a child of unknown outcome may be handed over. Children decided while the wall clock
 * was ahead may be handed over for that much longer, on the venue's clock.
 */
function latestDeadline(parts: WorldParts): number {
  return Math.max(0, ...unknownOrders(parts).map(({ child }) => child?.notAfterMs ?? 0));
}

/** Sends a quote of each market at this part of its range, and an external trade. */
function trade(parts: WorldParts, factor: number): void {
  const { markets, fleet, tape, time } = parts;
  for (const market of markets) {
    const { quote } = market.at(factor);
    for (const instance of fleet.alive) showQuote(parts, instance, { quote });
    for (const instance of fleet.alive) instance.sink?.print(tape.external(market.symbol, time.trueMs));
  }
}

function explain(parts: WorldParts, order: SeenOrder | undefined): void {
  if (order === undefined) return;
  parts.requireThat(false, "I62", () =>
    JSON.stringify({ ...order, intent: { ...order.intent } }, textOfBigint),
  );
}

const textOfBigint = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
