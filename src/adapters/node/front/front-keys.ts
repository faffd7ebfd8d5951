import type { ApiKey } from "../../../model/index.ts";

/** Number of keys whose secrets one front thread knows at once. */
const MOST = 10_000;

type Taught = Readonly<{ apiKey: string; secret: string }>;

/**
 * The secrets that a front thread knows, by number. A changed secret gets another number, so that it is always clear
 * which secret verified a signature. A front thread learns a secret only after a valid signature was made with it, so
 * other clients cannot fill the table.
 */
export class FrontKeys {
  readonly #send: (apiKey: string, number: number, secret: string | undefined) => void;
  readonly #taught: Map<number, Taught> = new Map();
  readonly #numbers: Map<string, number> = new Map();
  #count = 0;

  constructor(send: (apiKey: string, number: number, secret: string | undefined) => void) {
    this.#send = send;
  }

  /** Returns the key and secret of a number, or undefined if the secret was withdrawn. */
  taught(number: number): Taught | undefined {
    return this.#taught.get(number);
  }

  /** Gives a key's secret to the front thread, after a signature of the key was verified. */
  teach({ apiKey, secret }: ApiKey): void {
    const known = this.#numbers.get(apiKey);
    if (known !== undefined && this.#taught.get(known)?.secret === secret) return;
    if (known !== undefined) this.revoke(known);
    const [oldest] = this.#taught.keys();
    if (oldest !== undefined && this.#taught.size >= MOST) this.revoke(oldest);
    const number = ++this.#count;
    this.#taught.set(number, { apiKey, secret });
    this.#numbers.set(apiKey, number);
    this.#send(apiKey, number, secret);
  }

  /** Withdraws a secret that is no longer the key's. */
  revoke(number: number): void {
    const taught = this.#taught.get(number);
    if (taught === undefined) return;
    this.#taught.delete(number);
    this.#numbers.delete(taught.apiKey);
    this.#send(taught.apiKey, number, undefined);
  }
}
