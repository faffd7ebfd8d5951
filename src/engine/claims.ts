/** Names that commands hold while they are decided: those that want one of them wait, one after the other. */
export class Claims {
  readonly #held: Map<string, Promise<unknown>> = new Map();

  /** Runs `work` when none of the names is held by another, and holds all of them until it is done. */
  async hold<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    for (let claim = this.#claimOn(names); claim !== undefined; claim = this.#claimOn(names)) await claim;
    const working = work();
    const claim = working.then(nothing, nothing);
    for (const name of names) this.#held.set(name, claim);
    try {
      return await working;
    } finally {
      for (const name of names) this.#held.delete(name);
    }
  }

  #claimOn(names: readonly string[]): Promise<unknown> | undefined {
    for (const name of names) {
      const claim = this.#held.get(name);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }
}

const nothing = (): void => undefined;
