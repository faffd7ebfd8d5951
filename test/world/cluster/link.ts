/** A direction of a connection: what a process asks, or what it is answered. */
export type Direction = "asks" | "answers";

/**
 * A connection of a process. Each direction can be cut by itself. A call that meets a cut direction waits until the
 * connection is whole again, and then fails, as a connection that is reset does.
 */
export class Link {
  readonly #cut: Set<Direction> = new Set();
  #waiting: (() => void)[] = [];

  /** Whether nothing that the process asks arrives. */
  get isMute(): boolean {
    return this.#cut.has("asks");
  }

  /** Whether nothing that the process is answered or told arrives. */
  get isDeaf(): boolean {
    return this.#cut.has("answers");
  }

  cut(direction: Direction): void {
    this.#cut.add(direction);
  }

  /** Makes both directions whole. Every call that waited fails. */
  heal(): void {
    this.#cut.clear();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves when the connection is whole again. */
  whole(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
