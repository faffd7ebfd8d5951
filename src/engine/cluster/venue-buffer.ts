import { childIdOf, readReport, reportIn } from "../../host-answers/index.ts";
import type { JournalRecord } from "../../model/index.ts";
import type { ExecutionVenue, VenueEvent } from "../../ports/index.ts";
import type { Core } from "../core/core.ts";
import { Fifo } from "../core/fifo.ts";

/** Most events that are kept. Older ones are found by look-ups, as after a restart. */
const MOST = 100_000;

type Kept = Readonly<{ event: VenueEvent; childId: string; atMs: number }>;
/** What the journal says of a child with kept events. */
type Child = { events: number; closed: boolean; readonly counted: Set<string> };

/**
 * The venue's events of the last two ttl. Until this node owns the shards, their owner counts them; what it did not count
 * is handed to the engine that takes over. Events whose executions the journal contains by then are left out.
 */
export class VenueBuffer {
  readonly #core: Core;
  readonly #keepMs: number;
  readonly #kept: Fifo<Kept> = new Fifo();
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
    for (let one = this.#kept.first; one !== undefined; one = this.#kept.first) {
      if (!this.#isCounted(one)) kept.push(one);
      this.#kept.shift();
    }
    this.#children.clear();
    this.#listener = listener;
    for (const { event } of kept) listener(event);
    return () => this.stop();
  }

  stop(): void {
    this.#listener = undefined;
    this.#drop(Number.POSITIVE_INFINITY);
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

  /** Drops the events from before a time, and the oldest of too many. */
  #drop(beforeMs: number): void {
    for (let one = this.#kept.first; one !== undefined; one = this.#kept.first) {
      if (one.atMs >= beforeMs && this.#kept.size < MOST) return;
      this.#kept.shift();
      const child = this.#children.get(one.childId);
      if (child !== undefined && --child.events === 0) this.#children.delete(one.childId);
    }
  }

  #isCounted({ event, childId }: Kept): boolean {
    const child = this.#children.get(childId);
    if (child?.closed !== true) return false;
    const said = readReport(reportIn(event), childId);
    return (
      said.kind === "report" && said.report.fills.every(({ executionId }) => child.counted.has(executionId))
    );
  }
}
