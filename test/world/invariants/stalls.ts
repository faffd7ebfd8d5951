import type { Fact } from "../../../src/model/index.ts";
import type { SeenChange, SeenRecord } from "../journal-book.ts";
import type { WorldParts } from "../parts.ts";

/** Longest pause between two children of an order in a market that was fresh all the time. */
const PAUSE_MS = 5_000;
/** How long the alert may take beyond `stalledAfterMs`: it is looked for as often, and its record may be lost. */
const SLACK_MS = 50_000;
/** An alert is raised again after ten minutes, and not before. */
const REPEAT_MS = 600_000;

/** Children of an order that filled nothing, without a long pause, in one process. */
type Failing = Readonly<{ fromMs: number; lastMs: number; generation: number }>;
type Reported = Readonly<{ atMs: number; stands: boolean }>;

/**
 * Checks the rule "An order that should act and cannot" by the journal alone: a triggered order whose children fill nothing for `stalledAfterMs` and some time has
 * its alert; no order has one more often than every ten minutes, unless it has executed in between; and the alert ends in the
 * record of the execution.
 */
export function stalls({ requireThat, plan, time, situations }: WorldParts): (seen: SeenRecord) => void {
  const failing = new Map<number, Failing>();
  const reported = new Map<number, Reported>();
  return ({ record, changes, instance }) => {
    for (const change of changes) {
      const { orderId } = change.after;
      const fills = change.facts.some(({ kind }) => kind === "FILLED");
      for (const fact of change.facts) {
        if (fact.kind === "ALERT") takeAlert(change, fact, { fills, timeMs: record.timeMs });
        else if (fact.kind === "CHILD_CLOSED") failed(change, fills, instance.generation);
      }
      const stands = reported.get(orderId)?.stands === true;
      requireThat(
        !fills || !stands,
        "An order that should act and cannot",
        () => `order ${orderId} executes, and its alert stands`,
      );
      if (fills || change.after.ended !== undefined) {
        failing.delete(orderId);
        reported.delete(orderId);
      }
    }
  };

  function takeAlert(
    { before, after: { orderId } }: SeenChange,
    { alert }: Extract<Fact, { kind: "ALERT" }>,
    { fills, timeMs }: Readonly<{ fills: boolean; timeMs: number }>,
  ): void {
    const last = reported.get(orderId);
    if (alert === "ORDER_STALLED") {
      const isDue = last === undefined || timeMs - last.atMs >= REPEAT_MS;
      requireThat(
        isDue,
        "An order that should act and cannot",
        () => `order ${orderId} is told as stalled again after too short a time`,
      );
      requireThat(
        before?.ended === undefined && !fills,
        "An order that should act and cannot",
        () => `order ${orderId} is told as stalled, and has executed or ended`,
      );
      reported.set(orderId, { atMs: timeMs, stands: true });
      if (failing.has(orderId)) situations.observe("refused again and again, and told");
    } else if (alert === "ORDER_RESUMED") {
      requireThat(
        last?.stands === true,
        "An order that should act and cannot",
        () => `order ${orderId} goes on that was not stalled`,
      );
      reported.set(orderId, { atMs: last?.atMs ?? timeMs, stands: false });
      if (fills) situations.observe("stalled order goes on");
    }
  }

  function failed({ after }: SeenChange, fills: boolean, generation: number): void {
    const { orderId, trigger, ended, pendingEnd } = after;
    if (fills || trigger === undefined || ended !== undefined || pendingEnd !== undefined) return;
    const nowMs = time.trueMs;
    const before = failing.get(orderId);
    const goesOn = before?.generation === generation && nowMs - before.lastMs <= PAUSE_MS;
    const fromMs = goesOn ? before.fromMs : nowMs;
    failing.set(orderId, { fromMs, lastMs: nowMs, generation });
    const isLate = nowMs - fromMs > plan.settings.stalledAfterMs + SLACK_MS;
    requireThat(
      !isLate || reported.has(orderId),
      "An order that should act and cannot",
      () => `children of order ${orderId} fill nothing since ${nowMs - fromMs} ms, and nobody is told`,
    );
  }
}
