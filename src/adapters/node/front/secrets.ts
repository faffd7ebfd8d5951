type Known = Readonly<{ number: number; secret: string }>;

/**
 * The secrets with which a front thread verifies signatures. The main thread sends a secret after it has verified a
 * signature made with it, and withdraws it when it learns of another. It still asks the host for the key of every
 * request.
 */
export class Secrets {
  readonly #known: Map<string, Known> = new Map();

  /** Stores a secret, or removes it if `secret` is undefined. */
  store(apiKey: string, number: number, secret: string | undefined): void {
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
