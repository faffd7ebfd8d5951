import { add, notionalOf, subtract, ZERO_NOTIONAL, ZERO_QUANTITY } from "../../../src/decimal/index.ts";
import { type ChildRequest, shardOfId } from "../../../src/model/index.ts";
import type { SeenChange, SeenOrder, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { reachable } from "../seen-markets.ts";
import type { Submitting } from "../submitting.ts";
import { exactOf, executedOf, UNREPORTED } from "../venue-row.ts";
import { checkTrust } from "./cluster.ts";
import { checkSharedChild, isOneOf } from "./shared-quantity.ts";

/** More than pauses, late answers and drift can put an engine's estimate of the venue's time ahead. */
const SLACK_MS = 30_000;

const MINIMUM = 15n * 10n ** 14n;

/** Checks I20-I26, I12-I14, I40, I55 and I60: all conditions at the moment at which a child reaches the venue. */
export function checkSubmit(parts: WorldParts, submitting: Submitting): void {
  const { requireThat, journal, venue } = parts;
  const { child, instance } = submitting;
  const { childId } = child;
  const known = venue.rows.get(childId);
  requireThat(known === undefined || known.by === 0, "I21", () => `${childId} is submitted a second time`);
  checkOwner(parts, submitting);
  if (isRefused(parts, submitting)) return;
  const order = journal.find(child.parentOrderId);
  const isIntended = order?.child?.childId === childId && order.child.quantity === child.quantity;
  requireThat(
    isIntended,
    "I20",
    () => `${childId} is submitted, durable is ${JSON.stringify(order?.child?.childId)}`,
  );
  if (order === undefined) return;
  requireThat(
    order.child?.limitPrice === child.limitPrice,
    "I20",
    () => `${childId} has another limit than its intent`,
  );
  const isNow = instance.holdings.owns(shardOfId(child.parentOrderId)) && !submitting.isStopped;
  if (isNow) checkOrder(parts, order, submitting);
  checkSiblings(parts, order, child);
  observedQueue(parts);
  observedLate(parts, order, submitting);
  if (child.reduceOnly) checkExposure(parts, child);
  if (isNow) checkMarket(parts, submitting);
}

/** Notes decided children that wait while one is handed over to a venue with a rate limit. */
function observedQueue({ plan, journal, venue, situations }: WorldParts): void {
  if (plan.venue.ratePerSecond === undefined || journal.inFlight < 3) return;
  let waiting = 0;
  for (const orderId of journal.open) {
    const child = journal.find(orderId)?.child;
    if (child !== undefined && !child.unknown && !venue.rows.has(child.childId)) waiting++;
  }
  // The child that is being handed over is one of them.
  if (waiting > 2) situations.observe("several children wait for the rate");
}

/** Notes a child that waited longer than a submit may take, which only the store causes at a venue without a rate. */
function observedLate(
  { plan, situations, time }: WorldParts,
  { child }: SeenOrder,
  { instance }: Submitting,
): void {
  const ageMs = instance.now(time).wallMs - (child?.intendedAtMs ?? Number.POSITIVE_INFINITY);
  const isLate = plan.venue.ratePerSecond === undefined && ageMs > plan.settings.submitDeadlineMs;
  if (isLate) situations.observe("child sent that the store has made late");
}

/**
 * Returns whether the venue refuses a child for its deadline, or because it was voided. A node of a cluster that stood
 * still, or relied on clocks that did, may send one that another node has settled since.
 */
function isRefused({ plan, venue, situations }: WorldParts, submitting: Submitting): boolean {
  const { child, deadlineMs, instance } = submitting;
  if (plan.cluster === undefined) return false;
  const isLate = venue.capabilities.honoursDeadline && venue.nowMs > deadlineMs;
  if (!isLate && venue.rows.get(child.childId)?.state !== "voided") return false;
  situations.observe(
    instance.holdings.owns(shardOfId(child.parentOrderId))
      ? "child handed over after a stop refused by the venue"
      : "child of a lapsed node refused by the venue",
  );
  return true;
}

/**
 * Checks that a replaced process hands over its decided children no longer than the quiet time, and a node of a cluster
 * none (I26).
 */
function checkOwner(parts: WorldParts, { child, instance, deadlineMs, requestedAtMs }: Submitting): void {
  const { requireThat, plan, time, situations, venue } = parts;
  const { venueQuietMs, submitDeadlineMs } = plan.settings;
  const what = `hands ${child.childId} over`;
  const shard = shardOfId(child.parentOrderId);
  if (plan.cluster !== undefined)
    return checkTrust(parts, instance, { what, shard, atMs: requestedAtMs, invariant: "I26" });
  const replacedAtMs = instance.holdings.lostAtMs(shard);
  const sinceMs = replacedAtMs === undefined ? 0 : time.trueMs - replacedAtMs;
  if (replacedAtMs !== undefined) situations.observe("child of an old engine handed over after the takeover");
  requireThat(
    sinceMs <= venueQuietMs,
    "I26",
    () => `${child.childId} is sent ${sinceMs} ms after the takeover`,
  );
  // Once the venue has told its time, the wall clock counts only as far as it agrees.
  const isReported = plan.venueTellsTime || plan.venueClock !== undefined;
  const latestMs = isReported ? Math.max(time.wallMs, venue.nowMs + SLACK_MS) : time.wallMs;
  const left = deadlineMs - latestMs;
  requireThat(left <= submitDeadlineMs, "I26", () => `${child.childId} has ${left} ms`);
}

/** Checks that no child is sent for an order that has ended, is ending, is held or has expired (I23, I55). */
function checkOrder({ requireThat, time }: WorldParts, order: SeenOrder, submitting: Submitting): void {
  const { child, deadlineMs, instance } = submitting;
  const { ended, pendingEnd, held, expiresAtMs, child: intended } = order;
  const what = (): string => `${child.childId}: ${JSON.stringify({ ended, pendingEnd, held })}`;
  requireThat(ended === undefined && pendingEnd === undefined && !held, "I23", what);
  const notAfterMs = intended?.notAfterMs ?? Number.NEGATIVE_INFINITY;
  requireThat(
    deadlineMs <= notAfterMs,
    "I26",
    () => `${child.childId} may go until ${notAfterMs}, its deadline is ${deadlineMs}`,
  );
  requireThat(
    instance.now(time).wallMs < expiresAtMs,
    "I55",
    () => `${child.childId} after its order's expiry`,
  );
}

/** Checks that no other child of the parent, nor of the other leg of its pair, can still execute (I21, I24, I40). */
function checkSiblings(parts: WorldParts, order: SeenOrder, child: ChildRequest): void {
  const { requireThat, venue, journal } = parts;
  checkSharedChild(parts, order, child);
  for (const row of venue.rowsOf.get(order.orderId) ?? []) {
    const isOther = row.child.childId !== child.childId;
    requireThat(
      !isOther || !venue.isLive(row),
      "I24",
      () => `${child.childId} while ${row.child.childId} may execute`,
    );
  }
  for (const legId of isOneOf(order) ? (order.list?.legs ?? []) : []) {
    const leg = journal.find(legId);
    if (leg === undefined || legId === order.orderId || leg.list?.role === "working") continue;
    requireThat(leg.ended !== undefined, "I40", () => `${child.childId} while leg ${legId} goes on`);
    requireThat(leg.attempts === 0, "I40", () => `${child.childId} after a child of leg ${legId}`);
  }
}

/** Checks that reduce-only children never exceed the position (I13). */
function checkExposure({ requireThat, venue, hosts }: WorldParts, child: ChildRequest): void {
  const { accountId, symbol } = child;
  let reserved = exactOf(child);
  for (const row of venue.live) {
    const isRival = row.child.reduceOnly && row.child.accountId === accountId && row.child.symbol === symbol;
    if (isRival && venue.isLive(row)) reserved += exactOf(row.child) - executedOf(row);
  }
  const held = hosts.exact(accountId, symbol);
  requireThat(reserved <= held + UNREPORTED, "I13", () => `${child.childId}: ${reserved} of ${held}`);
}

/** Checks the market: a fresh quote, inside the cap, at least the minimum (I14, I25). */
function checkMarket({ requireThat, time, plan }: WorldParts, { child, instance }: Submitting): void {
  const { symbol, side, quantity, limitPrice, childId } = child;
  const quote = instance.markets.last(symbol);
  const ageMs = instance.markets.ageMs(symbol, instance.now(time));
  requireThat(
    quote !== undefined && ageMs <= plan.settings.quoteMaxAgeMs,
    "I25",
    () => `${childId} on a quote of ${ageMs} ms ago`,
  );
  if (quote === undefined) return;
  let left = quantity;
  let value = ZERO_NOTIONAL;
  for (const { price, size } of reachable(quote, side, limitPrice)) {
    const taken = size === undefined || size > left ? left : size;
    if (taken <= 0) continue;
    value = add(value, notionalOf(price, taken));
    left = subtract(left, taken);
  }
  requireThat(left < quantity, "I25", () => `${childId} with nothing inside its cap`);
  if (child.timeInForce === "FOK")
    requireThat(left === ZERO_QUANTITY, "I25", () => `${childId} is FOK with ${left} left`);
  requireThat(child.reduceOnly || value >= MINIMUM, "I14", () => `${childId} is worth ${value}`);
}

/** Checks I21-I24 in the journal: one child at a time, none for an order that ends, and no proof before its time. */
export function submission(parts: WorldParts): (seen: SeenRecord) => void {
  const { requireThat, venue, time, plan, situations } = parts;
  return ({ changes, instance, record }) => {
    const isSaid = record.cause.kind === "OPERATOR";
    for (const change of changes) {
      checkOneAtATime(change);
      for (const fact of change.facts) {
        if (fact.kind !== "CHILD_CLOSED") continue;
        if (fact.outcome === "VOIDED" && !isSaid) checkVoid(fact.childId, instance.generation);
        if (fact.outcome === "WITHDRAWN") checkWithdrawn(fact.childId);
      }
    }
  };

  function checkOneAtATime({ before, after, facts }: SeenChange): void {
    const blocked = before?.held === true || before?.ended !== undefined || before?.pendingEnd !== undefined;
    let outstanding = before?.child !== undefined;
    for (const { kind } of facts) {
      if (kind === "CHILD_INTENDED")
        requireThat(!blocked && !outstanding, "I23, I24", () => `order ${after.orderId} may not send`);
      if (kind === "CHILD_INTENDED") outstanding = true;
      if (kind === "CHILD_CLOSED") outstanding = false;
    }
  }

  /** Checks that "not found" settles a child only when it can never execute any more (I22). */
  function checkVoid(childId: string, generation: number): void {
    const row = venue.rows.get(childId);
    situations.observe("child voided after proof");
    if (row === undefined || row.state === "voided") return;
    const isOver = !venue.isLive(row) && (row.state === "never" || row.fills.length === 0);
    const waitedMs = row.by === generation ? time.trueMs - row.requestedAtMs : Number.POSITIVE_INFINITY;
    const hasPassed = time.trueMs > row.deadlineMs && waitedMs >= plan.settings.venueQuietMs;
    const isProved = !venue.capabilities.honoursDeadline || hasPassed;
    const reported = (): string => {
      const { state, by, deadlineMs } = row;
      return `${childId} of process ${by} is voided ${time.trueMs - deadlineMs} ms after its deadline, ${state} at the venue`;
    };
    requireThat(isOver && isProved, "I22", reported);
  }

  function checkWithdrawn(childId: string): void {
    situations.observe("child withdrawn before it was handed over");
    requireThat(!venue.rows.has(childId), "I21", () => `${childId} is withdrawn and the venue has it`);
  }
}
