/** A command's turn: how many of its names others hold or want before it, and those that come right behind it. */
type Turn = { ahead: number; readonly behind: Turn[]; begin: () => void };

/**
 * Names that commands hold while they are decided: those that want one of them wait in line, one after the other. The
 * end of a command wakes nobody but those right behind it, so that many copies cost as much each as few.
 */
export class Claims {
  /** By name, the last that holds or wants it. */
  readonly #last: Map<string, Turn> = new Map();

  /** Runs `work` when none of the names is held by another, and holds all of them until it is done. */
  async hold<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const turn = this.#join(names);
    if (turn.ahead > 0)
      await new Promise<void>((resolve) => {
        turn.begin = resolve;
      });
    try {
      return await work();
    } finally {
      this.#leave(names, turn);
    }
  }

  /** Goes to the end of the line of every name at once, so that no two commands wait for each other. */
  #join(names: readonly string[]): Turn {
    const turn: Turn = { ahead: 0, behind: [], begin: nothing };
    for (const name of names) {
      const before = this.#last.get(name);
      if (before === turn) continue;
      this.#last.set(name, turn);
      if (before === undefined) continue;
      before.behind.push(turn);
      turn.ahead++;
    }
    return turn;
  }

  #leave(names: readonly string[], turn: Turn): void {
    for (const name of names) if (this.#last.get(name) === turn) this.#last.delete(name);
    for (const next of turn.behind) if (--next.ahead === 0) next.begin();
  }
}

const nothing = (): void => undefined;
