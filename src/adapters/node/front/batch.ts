/** Collects what one thread tells another, and tells it once a turn. */
export class Batch<T> {
  readonly #post: (messages: readonly T[]) => void;
  /** Asked before anything is told; adds what is known only then. Whether there is nothing else to tell. */
  readonly #before: (isAlone: boolean) => void;
  /** Messages that may be on their way; more wait until some were heard. */
  readonly #most: number;
  readonly #whenHeard: (() => void)[] = [];
  #messages: T[] = [];
  #planned = false;
  #unheard = 0;

  constructor(
    post: (messages: readonly T[]) => void,
    {
      before = () => undefined,
      most = Number.POSITIVE_INFINITY,
    }: Readonly<{ before?: (isAlone: boolean) => void; most?: number }> = {},
  ) {
    this.#post = post;
    this.#before = before;
    this.#most = most;
  }

  /** Tells a message at the end of this turn. */
  add(message: T): void {
    this.#messages.push(message);
    this.plan();
  }

  /** Tells what there is at the end of this turn. */
  plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.flush();
    });
  }

  /** Tells what there is now, unless too much is on its way. */
  flush(): void {
    if (this.#unheard >= this.#most) return;
    const planned = this.#planned;
    this.#planned = true;
    this.#before(this.#messages.length === 0);
    this.#planned = planned;
    if (this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    this.#unheard += messages.length;
    this.#post(messages);
  }

  /** So many messages of those on their way were heard. */
  heard(messages: number): void {
    this.#unheard -= messages;
    this.flush();
    for (const run of this.#whenHeard.splice(0)) run();
  }

  /** Runs a function in a turn to come, and not before what is on its way is little enough. */
  soon(run: () => void): void {
    if (this.#unheard < this.#most) setImmediate(run);
    else this.#whenHeard.push(() => setImmediate(run));
  }
}
