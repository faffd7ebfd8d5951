import type { Random } from "../../src/common/random.ts";
import type { ChildReport } from "../../src/model/index.ts";
import type { VenueEvent } from "../../src/ports/index.ts";
import type { Faults } from "./faults.ts";
import type { Instance } from "./instance.ts";
import { nonsenseOf } from "./nonsense.ts";
import type { Situations } from "./situations.ts";
import { type Row, reportOf } from "./venue-row.ts";
import { turns } from "./world-time.ts";

/** Dependencies of the reports on their venue. */
type ReportParts = Readonly<{
  random: Random;
  faults: Faults;
  situations: Situations;
  /** Returns whether an engine is being opened. */
  isOpening: () => boolean;
}>;

type Subscriber = Readonly<{ instance: Instance; listener: (event: VenueEvent) => void }>;

/** The reports of a venue to its subscribers: they come twice, out of order, or with nonsense among them. */
export class VenueReports {
  readonly #parts: ReportParts;
  readonly #subscribers: Set<Subscriber> = new Set();

  constructor(parts: ReportParts) {
    this.#parts = parts;
  }

  /**
   * Adds a subscriber. `late` are children that were reported as closed before all of their fills were: engines no longer
   * look these up, and the process that received the first report may have died with it. Only a new subscriber receives
   * their reports again, once.
   */
  subscribe(subscriber: Subscriber, late: readonly Row[]): () => void {
    this.#subscribers.add(subscriber);
    void this.#repeat(subscriber, late.map(reportOf));
    return () => this.#subscribers.delete(subscriber);
  }

  async #repeat({ instance, listener }: Subscriber, reports: readonly ChildReport[]): Promise<void> {
    await turns(this.#parts.random.below(50));
    for (const report of reports) instance.enter(() => listener({ report }));
  }

  /** Removes the subscribers of a process that died. */
  forget(instance: Instance): void {
    for (const one of this.#subscribers) if (one.instance === instance) this.#subscribers.delete(one);
  }

  /** Reports the state of a child to all subscribers. */
  report(row: Row): void {
    const { faults, random, situations } = this.#parts;
    const report = reportOf(row);
    this.#emit(report);
    if (faults.strikes("venue tells twice", random, 0.2)) {
      situations.observe("outcome reported twice");
      this.#emit(report);
    }
    const older = row.reported[random.below(row.reported.length + 1)];
    if (older !== undefined && faults.strikes("venue tells out of order", random, 0.2)) {
      situations.observe("older outcome reported after a newer one");
      this.#emit(older);
    }
    row.reported.push(report);
    if (faults.strikes("venue says nonsense", random, 0.03)) {
      situations.observe("nonsense in an event");
      this.#emit(nonsenseOf(report, random));
      if (random.chance(0.5)) {
        situations.observe("event of a child that was never sent");
        this.#emit({ ...report, childId: `${report.childId}z` });
      }
    }
  }

  #emit(report: ChildReport): void {
    const { situations } = this.#parts;
    if (this.#parts.isOpening() && report?.fills?.length > 0)
      situations.observe("fill reported while an engine opens");
    for (const { instance, listener } of [...this.#subscribers]) {
      if (instance.appending > 0 && report?.fills?.length > 0)
        situations.observe("fill reported during an append");
      if (instance.links.venue.isDeaf)
        void instance.links.venue.whole().then(() => instance.enter(() => listener({ report })));
      else instance.enter(() => listener({ report }));
    }
  }
}
