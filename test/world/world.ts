import { createRandom } from "../../src/common/random.ts";
import { Client } from "./clients/client.ts";
import { ClusterSupervisor } from "./cluster/cluster-supervisor.ts";
import { InvariantBroken } from "./invariant-broken.ts";
import { acceptance } from "./invariants/acceptance.ts";
import { EarlyCloses } from "./invariants/early-closes.ts";
import { checkEnd, verifyNow } from "./invariants/end.ts";
import { leaveAll } from "./invariants/lifetime.ts";
import { Lists } from "./invariants/lists.ts";
import { endAll } from "./invariants/liveness.ts";
import { quantity } from "./invariants/quantity.ts";
import { Schedules } from "./invariants/schedules.ts";
import { checkShared } from "./invariants/shared-quantity.ts";
import { stalls } from "./invariants/stalls.ts";
import { state } from "./invariants/state.ts";
import { submission } from "./invariants/submission.ts";
import { Triggers } from "./invariants/triggers.ts";
import type { RecordCheck } from "./journal-book.ts";
import { makeParts, type RecordedRows } from "./make-parts.ts";
import { MarketPublisher } from "./market-publisher.ts";
import { settle, unknownOrders } from "./operator.ts";
import type { WorldParts } from "./parts.ts";
import type { Plan } from "./plan.ts";
import { Supervisor } from "./supervisor.ts";
import type { CreateDisk } from "./world-disk.ts";
import { HOUR_MS, type Turn, turns } from "./world-time.ts";

/** One world: everything that is built from one plan, and its steps. */
export class World {
  readonly parts: WorldParts;
  readonly #checks: RecordCheck[] = [];
  readonly #clients: readonly Client[];
  readonly #publisher: MarketPublisher;
  readonly #supervisor: Pick<Supervisor, "begin" | "end" | "recover">;
  readonly #random: ReturnType<typeof createRandom>;
  readonly #hours: ReturnType<typeof createRandom>;
  #step = 0;
  #broken: InvariantBroken | undefined;

  constructor(plan: Plan, options: Readonly<{ turn: Turn; rows: RecordedRows; disk: CreateDisk }>) {
    const random = createRandom(plan.seed);
    this.#random = random.of("steps");
    this.#hours = random.of("hours");
    const earlyCloses = new EarlyCloses(() => this.parts);
    this.parts = makeParts(plan, {
      ...options,
      executed: (row) => {
        earlyCloses.executed(row);
        checkShared(this.parts, row);
      },
      checks: this.#checks,
      requireThat: (holds, invariant, seen) => this.#requireThat(holds, invariant, seen),
    });
    const { parts } = this;
    this.#checks.push(
      acceptance(parts),
      quantity(parts),
      submission(parts),
      state(parts),
      stalls(parts),
      ...[new Triggers(parts), new Schedules(parts), new Lists(parts), earlyCloses].map(
        (check): RecordCheck =>
          (seen) =>
            check.check(seen),
      ),
    );
    this.#clients = plan.clients.map((client) => new Client(parts, client));
    this.#publisher = new MarketPublisher(parts);
    this.#supervisor =
      plan.cluster === undefined ? new Supervisor(parts) : new ClusterSupervisor(parts, plan.cluster);
  }

  /** Number of steps made so far. */
  get steps(): number {
    return this.#step;
  }

  /** Starts one process and sends a heartbeat of each market. */
  async begin(): Promise<void> {
    const { fleet, time, plan } = this.parts;
    fleet.start();
    // A node of a cluster reads twice before it takes shards: with a pause of a quarter of a ttl between.
    const longestMs = plan.cluster === undefined ? 1_000 : 1_000 + plan.cluster.ttlMs / 2;
    for (let ms = 0; ms < longestMs && !fleet.isServed; ms += 20) await time.pass(20);
    this.#publisher.heartbeat();
  }

  /** Runs one step, then checks the invariants. */
  async step(): Promise<void> {
    this.#step++;
    this.#supervisor.begin();
    // The run of a cluster is short: most of its steps are bursts.
    const isBurst = this.#random.chance(this.parts.plan.cluster === undefined ? 0.12 : 0.7);
    const acts = isBurst ? 2 + this.#random.below(6) : 1;
    for (let left = acts; left > 0; left--) {
      await this.#act(this.#random.below(100));
      // More orders, so that several nodes have some.
      if (this.parts.plan.cluster?.shares === true) this.#anyClient().act();
      if (left > 1) await turns(this.#random.below(20));
    }
    if (this.parts.plan.forgets && this.#hours.chance(0.02)) await this.#hour();
    await this.#supervisor.end();
    this.#look();
    if (this.#step % 400 === 0) await this.#guarded(() => verifyNow(this.parts));
  }

  /** Ends the faults, lets everything end, and checks the whole result. */
  async end(): Promise<void> {
    const { faults, venue, time } = this.parts;
    faults.quieten();
    await this.#supervisor.recover();
    venue.settle();
    await time.settle();
    await this.#guarded(() => endAll(this.parts));
    if (this.parts.plan.forgets) await this.#guarded(() => leaveAll(this.parts));
    await this.#guarded(() => checkEnd(this.parts, this.#clients));
  }

  async #act(dice: number): Promise<void> {
    const { time } = this.parts;
    if (dice < 40) return this.#publisher.quote();
    if (dice < 48) return this.#publisher.print();
    if (dice < 72) return this.#anyClient().act();
    if (dice < 76) return this.#tick();
    if (dice < 78) return this.#replenish();
    if (dice < 79) return this.#settleOne();
    await time.pass(1 + this.#random.below(dice < 97 ? 400 : 6_000));
    this.#tick();
    if (this.#random.chance(0.7)) this.#publisher.heartbeat();
  }

  #anyClient(): Client {
    return this.#random.pick(this.#clients);
  }

  /** Lets an hour pass in which no market moves, so that retention runs. */
  async #hour(): Promise<void> {
    await this.parts.time.pass(HOUR_MS + this.#hours.below(60_000));
    this.#tick();
    this.#publisher.heartbeat();
  }

  #tick(): void {
    this.parts.venue.tick();
    this.parts.native.book.tick();
  }

  #settleOne(): void {
    const { faults, beside } = this.parts;
    const isRequested = faults.strikes("operator settles", this.#random, 0.6);
    const unknown = unknownOrders(this.parts);
    const order = unknown.length === 0 ? undefined : this.#random.pick(unknown);
    if (isRequested && order !== undefined) beside(settle(this.parts, order));
  }

  #replenish(): void {
    const { hosts, plan, markets } = this.parts;
    const { accountId, reduces } = this.#random.pick(plan.clients);
    const { symbol } = this.#random.pick(markets);
    if (reduces) hosts.replenish(accountId, symbol);
  }

  async #guarded(doing: () => Promise<void>): Promise<void> {
    await doing();
    this.#look();
  }

  #look(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  #requireThat(holds: boolean, invariant: string, seen: string | (() => string)): void {
    if (holds || this.#broken !== undefined) return;
    const what = typeof seen === "string" ? seen : seen();
    this.#broken = new InvariantBroken(invariant, what, { seed: this.parts.plan.seed, step: this.#step });
  }
}
