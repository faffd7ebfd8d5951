import type { SeenOrder } from "../journal-book.ts";
import { showQuote } from "../market-desk.ts";
import type { WorldParts } from "../parts.ts";

/** Rounds of half a second in which everything eligible ends once faults are over (I62). */
export const ROUNDS = 330;
const ROUND_MS = 500;

/**
 * Faults are over and every market goes through its whole range, again and again, with trades: every order that can end
 * does so within the bound, and the rest has a stated reason (I62, I63).
 */
export async function endAll(parts: WorldParts): Promise<void> {
  const { journal, time, fleet, plan, hosts } = parts;
  for (const { accountId } of plan.clients)
    for (const { symbol } of parts.markets) hosts.replenish(accountId, symbol, 1_000_000_000 as never);
  for (let round = 0; round < ROUNDS && journal.open.size > 0; round++) {
    const factor = 1.07 ** (Math.abs((round % 60) - 30) - 15);
    for (const market of parts.markets) {
      const { quote } = market.at(factor);
      for (const process of fleet.alive) showQuote(parts, process, { quote });
      for (const process of fleet.alive) process.sink?.print(parts.tape.external(market.symbol, time.trueMs));
    }
    await time.settle();
    await time.pass(ROUND_MS);
    parts.venue.tick();
    if (fleet.newest === undefined) fleet.start();
    await time.settle();
    if (round % 40 === 39 && isOver(parts)) break;
  }
  for (const orderId of journal.open) explain(parts, journal.find(orderId));
}

const isOver = ({ journal }: WorldParts): boolean =>
  [...journal.open].every((orderId) => isExcused(journal.find(orderId)));

/** A child that this venue can neither find nor void stays unknown, and an alert has said so (decision 12). */
const isExcused = (order: SeenOrder | undefined): boolean => order?.child?.unknown === true && order.escalated;

function explain(parts: WorldParts, order: SeenOrder | undefined): void {
  if (order === undefined) return;
  const { demand, venue, journal } = parts;
  const { honoursDeadline, canVoid } = venue.capabilities;
  const siblings = order.list?.legs.map((legId) => journal.find(legId)) ?? [order];
  const waits = [order, ...siblings].some(isExcused) && !honoursDeadline && !canVoid;
  demand(waits, "I62", () => JSON.stringify({ ...order, intent: { ...order.intent } }, textOfBigint));
}

const textOfBigint = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
