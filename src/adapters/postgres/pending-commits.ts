import type { CommitPart } from "../../ports/index.ts";
import { afterMs } from "../../store/internal.ts";
import { tableOf } from "./commit-columns.ts";

/** A commit that has no answer yet. */
export type PendingCommit = Readonly<{
  /** How long its answer is waited for: for ever, unless it follows another one that hangs. */
  limitMs: number | undefined;
  /** Tells how its connection is cut. */
  cutter: (cut: () => void) => void;
  /** Notes that it was answered. */
  end: () => void;
}>;

type Entry = { readonly parts: readonly CommitPart[]; cut: () => void };

/**
 * Commits under way. One is never given up from here: a server may wait for its standby for a long time. Only a later commit
 * that changes what the earlier one relies on says that its answer matters no more, such as a fence: the earlier connection
 * is cut after a while, and the later commit, which may have met the same dead network, is itself given up after that time.
 */
export class PendingCommits {
  readonly #patienceMs: number;
  readonly #all: Set<Entry> = new Set();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  begin(parts: readonly CommitPart[]): PendingCommit {
    const overtaken = this.#overtakenBy(parts);
    for (const earlier of overtaken) this.#cutLater(earlier);
    const entry: Entry = { parts, cut: () => undefined };
    this.#all.add(entry);
    return {
      limitMs: overtaken.length > 0 ? this.#patienceMs : undefined,
      cutter: (cut) => {
        entry.cut = cut;
      },
      end: () => {
        this.#all.delete(entry);
      },
    };
  }

  /** Cuts every commit that has no answer after a while. */
  close(): void {
    for (const entry of this.#all) this.#cutLater(entry);
  }

  #overtakenBy(parts: readonly CommitPart[]): readonly Entry[] {
    if (this.#all.size === 0) return [];
    const changed = new Set<string>();
    // Nobody else writes a record that a part adds, unless its head was changed first.
    const note = (key: string): void => {
      if (tableOf(key) !== "log") changed.add(key);
    };
    for (const { puts, deletes } of parts) {
      for (const [key] of puts) note(key);
      for (const key of deletes) note(key);
    }
    if (changed.size === 0) return [];
    return [...this.#all].filter((earlier) =>
      earlier.parts.some(({ conditions }) => conditions.some(([key]) => changed.has(key))),
    );
  }

  #cutLater(entry: Entry): void {
    afterMs(this.#patienceMs, () => {
      if (this.#all.has(entry)) entry.cut();
    });
  }
}
