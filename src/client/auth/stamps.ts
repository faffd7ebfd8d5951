/** What makes a signed request fresh and unlike every other. */
export type Stamp = Readonly<{ timestamp: number; recvWindow: string }>;

/** Parts of a millisecond that a receive window may state. */
const PARTS = 1000;

/**
 * Makes stamps and nonces. The service refuses a signature that it has seen for another request, and two requests with
 * the same parameters and timestamp have one signature. So each stamp takes another thousandth off the receive window,
 * which never widens it; a stamp comes back only after a thousand others in the same millisecond. Source: decision 41;
 * contract, Version 2 GET queries 3.
 */
export class Stamps {
  #count: number;
  #nonce = 0;

  /** `start` is a random number from 0 to below 1, so that two clients of one key rarely make the same stamp. */
  constructor(start: number) {
    this.#count = Math.floor(start * PARTS);
  }

  /** Returns the next stamp; `recvWindowMs` is a whole number. */
  next(nowMs: number, recvWindowMs: number): Stamp {
    const part = this.#count++ % PARTS;
    const recvWindow =
      part === 0 ? `${recvWindowMs}` : `${recvWindowMs - 1}.${String(PARTS - part).padStart(3, "0")}`;
    return { timestamp: nowMs, recvWindow };
  }

  /** Returns a whole number above every earlier one, from microseconds of the server's time. */
  nonce(nowMs: number): number {
    this.#nonce = Math.max(nowMs * 1000, this.#nonce + 1);
    return this.#nonce;
  }
}
