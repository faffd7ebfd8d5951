import type { SeenOrder } from "../journal-book.ts";
import { showQuote } from "../market-publisher.ts";
import { settle, unknownOrders } from "../operator.ts";
import type { WorldParts } from "../parts.ts";

/** Rounds of half a second, six minutes of trade, in which everything eligible ends once faults are over (I62). */
export const ROUNDS = 720;
const ROUND_MS = 500;
/** Rounds in which a market goes down and up again, from three times its middle to a third of it. */
const SWEEP = 72;

/**
 * Faults are over and every market goes through its whole range, again and again, with trades: every order that can end
 * does so within the bound; a child that this venue can neither find nor void has been told of, and an operator settles
 * it (I62, I63).
 */
export async function endAll(parts: WorldParts): Promise<void> {
  const { journal, time, plan, hosts } = parts;
  for (const { accountId } of plan.clients)
    for (const { symbol } of parts.markets) hosts.replenish(accountId, symbol, 1_000_000_000 as never);
  await tradeOn(parts);
  const untilMs = latestDeadline(parts);
  if (untilMs > time.trueMs) {
    await time.pass(untilMs - time.trueMs + plan.settings.venueQuietMs);
    await tradeOn(parts);
  }
  for (const orderId of journal.open) explain(parts, journal.find(orderId));
}

async function tradeOn(parts: WorldParts): Promise<void> {
  const { journal, time, fleet } = parts;
  for (let round = 0; round < ROUNDS && journal.open.size > 0; round++) {
    trade(parts, 1.07 ** (Math.abs((round % SWEEP) - SWEEP / 2) - SWEEP / 4));
    await time.settle();
    await time.pass(ROUND_MS);
    parts.venue.tick();
    if (fleet.newest === undefined) fleet.start();
    await time.settle();
    if (round % SWEEP === SWEEP - 1)
      for (const order of unknownOrders(parts)) if (order.escalated) parts.beside(settle(parts, order));
  }
}

/** Children that were decided on while the wall clock stood ahead may be handed over for as long, by the venue's clock. */
function latestDeadline(parts: WorldParts): number {
  return Math.max(0, ...unknownOrders(parts).map(({ child }) => child?.notAfterMs ?? 0));
}

/** A quote of each market at this part of its range, and a trade of somebody else. */
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
  parts.demand(false, "I62", () => JSON.stringify({ ...order, intent: { ...order.intent } }, textOfBigint));
}

const textOfBigint = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
