import type { Random } from "../../src/common/random.ts";
import type { OwnFillsInPrints } from "../../src/ports/index.ts";

/** All faults of a world. A plan turns each on or off. */
export const FAULTS = [
  "venue loses a submit",
  "venue loses an answer",
  "venue answers late",
  "venue takes a child in late",
  "venue tells before it answers",
  "venue tells twice",
  "venue tells out of order",
  "venue fills a part and falls silent",
  "venue withholds fills",
  "venue fills more than was sent",
  "venue fills beyond the limit",
  "venue does not find what is on its way",
  "venue fails a look-up",
  "venue refuses",
  "venue refuses for good",
  "venue refuses without end",
  "venue takes a fee in the base asset",
  "venue says nonsense",
  "venue tells while an engine opens",
  "venue numbers executions per child",
  "venue numbers executions anew each day",
  "venue executes in eight decimals",
  "venue executes after closing",
  "venue does not tell its time",
  "store fails an append",
  "store keeps an append and does not say so",
  "store keeps an append after it was read again",
  "store is slow",
  "store takes three seconds for each append",
  "store does not answer an append for a minute",
  "store fails a read",
  "store reads slowly",
  "store fails a snapshot",
  "store keeps a snapshot and does not say so",
  "store fails a deletion",
  "store deletes and does not say so",
  "exposure is slow",
  "exposure is silent",
  "exposure throws",
  "exposure is nonsense",
  "exposure is late",
  "accounts are slow",
  "accounts throw",
  "accounts are silent",
  "accounts are nonsense",
  "rate limiter is slow",
  "rate limiter throws",
  "rate limiter is nonsense",
  "native orders are slow",
  "native orders are silent",
  "native orders throw",
  "native orders are nonsense",
  "native orders lose an answer",
  "volumes are slow",
  "volumes are silent",
  "volumes throw",
  "volumes are nonsense",
  "process is killed",
  "process is killed while it opens",
  "process is killed while it deletes",
  "process stays away",
  "process is paused",
  "process is closed",
  "process is replaced and does not know",
  "clock steps back",
  "clock steps forward",
  "clock is days ahead for an instant",
  "quotes jump",
  "quotes leave gaps",
  "quotes are bad",
  "prints come twice",
  "prints come late",
  "prints name own fills by another id",
  "prints leave own fills out",
  "answers are lost",
  "reader is slow",
  "connection breaks",
  "operator settles",
  "market writes eight decimals",
] as const;

/** Further faults of a world with several nodes. */
export const CLUSTER_FAULTS = [
  "node is killed at a named point",
  "node is killed with an append under way",
  "node leaves with an append under way",
  "machine of a node sleeps",
  "machine of a node stands still",
  "node stops before its socket",
  "node cannot ask the store",
  "node does not hear the store",
  "node cannot ask the venue",
  "node does not hear the venue",
  "store is gone for all nodes",
  "store keeps an append until a takeover",
  "store fails a call of a lease",
  "store answers a call of a lease late",
  "store loses the answer to a call of a lease",
  "store loses the answer to a claim",
  "renewals of a node fail while its reads go on",
  "clock of a node is off",
  "clock of a node steps",
  "shards are handed over",
  "shards are assigned by an operator",
  "store does not make a release",
  "store loses the answer to a release",
  "nodes have one name",
  "node of an old version joins",
  "release reaches the store late",
  "claim reaches the store late",
  "operator ends a move of shards",
] as const;

/** The name of a fault. */
export type Fault = (typeof FAULTS)[number] | (typeof CLUSTER_FAULTS)[number];

/** Rates of the faults that are on. Each is a factor of the fault's chance at every opportunity. */
export type FaultRates = Readonly<Partial<Record<Fault, number>>>;

/** Faults that are habits of a host: always there in a world in which they are on. They are on in fewer worlds than others. */
export const HABITS: readonly Fault[] = [
  "venue numbers executions per child",
  "venue numbers executions anew each day",
  "prints name own fills by another id",
  "prints leave own fills out",
];

/** Returns how own fills appear among the prints. Ids of executions that repeat in a market cannot name them. */
export function ownFillsOf(rates: FaultRates): OwnFillsInPrints {
  if (rates["prints leave own fills out"] !== undefined) return "none";
  return HABITS.some((habit) => rates[habit] !== undefined) ? "other-id" : "by-execution-id";
}

/**
 * Decides where faults strike and counts them. It draws even if a fault is off, so that turning one off does not change
 * the other draws.
 */
export class Faults {
  readonly #rates: FaultRates;
  readonly #counts: Map<Fault, number> = new Map();
  #quiet = false;

  constructor(rates: FaultRates) {
    this.#rates = rates;
  }

  /** Returns whether this fault strikes now; `chance` is the probability at a rate of 1. */
  strikes(fault: Fault, random: Random, chance: number): boolean {
    const drawn = random.next();
    if (this.#quiet || drawn >= chance * (this.#rates[fault] ?? 0)) return false;
    this.#count(fault);
    return true;
  }

  /** Returns whether a host has this habit, and counts that it shows. */
  shows(habit: Fault): boolean {
    if (this.#quiet || this.#rates[habit] === undefined) return false;
    this.#count(habit);
    return true;
  }

  #count(fault: Fault): void {
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
  }

  /** Stops all faults. */
  quieten(): void {
    this.#quiet = true;
  }

  get quiet(): boolean {
    return this.#quiet;
  }

  /** Number of strikes of each fault. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort());
  }
}
