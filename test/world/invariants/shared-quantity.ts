import type { ChildRequest } from "../../../src/model/index.ts";
import type { SeenOrder } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { exactOf, executedOf, leftOf, type Row } from "../venue-row.ts";

/** Returns whether only one of the orders of its list may ever have a child: a leg of a pair, or of an OCA that cancels. */
export function isOneOf({ list }: SeenOrder): boolean {
  if (list?.kind !== undefined) return list.mode === "CANCEL";
  return list?.role === "protective" || list?.role === "profit";
}

/** Returns whether an order takes from what its list shares: the executions of an entry, or one quantity. */
export const isShared = ({ list }: SeenOrder): boolean =>
  list?.mode === "REDUCE" || (list?.kind === "BRACKET" && list.role !== "working");

/**
 * Checks by the venue's own record that the orders of a list never execute more than they share. What the venue executes beyond
 * a child is its own fault; nothing is said of a list of which it has told that a child is closed, and executed more of it.
 */
export function checkShared(parts: WorldParts, row: Row): void {
  const { journal, requireThat } = parts;
  const order = journal.find(row.child.parentOrderId);
  if (order === undefined || !isShared(order)) return;
  const { whole, executed, isEarly } = sharedOf(parts, order);
  requireThat(
    isEarly || executed <= whole,
    "A bracket by fills, and an OCA",
    () => `list ${order.list?.listId} has executed ${executed} of ${whole} after ${row.child.childId}`,
  );
}

/** Checks by the venue's own record that a child fits beside every other one of its list that may still execute. */
export function checkSharedChild(parts: WorldParts, order: SeenOrder, child: ChildRequest): void {
  if (!isShared(order)) return;
  const { whole, executed, live, isEarly } = sharedOf(parts, order, child.childId);
  parts.requireThat(
    isEarly || executed + live + exactOf(child) <= whole,
    "A bracket by fills, and an OCA",
    () => `${child.childId} of ${exactOf(child)}: executed ${executed}, live ${live}, shared ${whole}`,
  );
}

function sharedOf(
  { venue, journal }: WorldParts,
  { intent, list }: SeenOrder,
  except?: string,
): Readonly<{ whole: bigint; executed: bigint; live: bigint; isEarly: boolean }> {
  const sum = { whole: exactOf(intent), executed: 0n, live: 0n, isEarly: false };
  for (const legId of list?.legs ?? []) {
    const leg = journal.find(legId);
    if (leg?.list?.role === "working") sum.whole = venue.executedOf(legId);
    else
      for (const row of venue.rowsOf.get(legId) ?? []) {
        sum.executed += certainOf(row);
        sum.isEarly ||= row.early;
        const isOther = row.child.childId !== except;
        if (isOther && venue.isLive(row)) sum.live += exactOf({ quantity: leftOf(row) });
      }
  }
  return sum;
}

/** Returns what a child has executed, its quantity at most. */
function certainOf(row: Row): bigint {
  const [executed, asked] = [executedOf(row), exactOf(row.child)];
  return executed < asked ? executed : asked;
}
