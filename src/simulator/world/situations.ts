/** Rare situations that a long run must reach; each is seen where it happens. */
export const SITUATIONS = [
  // Children and the venue
  "submit lost before the venue had it",
  "answer lost after the venue had it",
  "answer after the deadline",
  "fill told before the acknowledgement",
  "outcome told twice",
  "older outcome told after a newer one",
  "part filled, then silence",
  "fill of an order whose cancel is pending",
  "fill of an order that has ended",
  "more filled than was sent",
  "fill beyond the limit",
  "not found, then there",
  "refused for now",
  "refused for good",
  "nonsense in an answer",
  "nonsense in an event",
  "nonsense in a look-up",
  "event of a child that nobody sent",
  "fill told while an engine opens",
  "fill told while an append is under way",
  "void answered with a report",
  "child voided after proof",
  "child unknown and escalated",
  "child withdrawn before it was handed over",
  "several children wait for the rate",
  "look-up fails",
  "unknown child settled by an operator",
  // Store
  "append fails",
  "append unknown and kept",
  "append unknown and kept before the read-back",
  "append that came after the read-back refused",
  "fence kept and denied",
  "fence that came after a later one",
  "append unknown during a release",
  "append unknown of a trigger",
  "append unknown of an acceptance",
  "append unknown of a cancel",
  "append unknown of a fill",
  "append fails with a child in flight",
  "read fails after a failed append",
  "snapshot fails",
  "snapshot kept and denied",
  "engine opened from a snapshot",
  "read fails while an engine opens",
  "append shared by several shards",
  "append of an old engine refused",
  // Processes and clocks
  "killed between intent and submit",
  "killed between submit and outcome",
  "killed while opening",
  "killed with an append under way",
  "closed while work is under way",
  "paused over a submit's deadline",
  "two engines at once",
  "child of an old engine handed over after the takeover",
  "restart with a child in flight",
  "restart with a held leg",
  "restart with a trailing reference",
  "restart inside an open slot",
  "restart with a list half done",
  "clock back with a child in flight",
  "clock forward over an expiry",
  "clock back with an order that expires",
  "clock step with a schedule under way",
  // Lists
  "both legs of a pair met by one quote",
  "pair decided by a trigger",
  "pair decided by a child",
  "release by the last of several fills",
  "position left unprotected",
  "cancel of a list with a child in flight",
  "fill of a leg whose list is done",
  "leg of a pair expires alone",
  "held leg canceled",
  "released leg canceled",
  // Schedules and volume
  "slot missed",
  "slot used after a restart",
  "VWAP goes on after its last slot",
  "POV child after a print",
  "POV at its whole share",
  "schedule over with a rest",
  "print told twice",
  "print told late",
  // Clients
  "same bytes sent while the first wait",
  "answer lost, then found by sending again",
  "same id with another intent",
  "same id at once by two ways",
  "list sent again",
  "cancel storm",
  "cancel refused",
  "cancel of an order with a child in flight",
  "cancel-all with a child in flight",
  "order ended between two pages",
  "history over several pages",
  "stream subscribed again after a break",
  "stream ended for a slow reader",
  "request refused while the engine drains",
  "read refused while the store fails",
  "outcome of a placement not known",
  "order limit reached",
  // Markets
  "jump held back",
  "jump confirmed",
  "bad quote dropped",
  "stale quote dropped",
  "future quote dropped",
  "quote out of order dropped",
  "no quote for longer than its age",
  "gap over a stop",
  "post-only refused by its first quote",
  "rest below the minimum",
  "expiry with a child in flight",
  "GTD order expired",
] as const;

/** The name of a situation. */
export type Situation = (typeof SITUATIONS)[number];

/** Counts the situations that a world reaches. */
export class Situations {
  readonly #counts: Map<Situation, number> = new Map();

  saw(situation: Situation): void {
    this.#counts.set(situation, (this.#counts.get(situation) ?? 0) + 1);
  }

  /** How often each was reached. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort());
  }
}
