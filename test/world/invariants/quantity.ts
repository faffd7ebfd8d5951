import type { SeenChange, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { exactOf } from "../venue-row.ts";

/**
 * Checks I10-I12 and I15: counted fills are the venue's executions, and the quantity in flight never exceeds the rest.
 */
export function quantity(parts: WorldParts): (seen: SeenRecord) => void {
  const { requireThat, venue, situations } = parts;
  return ({ changes }) => {
    for (const change of changes) {
      for (const fact of change.facts) {
        if (fact.kind === "FILLED") checkFill(change, fact.childId, fact.fill.executionId);
        if (fact.kind === "CHILD_INTENDED") checkIntent(change);
      }
    }
  };

  function checkFill({ before, after }: SeenChange, childId: string, executionId: string): void {
    const row = venue.rows.get(childId);
    const reported = row?.fills.slice(0, row.shown).find((fill) => fill.executionId === executionId);
    const counted = parts.journal.fills.get(after.orderId)?.get(`${childId} ${executionId}`)?.fill;
    const isTrue =
      reported !== undefined &&
      counted !== undefined &&
      exactOf(reported) === exactOf(counted) &&
      reported.price === counted.price;
    requireThat(
      isTrue,
      "I10",
      () => `${executionId} of ${childId} is counted and the venue did not tell it so`,
    );
    requireThat(row?.child.parentOrderId === after.orderId, "I10", () => `${executionId} is another order's`);
    const isOver = after.executed > exactOf(after.intent);
    requireThat(
      !isOver || after.overfilled,
      "I11",
      () => `order ${after.orderId} is overfilled without an alert`,
    );
    if (before?.ended !== undefined) situations.observe("fill of an order that has ended");
    else if (before?.pendingEnd?.status === "CANCELED")
      situations.observe("fill of an order whose cancel is pending");
    checkList(after);
  }

  function checkList({ list }: SeenChange["after"]): void {
    const legs = list?.legs.map((legId) => parts.journal.find(legId)) ?? [];
    if (legs.length > 0 && legs.every((leg) => leg?.ended !== undefined))
      situations.observe("fill of a leg whose list has ended");
  }

  function checkIntent({ before, after }: SeenChange): void {
    const { child, executed, intent, orderId } = after;
    const committed = child === undefined ? executed : (before?.executed ?? executed) + exactOf(child);
    requireThat(
      committed <= exactOf(intent),
      "I12",
      () => `order ${orderId} commits ${committed} of ${intent.quantity}`,
    );
  }
}
