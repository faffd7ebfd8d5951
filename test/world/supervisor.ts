import type { Random } from "../../src/common/random.ts";
import { closeAndEnd } from "./closing.ts";
import { mayDieWhileOpening } from "./dying-opening.ts";
import type { Instance } from "./instance.ts";
import type { WorldParts } from "./parts.ts";
import { HOUR_MS, turns } from "./world-time.ts";

/** Starts processes. Closes, pauses, kills and replaces them where faults strike. */
export class Supervisor {
  readonly #parts: WorldParts;
  readonly #random: Random;
  readonly #absence: Random;
  readonly #instants: Random;
  #kill: Instance | undefined;
  /** No process is started before this time. */
  #awayUntilMs = 0;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#random = parts.random.of("supervisor");
    this.#absence = parts.random.of("how long processes stay away");
    this.#instants = parts.random.of("instants of a clock that is days ahead");
  }

  /** Runs before the actions of a step: starts a missing process and lets faults strike. */
  begin(): void {
    const { fleet, faults, situations, time } = this.#parts;
    const isAway = time.trueMs < this.#awayUntilMs;
    if (fleet.newest === undefined && !isAway && this.#random.chance(0.5)) this.#start();
    this.#stepClock();
    this.#jumpForAnInstant();
    const instance = fleet.newest;
    const isKilled = faults.strikes("process is killed", this.#random, 0.006);
    const isReplaced = faults.strikes("process is replaced and does not know", this.#random, 0.002);
    const isPaused = faults.strikes("process is paused", this.#random, 0.003);
    const isClosed = faults.strikes("process is closed", this.#random, 0.002);
    if (instance?.state !== "running") return;
    if (isKilled) this.#kill = instance;
    else if (isReplaced) {
      situations.observe("two engines at once");
      this.#start();
    } else if (isPaused) this.#pause(instance);
    else if (isClosed) this.#close(instance);
    if (fleet.alive.length > 1 && this.#random.chance(0.03)) this.#killOldest();
  }

  /** Runs after the actions of a step: kills the process that is to die, in the middle of work in progress. */
  async end(): Promise<void> {
    const { fleet, time, faults } = this.#parts;
    const after = this.#random.below(90);
    const instance = this.#kill;
    this.#kill = undefined;
    if (instance !== undefined) {
      await turns(after);
      fleet.kill(instance);
      const awayMs = 5_000 + this.#absence.below(20_000);
      if (faults.strikes("process stays away", this.#absence, 0.3)) this.#awayUntilMs = time.trueMs + awayMs;
    }
    await time.settle();
  }

  /** Runs at the end: removes processes that no longer answer, so that one process runs. */
  async recover(): Promise<void> {
    const { fleet, time } = this.#parts;
    time.step(time.trueMs - time.wallMs);
    for (const instance of fleet.alive) {
      if (instance.paused) instance.resume();
      if (instance !== fleet.newest || instance.state === "closing") fleet.kill(instance);
    }
    for (let round = 0; round < 200 && !fleet.isServed; round++) {
      if (fleet.newest === undefined) this.#start();
      await time.settle();
      await time.pass(100);
    }
    this.#parts.requireThat(fleet.isServed, "I62", "no process opens without faults");
  }

  #start(): void {
    const { fleet, situations, journal, time } = this.#parts;
    if (journal.records === 0) time.confirm();
    const lives = [...journal.open].map((orderId) => journal.find(orderId));
    if (lives.some((order) => order?.child !== undefined))
      situations.observe("restart with a child in flight");
    if (lives.some((order) => order?.held === true)) situations.observe("restart with a held leg");
    if (lives.some((order) => order?.activation !== undefined && order.trigger === undefined))
      situations.observe("restart with a trailing reference");
    if (lives.some((order) => order?.plan !== undefined)) situations.observe("restart inside an open slot");
    if (lives.some((order) => order?.list?.legs.some((legId) => journal.find(legId)?.ended !== undefined)))
      situations.observe("restart with a partly finished list");
    const instance = fleet.start();
    this.#reportWhileOpening();
    mayDieWhileOpening(this.#parts, instance, { random: this.#random, chance: 0.15 });
  }

  /** Lets the venue continue while the store is being read. */
  #reportWhileOpening(): void {
    const { faults, venue, beside } = this.#parts;
    const after = [0, 0, 0].map(() => this.#random.below(2_500));
    if (!faults.strikes("venue tells while an engine opens", this.#random, 0.7)) return;
    const report = (): void => {
      venue.tick();
      venue.reportWithheld();
    };
    for (const count of after) beside(turns(count).then(report));
  }

  /** Sets the wall clock, and corrects it after a while. */
  #stepClock(): void {
    const { faults, time, situations, journal, beside } = this.#parts;
    const ms = this.#random.pick([400, 3_000, 60_000, 3_600_000]);
    const lastsMs = this.#random.below(20_000);
    const back = faults.strikes("clock steps back", this.#random, 0.003);
    const forward = faults.strikes("clock steps forward", this.#random, 0.003);
    if (back === forward || time.wallMs !== time.trueMs) return;
    const lives = [...journal.open].map((orderId) => journal.find(orderId));
    const expiries = lives.map((order) => (order?.intent.expireTimeMs ?? 0) - time.wallMs);
    if (back && journal.inFlight > 0) situations.observe("clock back with a child in flight");
    if (back && expiries.some((left) => left > 0))
      situations.observe("clock back with an order that expires");
    if (forward && expiries.some((left) => left > 0 && left < ms))
      situations.observe("clock forward over an expiry");
    if (lives.some((order) => order?.plan !== undefined))
      situations.observe("clock step with a schedule under way");
    time.step(back ? -ms : ms);
    beside(time.after(lastsMs).then(() => time.step(time.trueMs - time.wallMs)));
  }

  /** Sets the wall clock days ahead for 20 ms. A process may be started in that moment in the place of one that is killed. */
  #jumpForAnInstant(): void {
    const { faults, time, situations, beside, fleet } = this.#parts;
    const ms = this.#instants.pick([1, 7, 40]) * 24 * HOUR_MS;
    const restarts = this.#instants.chance(0.5);
    const strikes = faults.strikes("clock is days ahead for an instant", this.#instants, 0.004);
    if (!strikes || time.wallMs !== time.trueMs) return;
    time.step(ms);
    beside(time.after(20).then(() => time.step(time.trueMs - time.wallMs)));
    const { newest } = fleet;
    if (!restarts || newest?.state !== "running") return;
    situations.observe("restart while the clock is days ahead");
    fleet.kill(newest);
    this.#start();
  }

  #pause(instance: Instance): void {
    const { time, situations, journal } = this.#parts;
    const ms = this.#random.below(6_000);
    const hadChild = journal.inFlight > 0;
    instance.pause();
    void time.after(ms).then(() => {
      if (ms > 2_000 && hadChild) situations.observe("paused over a submit's deadline");
      instance.resume();
    });
  }

  #close(instance: Instance): void {
    const { situations, beside, fleet } = this.#parts;
    if (instance.appending > 0 || this.#parts.journal.inFlight > 0)
      situations.observe("closed while work is under way");
    instance.state = "closing";
    beside(closeAndEnd(this.#parts, instance));
    void this.#parts.time.after(3_000).then(() => {
      if (!instance.dead) fleet.kill(instance);
    });
  }

  #killOldest(): void {
    const { fleet } = this.#parts;
    const [oldest] = fleet.alive;
    if (oldest !== undefined && oldest !== fleet.newest) fleet.kill(oldest);
  }
}
