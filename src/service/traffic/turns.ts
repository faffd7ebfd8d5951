/**
 * What is begun in one turn of the event loop, as bytes of requests, while connections are accepted and for addresses that
 * have proved nothing: little, since one connection is accepted in a turn, and who comes behind many others waits as many
 * turns.
 */
const SHARE = 16_384;

/**
 * The part of what a request counts beside its bytes that is counted of an address which has proved a key, while nobody is
 * accepted: its placements share a commit, and whoever floods with a key is stopped by the limits of rate, which make a
 * stranger of it.
 */
const PROVED_PART = 1 / 16;

/** What a request or message counts beside its own bytes, for each weight that it has. */
const EACH = 4_096;

/** The weight of a document; what weighs more is paid for by its client, not by turns in which nothing begins. */
const MOST_WEIGHT = 20;

/** What is counted of a turn: bytes, and what it takes beside them. */
export type TurnCost = Readonly<{ bytes: number; beside: number }>;

/** What a request or message costs of a turn. */
export const turnCost = ({ bytes, weight }: Readonly<{ bytes: number; weight: number }>): TurnCost => ({
  bytes,
  beside: EACH * Math.min(Math.max(weight, 1), MOST_WEIGHT),
});

/** Who is let begin. Addresses are networks, as they are counted. */
export type Crowd = Readonly<{
  /** Connections that were accepted until now. */
  arrivals: number;
  /** Whether a request of the address has proved a key, and its limits do not refuse it. */
  isProved: (address: string) => boolean;
}>;

type WaitingRequest = Readonly<{ cost: TurnCost; begin: () => void }>;

/**
 * Lets requests and messages begin in turns: those of one address one after the other, the addresses in turns, and in one
 * turn of the event loop no more than a share; what costs more takes the turns after it. So whoever sends much waits for
 * himself, and the others not for him, however many connections he has, and newcomers are accepted meanwhile.
 * Source: decision GE; hostile inputs 53 and 94.
 */
export class Turns {
  readonly #soon: (run: () => void) => void;
  readonly #crowd: Crowd;
  readonly #queues: Map<string, WaitingRequest[]> = new Map();
  #arrivals = 0;
  #isCalm = true;
  #used = 0;
  #planned = false;

  /** `soon` runs a function once everything that has happened by now was dealt with. */
  constructor(soon: (run: () => void) => void, crowd: Crowd) {
    this.#soon = soon;
    this.#crowd = crowd;
  }

  /** Begins at once while this turn has room, else when it is the turn of the address. */
  begin(address: string, cost: TurnCost, begin: () => void): void {
    this.#plan();
    if (this.#used < SHARE && this.#queues.size === 0) return this.#run(address, { cost, begin });
    const queue = this.#queues.get(address);
    if (queue === undefined) this.#queues.set(address, [{ cost, begin }]);
    else queue.push({ cost, begin });
  }

  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    const { arrivals } = this.#crowd;
    this.#isCalm = arrivals === this.#arrivals;
    this.#arrivals = arrivals;
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
      if (next !== undefined) this.#run(address, next);
    }
  }

  #run(address: string, { cost, begin }: WaitingRequest): void {
    const part = this.#isCalm && this.#crowd.isProved(address) ? PROVED_PART : 1;
    this.#used += cost.bytes + part * cost.beside;
    begin();
  }
}
