import type { Fact } from "../../../src/model/index.ts";
import type { SeenChange, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";
import { HOUR_MS } from "../world-time.ts";

/** Facts that an order may get after it has ended. */
const LATE: readonly Fact["kind"][] = ["FILLED", "ALERT"];

/** The most by which engine time is ahead of a clock that is told late or in whole milliseconds, and of a step that it follows. */
const AHEAD_MS = 2_000;

/**
 * Checks I50, I53, I55 and the rule "A time is confirmed before anything ends by it": an ended order stays ended, the engine breaks none of its own rules, nothing is
 * decided after an expiry, and no record has a time that only a wall clock has said for a short while.
 */
export function state(parts: WorldParts): (seen: SeenRecord) => void {
  const { requireThat, situations, hosts, time, plan } = parts;
  let firstLeadMs: number | undefined;
  return ({ record, changes }) => {
    // The engine that wrote the first record of an empty store had nothing but its wall clock.
    firstLeadMs ??= record.timeMs - time.trueMs;
    const confirmedMs = Math.max(time.confirmedLeadMs(), plan.venueClock?.aheadMs ?? 0, firstLeadMs);
    // The clock of a node may be an hour ahead for as long as it likes.
    const mostMs = plan.cluster === undefined ? confirmedMs + AHEAD_MS : 2 * HOUR_MS;
    const aheadMs = record.timeMs - time.trueMs;
    requireThat(
      aheadMs <= mostMs,
      "A time is confirmed before anything ends by it",
      () => `a record is ${aheadMs} ms ahead, confirmed are ${mostMs}`,
    );
    for (const change of changes) {
      checkEnd(change);
      for (const fact of change.facts) takeFact(change, fact, record.timeMs);
    }
  };

  function takeFact(change: SeenChange, fact: Fact, timeMs: number): void {
    if (fact.kind === "ALERT") {
      requireThat(fact.alert !== "INVARIANT_BROKEN", "no invariant of its own", () => JSON.stringify(fact));
      if (fact.alert === "UNKNOWN_ESCALATED") situations.observe("child unknown and escalated");
    }
    if (fact.kind === "CHILD_INTENDED") checkExpiry(change, timeMs);
    if (fact.kind === "ENDED") observedEnd(change, fact.reason);
    if (fact.kind === "END_REQUESTED" && fact.end.reason === "EXPIRED_GTD")
      situations.observe("expiry with a child in flight");
  }

  function checkEnd({ before, after, facts }: SeenChange): void {
    if (before?.ended === undefined) {
      if (after.ended !== undefined)
        requireThat(
          after.child === undefined,
          "I50",
          () => `order ${after.orderId} ends with a child in flight`,
        );
      return;
    }
    const isLate = facts.every(({ kind }) => LATE.includes(kind));
    requireThat(
      isLate,
      "I50",
      () => `order ${after.orderId} had ended, then ${facts.map(({ kind }) => kind)}`,
    );
    const fills = facts.filter(({ kind }) => kind === "FILLED").length;
    const flags = facts.filter((fact) => fact.kind === "ALERT" && fact.alert === "LATE_FILL").length;
    requireThat(
      fills === flags,
      "I50",
      () => `${fills} late fills of order ${after.orderId}, ${flags} flagged`,
    );
  }

  function checkExpiry({ after }: SeenChange, timeMs: number): void {
    requireThat(
      timeMs < after.expiresAtMs,
      "I55",
      () => `order ${after.orderId} decides on a child after its expiry`,
    );
  }

  function observedEnd({ after }: SeenChange, reason: string): void {
    if (reason === "NOTHING_TO_REDUCE") {
      situations.observe("reduce-only order ended with its position");
      const { accountId, intent, orderId } = after;
      const wasEmpty = hosts.wasEmpty(accountId, intent.symbol);
      requireThat(wasEmpty, "Reduce-only", () => `order ${orderId} ended with a position that is there`);
    }
    if (reason === "RESIDUAL_BELOW_MIN_NOTIONAL") situations.observe("residual below the minimum");
    if (reason === "WOULD_MATCH_IMMEDIATELY") situations.observe("post-only refused by its first quote");
    if (reason === "EXPIRED_GTD" && after.intent.timeInForce === "GTD")
      situations.observe("GTD order expired");
  }
}
