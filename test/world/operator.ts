import type { ChildSettlement } from "../../src/engine/index.ts";
import { shardOfId } from "../../src/model/index.ts";
import type { Instance } from "./instance.ts";
import type { SeenOrder } from "./journal-book.ts";
import type { WorldParts } from "./parts.ts";
import { type Row, reportOf } from "./venue-row.ts";

/**
 * Settles a child of unknown outcome according to the venue's own record, if that is final: after its deadline, or before
 * it, if the venue voids the id by hand for a child that it has not had for hours.
 */
export async function settle(
  parts: WorldParts,
  { child, orderId }: SeenOrder,
  isVoided = false,
): Promise<void> {
  const { fleet, venue, journal, situations, requireThat, plan } = parts;
  const shard = shardOfId(orderId);
  const instance = fleet.serving(shard);
  if (child?.unknown !== true || instance?.engine === undefined) return;
  const row = venue.rows.get(child.childId);
  if (row !== undefined && venue.isLive(row)) return;
  // The child may still be handed over until then, so "never" would be a guess before that time.
  if (!isVoided && venue.nowMs <= child.notAfterMs + plan.settings.venueQuietMs) return;
  if (row === undefined && (isVoided || !venue.capabilities.honoursDeadline))
    endOthers(parts, instance, shard);
  const settlement = {
    childId: child.childId,
    by: "operator",
    why: "the venue's record",
    ...wordOf(row, isVoided),
  };
  let isSettled = false;
  await instance.engine.settleChild(settlement).then(
    () => {
      isSettled = true;
    },
    () => undefined,
  );
  if (!isSettled || !instance.holdings.owns(shard)) return;
  situations.observe("unknown child settled by an operator");
  const after = journal.find(orderId)?.child?.childId;
  requireThat(
    after !== child.childId,
    "an operator settles a child",
    () => `${child.childId} is still there`,
  );
}

/**
 * Ends the processes that owned a shard before: one that stands still may hold the child, and this venue would accept it
 * from there at any time.
 */
function endOthers({ fleet }: WorldParts, owner: Instance, shard: number): void {
  for (const other of fleet.alive) if (other !== owner && other.holdings.hadOnce(shard)) fleet.kill(other);
}

function wordOf(row: Row | undefined, isVoided: boolean): Pick<ChildSettlement, "state" | "fills"> {
  if (row === undefined || row.state === "never" || row.state === "voided")
    return { state: isVoided ? "rejected" : "never" };
  row.shown = row.fills.length;
  if (row.state === "rejected") return { state: "rejected" };
  return { state: "closed", fills: reportOf(row).fills };
}

/** Returns the orders with a child of unknown outcome. */
export function unknownOrders({ journal }: WorldParts): readonly SeenOrder[] {
  return [...journal.open].flatMap((orderId) => {
    const order = journal.find(orderId);
    return order?.child?.unknown === true ? [order] : [];
  });
}
