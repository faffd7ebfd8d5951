import { childIdOf, readReport, reportIn } from "../../host-answers/index.ts";
import { readChildId } from "../../lifecycle/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import type { ExecutionVenue, VenueEvent } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { Fifo } from "../core/fifo.ts";

/** Most events that are kept. */
const MOST = 100_000;

/** Number of events with uncounted executions that are looked at again when another event comes. */
const LOOKS = 2;

type Kept = Readonly<{ event: VenueEvent; childId: string; atMs: number }>;
/** What the journal says of a child with kept events. */
type Child = { events: number; closed: boolean; readonly counted: Set<string> };

/**
 * The venue's events of the last two ttl, and earlier ones with executions that the journal does not contain: no look-up
 * finds those of closed children. Until this node owns the shards, their owner counts them; what it did not count is
 * handed to the engine that takes over. Events whose executions the journal contains by then are left out.
 */
export class VenueBuffer {
  readonly #core: Core;
  readonly #keepMs: number;
  readonly #kept: Fifo<Kept> = new Fifo();
  /** Events of more than two ttl ago. */
  readonly #uncounted: Fifo<Kept> = new Fifo();
  readonly #children: Map<string, Child> = new Map();
  #listener: ((event: VenueEvent) => void) | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(core: Core, ttlMs: number) {
    this.#core = core;
    this.#keepMs = 2 * ttlMs;
  }

  /** Begins to listen. */
  begin(venue: ExecutionVenue): void {
    this.#unsubscribe = venue.subscribe((event) => this.#hear(event));
  }

  /** Notes what the owner of the shards has counted. */
  saw({ changes }: JournalRecord): void {
    if (this.#children.size === 0) return;
    for (const { facts } of changes) {
      for (const fact of facts) {
        if (fact.kind === "FILLED") this.#children.get(fact.childId)?.counted.add(fact.fill.executionId);
        if (fact.kind !== "CHILD_CLOSED") continue;
        const child = this.#children.get(fact.childId);
        if (child !== undefined) child.closed = true;
      }
    }
  }

  /** Passes the events that the journal does not contain, and all later ones, to a listener. */
  passOn(listener: (event: VenueEvent) => void): () => void {
    this.#drop(this.#core.monotonicMs() - this.#keepMs);
    const kept: Kept[] = [];
    for (const queue of [this.#uncounted, this.#kept]) {
      for (let one = queue.shift(); one !== undefined; one = queue.shift())
        if (!this.#isClosedAndCounted(one)) kept.push(one);
    }
    this.#children.clear();
    this.#listener = listener;
    for (const { event } of kept) listener(event);
    return () => this.stop();
  }

  stop(): void {
    this.#listener = undefined;
    for (const queue of [this.#uncounted, this.#kept]) while (queue.size > 0) queue.shift();
    this.#children.clear();
    this.#unsubscribe();
  }

  #hear(event: VenueEvent): void {
    if (this.#listener !== undefined) return this.#listener(event);
    const childId = childIdOf(event);
    if (childId === undefined) return;
    const atMs = this.#core.monotonicMs();
    this.#drop(atMs - this.#keepMs);
    this.#kept.push({ event, childId, atMs });
    const child = this.#children.get(childId) ?? { events: 0, closed: false, counted: new Set() };
    child.events++;
    this.#children.set(childId, child);
  }

  /** Drops the events from before a time whose executions are counted, and the oldest of too many. */
  #drop(beforeMs: number): void {
    const [kept, uncounted] = [this.#kept, this.#uncounted];
    // In turn, so that one which is never counted does not keep the others.
    for (let looks = 0; looks < LOOKS; looks++) this.#keepUncounted(uncounted.shift());
    for (let one = kept.first; one !== undefined && one.atMs < beforeMs; one = kept.first) {
      kept.shift();
      this.#keepUncounted(one);
    }
    while (kept.size + uncounted.size >= MOST) this.#forget(uncounted.shift() ?? kept.shift());
  }

  #keepUncounted(one: Kept | undefined): void {
    if (one === undefined) return;
    if (readChildId(one.childId) === undefined || this.#isCounted(one)) this.#forget(one);
    else this.#uncounted.push(one);
  }

  #forget(one: Kept | undefined): void {
    const child = one && this.#children.get(one.childId);
    if (child !== undefined && --child.events === 0) this.#children.delete(one?.childId ?? "");
  }

  /** Returns whether the journal contains all executions of an event; true for an event without any. */
  #isCounted({ event, childId }: Kept): boolean {
    const said = readReport(reportIn(event), childId);
    const fills = said.kind === "report" ? said.report.fills : said.fills;
    return fills.every(({ executionId }) => this.#children.get(childId)?.counted.has(executionId) === true);
  }

  /** Returns whether an event tells the engine nothing new. */
  #isClosedAndCounted(one: Kept): boolean {
    const isReadable = readReport(reportIn(one.event), one.childId).kind === "report";
    return isReadable && this.#children.get(one.childId)?.closed === true && this.#isCounted(one);
  }
}
