import type { Random } from "../../src/common/random.ts";
import type { Awaitable } from "../../src/ports/index.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Instance } from "./instance.ts";
import type { WorldTime } from "./world-time.ts";

/** Faults of one port, and the factor by which they strike more often than at a port that is called all the time. */
export type PortFaults = Readonly<{
  slow?: Fault;
  silent?: Fault;
  throws?: Fault;
  nonsense?: Fault;
  oftener?: number;
}>;

/** Dependencies of the answers. */
export type AnswerParts = Readonly<{ random: Random; faults: Faults; time: WorldTime }>;

/**
 * Answers for a host's ports. Most answers are immediate and right; others come late, never, as a throw, or as
 * nonsense.
 */
export class PortAnswers {
  readonly #parts: AnswerParts;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Returns one answer. `wrong` is the answer if the port answers with nonsense. */
  answer<T>(
    instance: Instance,
    port: PortFaults,
    { right, wrong }: Readonly<{ right: () => Awaitable<T>; wrong: () => unknown }>,
  ): Awaitable<T> {
    const { faults, random, time } = this.#parts;
    const strikes = (fault: Fault | undefined, chance: number): boolean =>
      fault !== undefined && faults.strikes(fault, random, chance * (port.oftener ?? 1));
    if (strikes(port.throws, 0.02)) throw new Error("the host does not answer");
    if (strikes(port.silent, 0.01)) return new Promise(() => undefined);
    if (strikes(port.nonsense, 0.01)) return wrong() as T;
    const delayMs = random.below(300);
    if (strikes(port.slow, 0.1)) return instance.call(() => time.after(delayMs).then(right));
    return random.chance(0.2) ? instance.call(async () => right()) : right();
  }
}
