/**
 * What is begun in one turn of the event loop, as bytes of requests: little, since one connection is accepted in a turn, and
 * who comes behind many others waits as many turns.
 */
const SHARE = 16_384;

/** What a request or message counts beside its own bytes, for each weight that it has. */
const EACH = 4_096;

/** The weight of a document; what weighs more is paid for by its client, not by turns in which nothing begins. */
const MOST_WEIGHT = 20;

/** What a request or message costs of a turn. */
export const turnCost = ({ bytes, weight }: Readonly<{ bytes: number; weight: number }>): number =>
  bytes + EACH * Math.min(Math.max(weight, 1), MOST_WEIGHT);

type WaitingRequest = Readonly<{ cost: number; begin: () => void }>;

/**
 * Lets requests and messages begin in turns: those of one address one after the other, the addresses in turns, and in one
 * turn of the event loop no more than a share; what costs more takes the turns after it. So whoever sends much waits for
 * himself, and the others not for him, however many connections he has, and newcomers are accepted meanwhile.
 * Source: decision GE; hostile inputs 53 and 94.
 */
export class Turns {
  readonly #soon: (run: () => void) => void;
  readonly #queues: Map<string, WaitingRequest[]> = new Map();
  #used = 0;
  #planned = false;

  /** `soon` runs a function once everything that has happened by now was dealt with. */
  constructor(soon: (run: () => void) => void) {
    this.#soon = soon;
  }

  /** Begins at once while this turn has room, else when it is the turn of the address. */
  begin(address: string, cost: number, begin: () => void): void {
    this.#plan();
    if (this.#used < SHARE && this.#queues.size === 0) return this.#run({ cost, begin });
    const queue = this.#queues.get(address);
    if (queue === undefined) this.#queues.set(address, [{ cost, begin }]);
    else queue.push({ cost, begin });
  }

  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    this.#soon(() => this.#turn());
  }

  #turn(): void {
    this.#planned = false;
    // What cost more than its turn had is paid for by the turns after it.
    this.#used = Math.max(0, this.#used - SHARE);
    if (this.#used > 0 || this.#queues.size > 0) this.#plan();
    while (this.#used < SHARE) {
      const [first] = this.#queues;
      if (first === undefined) return;
      const [address, queue] = first;
      const next = queue.shift();
      // The address goes behind the others.
      this.#queues.delete(address);
      if (queue.length > 0) this.#queues.set(address, queue);
      if (next !== undefined) this.#run(next);
    }
  }

  #run({ cost, begin }: WaitingRequest): void {
    this.#used += cost;
    begin();
  }
}
