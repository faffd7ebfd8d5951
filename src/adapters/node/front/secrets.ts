type Known = Readonly<{ number: number; secret: string }>;

/**
 * The secrets that a front thread verifies with. The main thread tells one when a signature of its key was found right
 * there, and takes it back when it knows of another; it asks the host for the key of every request, as ever.
 */
export class Secrets {
  readonly #known: Map<string, Known> = new Map();

  /** Learns a secret, or forgets it when there is none. */
  tell(apiKey: string, number: number, secret: string | undefined): void {
    if (secret === undefined) this.#known.delete(apiKey);
    else this.#known.set(apiKey, { number, secret });
  }

  secretOf(apiKey: string): string | undefined {
    return this.#known.get(apiKey)?.secret;
  }

  numberOf(apiKey: string): number {
    return this.#known.get(apiKey)?.number ?? -1;
  }
}
