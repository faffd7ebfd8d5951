/** Collects the messages from one thread to another and sends them once per turn. */
export class Batch<T> {
  readonly #post: (messages: readonly T[]) => void;
  /**
   * Called before a batch is sent, to add messages that are known only then. `isAlone` says whether there are no other
   * messages.
   */
  readonly #before: (isAlone: boolean) => void;
  /** Maximum number of messages in transit. More wait until some are acknowledged. */
  readonly #most: number;
  readonly #whenAcknowledged: (() => void)[] = [];
  #messages: T[] = [];
  #planned = false;
  #unacknowledged = 0;

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

  /** Sends a message at the end of this turn. */
  add(message: T): void {
    this.#messages.push(message);
    this.plan();
  }

  /** Sends the collected messages at the end of this turn. */
  plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.flush();
    });
  }

  /** Sends the collected messages now, unless too many are in transit. */
  flush(): void {
    if (this.#unacknowledged >= this.#most) return;
    const planned = this.#planned;
    this.#planned = true;
    this.#before(this.#messages.length === 0);
    this.#planned = planned;
    if (this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    this.#unacknowledged += messages.length;
    this.#post(messages);
  }

  /** Records that messages in transit were acknowledged. */
  acknowledged(messages: number): void {
    this.#unacknowledged -= messages;
    this.flush();
    for (const run of this.#whenAcknowledged.splice(0)) run();
  }

  /** Runs a function in a later turn, once few enough messages are in transit. */
  soon(run: () => void): void {
    if (this.#unacknowledged < this.#most) setImmediate(run);
    else this.#whenAcknowledged.push(() => setImmediate(run));
  }
}
