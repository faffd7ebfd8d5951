import type { WorldParts } from "./parts.ts";
import type { Process } from "./process.ts";
import type { Random } from "./random.ts";
import { turns } from "./world-time.ts";

/** Starts processes, and ends, stops and replaces them where faults strike. */
export class Supervisor {
  readonly #parts: WorldParts;
  readonly #random: Random;
  #kill: Process | undefined;

  constructor(parts: WorldParts) {
    this.#parts = parts;
    this.#random = parts.random.of("supervisor");
  }

  /** Before the acts of a step: whatever is missing is started, faults strike. */
  begin(): void {
    const { fleet, faults, situations } = this.#parts;
    if (fleet.newest === undefined && this.#random.chance(0.5)) this.#start();
    const process = fleet.newest;
    const isKilled = faults.strikes("process is killed", this.#random, 0.006);
    const isReplaced = faults.strikes("process is replaced and does not know", this.#random, 0.002);
    const isPaused = faults.strikes("process is paused", this.#random, 0.003);
    const isClosed = faults.strikes("process is closed", this.#random, 0.002);
    if (process?.state !== "running") return;
    if (isKilled) this.#kill = process;
    else if (isReplaced) {
      situations.saw("two engines at once");
      this.#start();
    } else if (isPaused) this.#pause(process);
    else if (isClosed) this.#close(process);
    if (fleet.alive.length > 1 && this.#random.chance(0.03)) this.#killOldest();
  }

  /** After the acts of a step: kills what is to die, in the middle of what they began. */
  async end(): Promise<void> {
    const { fleet, time } = this.#parts;
    const after = this.#random.below(90);
    const process = this.#kill;
    this.#kill = undefined;
    if (process !== undefined) {
      await turns(after);
      fleet.kill(process);
    }
    await time.settle();
  }

  /** After everything: whoever does not answer any more is gone, one process runs. */
  async recover(): Promise<void> {
    const { fleet, time } = this.#parts;
    for (const process of fleet.alive) {
      if (process.paused) process.resume();
      if (process !== fleet.newest || process.state === "closing") fleet.kill(process);
    }
    for (let round = 0; round < 200 && fleet.running === undefined; round++) {
      if (fleet.newest === undefined) this.#start();
      await time.settle();
      await time.pass(100);
    }
    this.#parts.demand(fleet.running !== undefined, "I62", "no process opens without faults");
  }

  #start(): void {
    const { fleet, faults, situations, journal, beside } = this.#parts;
    const lives = [...journal.open].map((orderId) => journal.find(orderId));
    if (lives.some((order) => order?.child !== undefined)) situations.saw("restart with a child in flight");
    if (lives.some((order) => order?.held === true)) situations.saw("restart with a held leg");
    if (lives.some((order) => order?.activation !== undefined && order.trigger === undefined))
      situations.saw("restart with a trailing reference");
    if (lives.some((order) => order?.plan !== undefined)) situations.saw("restart inside an open slot");
    if (lives.some((order) => order?.list?.legs.some((legId) => journal.find(legId)?.ended !== undefined)))
      situations.saw("restart with a list half done");
    const process = fleet.start();
    const dies = faults.strikes("process is killed while it opens", this.#random, 0.15);
    const after = this.#random.below(3_000);
    if (!dies) return;
    const die = async (): Promise<void> => {
      await turns(after);
      if (process.state !== "opening") return;
      situations.saw("killed while opening");
      fleet.kill(process);
    };
    beside(die());
  }

  #pause(process: Process): void {
    const { time, situations, journal } = this.#parts;
    const ms = this.#random.below(6_000);
    const hadChild = journal.inFlight > 0;
    process.pause();
    void time.after(ms).then(() => {
      if (ms > 2_000 && hadChild) situations.saw("paused over a submit's deadline");
      process.resume();
    });
  }

  #close(process: Process): void {
    const { situations, beside, fleet } = this.#parts;
    if (process.appending > 0 || this.#parts.journal.inFlight > 0) situations.saw("closed while work is under way");
    process.state = "closing";
    const close = async (): Promise<void> => {
      await process.engine?.close();
      fleet.kill(process);
    };
    beside(close());
    void this.#parts.time.after(3_000).then(() => {
      if (!process.dead) fleet.kill(process);
    });
  }

  #killOldest(): void {
    const { fleet } = this.#parts;
    const [oldest] = fleet.alive;
    if (oldest !== undefined && oldest !== fleet.newest) fleet.kill(oldest);
  }
}
