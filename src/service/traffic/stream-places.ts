import { OrderError } from "../../errors/index.ts";
import type { StreamLimits } from "./api.ts";

const DEFAULTS = { perAddress: 2_048, inAll: 16_384 } as const;

/** Retry-After for a client that asks for too many streams: one of them may end at any time. */
const RETRY_AFTER_SECONDS = 1;

/**
 * The public streams that are open, by network. They need no key, and each is sent an event for every quote of its market,
 * so that connections and weight alone would let strangers take all the time of the process.
 */
export class StreamPlaces {
  readonly #limits: Required<StreamLimits>;
  readonly #isProved: (network: string) => boolean;
  readonly #open: Map<string, number> = new Map();
  #inAll = 0;

  constructor(limits: StreamLimits | undefined, isProved: (network: string) => boolean) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#isProved = isProved;
  }

  /** Throws an OrderError -1003 if a network may not open so many more streams. */
  requirePlaces(network: string, count: number): void {
    const { perAddress, inAll } = this.#limits;
    if ((this.#open.get(network) ?? 0) + count > perAddress) throw tooMany(perAddress, "ADDRESS");
    if (this.#inAll + count > inAll && !this.#isProved(network)) throw tooMany(inAll, "SERVICE");
  }

  /** Counts streams that a network opens. Throws as {@link requirePlaces}, and then counts none. */
  open(network: string, count: number): void {
    if (count === 0) return;
    this.requirePlaces(network, count);
    this.#add(network, count);
  }

  /** Takes back the count of streams that have ended. */
  close(network: string, count: number): void {
    this.#add(network, -count);
  }

  #add(network: string, count: number): void {
    const open = (this.#open.get(network) ?? 0) + count;
    this.#inAll += count;
    if (open === 0) this.#open.delete(network);
    else this.#open.set(network, open);
  }
}

const tooMany = (limit: number, interval: string): OrderError =>
  new OrderError("TOO_MANY_STREAMS", { limit, interval, retryAfter: RETRY_AFTER_SECONDS });
