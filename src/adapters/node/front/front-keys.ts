import type { ApiKey } from "../../../model/index.ts";

/** Keys whose secrets one front thread knows at once. */
const MOST = 10_000;

type Taught = Readonly<{ apiKey: string; secret: string }>;

/**
 * What a front thread was taught, by number: a secret that is changed gets another number, so that it is never in doubt
 * which one a signature was verified with. Only who has signed with a secret has it taught, so strangers fill nothing.
 */
export class FrontKeys {
  readonly #tell: (apiKey: string, number: number, secret: string | undefined) => void;
  readonly #taught: Map<number, Taught> = new Map();
  readonly #numbers: Map<string, number> = new Map();
  #count = 0;

  constructor(tell: (apiKey: string, number: number, secret: string | undefined) => void) {
    this.#tell = tell;
  }

  /** Which key and secret a number stands for; undefined when it was taken back. */
  taught(number: number): Taught | undefined {
    return this.#taught.get(number);
  }

  /** A signature of the key was verified: its secret may be used in front. */
  teach({ apiKey, secret }: ApiKey): void {
    const known = this.#numbers.get(apiKey);
    if (known !== undefined && this.#taught.get(known)?.secret === secret) return;
    if (known !== undefined) this.takeBack(known);
    const [oldest] = this.#taught.keys();
    if (oldest !== undefined && this.#taught.size >= MOST) this.takeBack(oldest);
    const number = ++this.#count;
    this.#taught.set(number, { apiKey, secret });
    this.#numbers.set(apiKey, number);
    this.#tell(apiKey, number, secret);
  }

  /** A secret is the key's no more. */
  takeBack(number: number): void {
    const taught = this.#taught.get(number);
    if (taught === undefined) return;
    this.#taught.delete(number);
    this.#numbers.delete(taught.apiKey);
    this.#tell(taught.apiKey, number, undefined);
  }
}
