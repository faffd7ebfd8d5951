import { FairQueue } from "../../common/index.ts";

/**
 * Bytes of requests that begin in one turn of the event loop, while connections are being accepted and for addresses
 * that have proved nothing. It is small, because one connection is accepted per turn, and a client in the queue behind
 * many others waits that many turns.
 */
const SHARE = 16_384;

/**
 * The fraction that is counted of a request's cost besides its bytes, for an address that has proved a key, while no
 * connection is being accepted. The placements of such an address share a commit. A client that floods with a key is
 * stopped by the rate limits; after that, its address no longer counts as proved.
 */
const PROVED_PART = 1 / 16;

/** Cost of a request or message besides its bytes, per unit of its weight. */
const EACH = 4_096;

/**
 * The weight of a document. Requests with a higher weight count as this: the rate limit charges their client for the
 * rest, not turns in which nothing begins.
 */
const MOST_WEIGHT = 20;

/**
 * The highest weight of a placement, a cancel or a look-up. A request with a higher weight reads many rows and shares no
 * commit, so it costs the same whoever sends it.
 */
const MOST_SHARED_WEIGHT = 4;

/**
 * Cost of a request or message for its turn: `bytes`, with the work of a long answer, and the cost besides them, of which
 * proved addresses are counted a part.
 */
type TurnCost = Readonly<{ bytes: number; beside: number }>;

/** Returns the cost of a request or message for its turn. */
export const turnCost = ({ bytes, weight }: Readonly<{ bytes: number; weight: number }>): TurnCost => {
  const cost = EACH * Math.min(Math.max(weight, 1), MOST_WEIGHT);
  return weight > MOST_SHARED_WEIGHT ? { bytes: bytes + cost, beside: 0 } : { bytes, beside: cost };
};

/** Client state that decides which requests start. Addresses are networks, as they are counted. */
export type Crowd = Readonly<{
  /** Number of connections accepted so far. */
  arrivals: number;
  /** Returns whether a request of the address has proved a key and no limit has refused the address since. */
  isProved: (address: string) => boolean;
}>;

type WaitingRequest = Readonly<{ cost: TurnCost; begin: () => void }>;

/**
 * Starts requests and messages in turns. Those of one address start one after the other, the addresses take turns, and one
 * turn of the event loop starts no more than a share. A request that costs more uses up the turns after it. So a flooding
 * client delays only itself, however many connections it has, and new connections are accepted meanwhile. Source: hostile
 * inputs 53 and 94.
 */
export class TrafficTurns {
  readonly #soon: (run: () => void) => void;
  readonly #crowd: Crowd;
  readonly #waiting: FairQueue<string, WaitingRequest> = new FairQueue();
  #arrivals = 0;
  #isCalm = true;
  #used = 0;
  #planned = false;

  /** `soon` runs a function after all events that have already happened are handled. */
  constructor(soon: (run: () => void) => void, crowd: Crowd) {
    this.#soon = soon;
    this.#crowd = crowd;
  }

  /** Starts at once while this turn has room, else when the address has its turn. */
  begin(address: string, cost: TurnCost, begin: () => void): void {
    this.#plan();
    if (this.#used < SHARE && this.#waiting.size === 0) return this.#run(address, { cost, begin });
    this.#waiting.add(this.#waiting.place(address, { cost, begin }));
  }

  /** Counts work of an address that has begun, once its cost is known. It uses up the turns after it. */
  add(address: string, cost: TurnCost): void {
    this.#plan();
    this.#count(address, cost);
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
    // Cost above this turn's share is charged to the following turns.
    this.#used = Math.max(0, this.#used - SHARE);
    if (this.#used > 0 || this.#waiting.size > 0) this.#plan();
    while (this.#used < SHARE) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#run(next.key, next.item);
    }
  }

  #run(address: string, { cost, begin }: WaitingRequest): void {
    this.#count(address, cost);
    begin();
  }

  #count(address: string, { bytes, beside }: TurnCost): void {
    const part = this.#isCalm && this.#crowd.isProved(address) ? PROVED_PART : 1;
    this.#used += bytes + part * beside;
  }
}
