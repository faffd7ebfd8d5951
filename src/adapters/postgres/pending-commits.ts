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

type Entry = { readonly keys: readonly string[]; cut: () => void };

/**
 * Commits under way. One is never given up from here: a server may wait for its standby for a long time. Only a later commit
 * that changes what the earlier one relies on says that its answer matters no more, such as a fence: the earlier connection
 * is cut after a while, and the later commit, which may have met the same dead network, is itself given up after that time.
 */
export class PendingCommits {
  readonly #patienceMs: number;
  readonly #all: Set<Entry> = new Set();
  /** The last commit that relies on a key. */
  readonly #byKey: Map<string, Entry> = new Map();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  begin(parts: readonly CommitPart[]): PendingCommit {
    // Nobody else writes a record that a part adds, unless its head was changed first.
    const keys: string[] = [];
    for (const { conditions } of parts)
      for (const [key] of conditions) if (tableOf(key) !== "log") keys.push(key);
    const overtaken = this.#overtakenBy(parts);
    for (const earlier of overtaken) this.#cutLater(earlier);
    const entry: Entry = { keys, cut: () => undefined };
    this.#all.add(entry);
    for (const key of keys) this.#byKey.set(key, entry);
    return {
      limitMs: overtaken.size > 0 ? this.#patienceMs : undefined,
      cutter: (cut) => {
        entry.cut = cut;
      },
      end: () => this.#end(entry),
    };
  }

  /** Cuts every commit that has no answer after a while. */
  close(): void {
    for (const entry of this.#all) this.#cutLater(entry);
  }

  #overtakenBy(parts: readonly CommitPart[]): ReadonlySet<Entry> {
    const overtaken = new Set<Entry>();
    if (this.#all.size === 0) return overtaken;
    const note = (key: string): void => {
      const earlier = this.#byKey.get(key);
      if (earlier !== undefined) overtaken.add(earlier);
    };
    for (const { puts, deletes } of parts) {
      for (const [key] of puts) if (tableOf(key) !== "log") note(key);
      for (const key of deletes) note(key);
    }
    return overtaken;
  }

  #cutLater(entry: Entry): void {
    afterMs(this.#patienceMs, () => {
      if (this.#all.has(entry)) entry.cut();
    });
  }

  #end(entry: Entry): void {
    this.#all.delete(entry);
    for (const key of entry.keys) if (this.#byKey.get(key) === entry) this.#byKey.delete(key);
  }
}
