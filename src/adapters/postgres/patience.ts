import type { CommitPart, ShardLeases } from "../../ports/index.ts";
import type { StoragePatience } from "./storage.ts";

/**
 * How long a store waits for its server. An append is never given up: a server may wait for its standby for a long time, and
 * only a fence decides. All else is, after `answerTimeoutMs`; and from `join` on, what is asked with each beat after a ttl:
 * a node whose renewal comes later has lost its shards (decision ZI).
 */
export class Patience implements StoragePatience {
  readonly #answerTimeoutMs: number;
  #ttlMs: number | undefined;
  /** Number of questions about heads, records and prints that are under way. */
  #requested = 0;

  constructor(answerTimeoutMs: number) {
    this.#answerTimeoutMs = answerTimeoutMs;
  }

  ofCommit(parts: readonly CommitPart[]): number | "for ever" {
    if (parts.some(isAppend)) return "for ever";
    return (parts.every(isAboutNodes) ? this.#ttlMs : undefined) ?? this.#answerTimeoutMs;
  }

  ofRead(what: readonly string[] | "range" | "clock"): number | undefined {
    const isRequested = what === "clock" || this.#requested > 0 || (what !== "range" && what.includes(NODES));
    return isRequested ? this.#ttlMs : undefined;
  }

  /** Returns leases whose questions are given up after a ttl. */
  leases(leases: ShardLeases): ShardLeases {
    const soon = async <T>(query: () => Promise<T>): Promise<T> => {
      this.#requested++;
      try {
        return await query();
      } finally {
        this.#requested--;
      }
    };
    return {
      ...leases,
      join: async (entry) => {
        const joined = await leases.join(entry);
        this.#ttlMs = Math.min(entry.ttlMs, this.#answerTimeoutMs);
        return joined;
      },
      heads: () => soon(() => leases.heads()),
      tail: (range) => soon(() => leases.tail(range)),
      prints: (range) => soon(() => leases.prints(range)),
    };
  }
}

/** Whether a part relies on heads and changes neither heads nor owners. */
function isAppend({ conditions, puts }: CommitPart): boolean {
  const isOfOwners = (key: string): boolean => isHead(key) || key === NODES;
  return conditions.some(([key]) => isHead(key)) && !puts.some(([key]) => isOfOwners(key));
}

const isHead = (key: string): boolean => key.startsWith("head ");

const NODES = "cluster";

const isAboutNodes = ({ conditions }: CommitPart): boolean =>
  conditions.length > 0 && conditions.every(([key]) => key === NODES);
