import { parseQuantity } from "../../../src/decimal/index.ts";
import type { Intent } from "../clients/ledger.ts";
import type { SeenChange, SeenOrder, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";

const SHARDS = 256;

/** Checks I02-I06: every accepted order was requested, under its own name, with valid ids. */
export function acceptance(parts: WorldParts): (seen: SeenRecord) => void {
  /** The last order of each name. */
  const names = new Map<string, number>();
  const lastIds = new Map<number, number>();
  const childIds = new Set<string>();
  return ({ record, changes }) => {
    for (const change of changes) {
      if (change.before === undefined) accepted(change.after, record.shard);
      for (const fact of change.facts)
        if (fact.kind === "CHILD_INTENDED") checkChildId(change, fact.child.childId, fact.child.attempt);
    }
  };

  function accepted({ orderId, accountId, intent, list }: SeenOrder, shard: number): void {
    const { requireThat } = parts;
    const name = `${accountId} ${intent.clientOrderId}`;
    const earlier = names.get(name);
    const isFree = earlier === undefined || parts.journal.departed.has(earlier);
    requireThat(isFree, "I03", () => `${name} names a second order ${orderId}`);
    names.set(name, orderId);
    if (earlier !== undefined) parts.situations.observe("client id of an order that has left used again");
    const last = lastIds.get(accountId) ?? 0;
    requireThat(
      Number.isSafeInteger(orderId) && orderId < last,
      "I05",
      () => `order ${orderId} after ${last}`,
    );
    requireThat(-orderId % SHARDS === shard, "I05", () => `order ${orderId} is not of shard ${shard}`);
    lastIds.set(accountId, orderId);
    const requested = list === undefined ? intent.clientOrderId : list.listClientOrderId;
    const entry = parts.ledger.find(accountId, requested);
    requireThat(entry !== undefined, "I02", () => `${name} was never asked for`);
    if (entry === undefined) return;
    requireThat(parts.ledger.mayExist(entry), "I02", () => `${name} was refused and is accepted now`);
    requireThat(
      earlier !== undefined || isRequested(entry.intent, intent),
      "I04",
      () => `${name} is accepted as ${JSON.stringify(intent.symbol)}`,
    );
  }

  /**
   * Checks I06: a child id is a pure function of parent and attempt, computed here independently, and never used twice.
   */
  function checkChildId({ after }: SeenChange, childId: string, attempt: number): void {
    const { orderId, acceptedAtMs, attempts } = after;
    const expected = ["aqc", (-orderId).toString(36), acceptedAtMs.toString(36), attempt.toString(36)].join(
      "-",
    );
    parts.requireThat(
      childId === expected && attempt === attempts,
      "I06",
      () => `${childId} in place of ${expected}`,
    );
    parts.requireThat(!childIds.has(childId), "I06", () => `${childId} is intended twice`);
    childIds.add(childId);
  }
}

function isRequested({ fields, kind, symbol }: Intent, intent: SeenOrder["intent"]): boolean {
  if (intent.symbol !== symbol) return false;
  if (kind === "list") return true;
  return intent.side === fields.side && intent.quantity === parseQuantity(String(fields.quantity));
}
