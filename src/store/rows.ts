import { type InvariantError, isDamage } from "../errors/index.ts";
import type { CommitPart, Condition, Entry, KeyRange, Storage } from "../ports/index.ts";
import { lastUnder } from "./keys.ts";

/** What a transaction writes. */
export type Change = Readonly<{ puts?: readonly Entry[]; deletes?: readonly string[] }>;

/** Returns the value of a key that a {@link Plan} reads. */
export type ValueAt = (key: string) => string | undefined;

/**
 * A transaction that depends on the values of some keys. `change` is called with them, and again if another writer was
 * first. It returns undefined to leave out everything, which is decided only by values that were just read.
 */
export type Plan = Readonly<{
  reads: readonly string[];
  /** Keys that are taken to have no value: they are read only after a write found one. */
  absent?: readonly string[];
  /**
   * First parts of keys, such as `log 007`, of which the last key is needed: `valueAt` returns it. It is no condition, so
   * the change must need one that fails if another writer was first. What the change puts there is in order.
   */
  end?: string;
  /** Other handles write these keys as often: they are read anew, so that who was first is not first again and again. */
  isShared?: boolean;
  change: (valueAt: ValueAt) => Change | undefined;
}>;

/** A plan of a commit, by its place, and whether its values are read anew. */
type OpenPlan = Readonly<{ plan: Plan; index: number; isFresh: boolean }>;

/** Values that are remembered: heads, counts and bars are read once, not with every write. */
const MOST_KNOWN = 65_536;

/** Other writers of one key come seldom. So often in a row, something is wrong. */
const MOST_ROUNDS = 100;

/** Number of rows of a page. */
export const ROWS_PER_PAGE = 512;

/** The rows of a storage, read and written in optimistic transactions: what was read is a condition of what is written. */
export class Rows {
  readonly #storage: Storage;
  /** Values as they were read or written last. A wrong one makes a condition fail, and is read again. */
  readonly #known: Map<string, string | undefined> = new Map();
  readonly #underWay: Set<Promise<unknown>> = new Set();
  #isClosed = false;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Throws if the store is closed. */
  requireOpen(): void {
    if (this.#isClosed) throw new Error("the store is closed");
  }

  /** Returns the values of keys, all of one moment. */
  async get(keys: readonly string[]): Promise<readonly (string | undefined)[]> {
    this.requireOpen();
    return keys.length === 0 ? [] : await this.#storage.get(keys);
  }

  /** Returns the values of keys one by one if one of them is damaged, and the InvariantError in place of each that is. */
  async getEach(keys: readonly string[]): Promise<readonly (string | InvariantError | undefined)[]> {
    try {
      return await this.get(keys);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    const values: (string | InvariantError | undefined)[] = [];
    for (const key of keys) values.push(await this.value(key).catch(damageOnly));
    return values;
  }

  /** Returns the value of a key. */
  async value(key: string): Promise<string | undefined> {
    return (await this.get([key]))[0];
  }

  /** Returns the entries of ranges, which may be cut. */
  async ranges(ranges: readonly KeyRange[]): Promise<readonly (readonly Entry[])[]> {
    this.requireOpen();
    return await this.#storage.range(ranges);
  }

  /** Returns the entries of a range, at most its limit and fewer only if there are no more. */
  async range(range: KeyRange): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for await (const page of this.pages(range, range.limit)) {
      for (const entry of page) if (found.length < range.limit) found.push(entry);
      if (found.length >= range.limit) break;
    }
    return found;
  }

  /** Reads a range page by page. */
  async *pages(
    { from, before, reverse = false }: Omit<KeyRange, "limit">,
    limit: number = ROWS_PER_PAGE,
  ): AsyncGenerator<readonly Entry[]> {
    let rest = { from, before, limit, ...(reverse && { reverse }) };
    for (;;) {
      const [page = []] = await this.ranges([rest]);
      const last = page.at(-1)?.[0];
      if (last === undefined) return;
      yield page;
      rest = reverse ? { ...rest, before: last } : { ...rest, from: `${last} ` };
    }
  }

  /** Writes a plan, see {@link commit}. */
  async write(plan: Plan): Promise<boolean> {
    return (await this.commit([plan]))[0] === true;
  }

  /**
   * Writes plans in one transaction if their values are as they are known, and those of which they are not again. Resolves
   * to whether each was written. A rejection means that the outcome of all is unknown.
   */
  async commit(plans: readonly Plan[]): Promise<readonly boolean[]> {
    this.requireOpen();
    const outcomes = plans.map(() => false);
    let open: readonly OpenPlan[] = plans.map(firstTry);
    for (let round = 0; open.length > 0; round++) {
      if (round === MOST_ROUNDS) throw new Error(`other writers were first ${MOST_ROUNDS} times`);
      open = await this.#round(open, outcomes);
    }
    return outcomes;
  }

  async #commit(parts: readonly CommitPart[]): Promise<readonly boolean[]> {
    const commit = this.#storage.commit(parts);
    this.#underWay.add(commit);
    try {
      return await commit;
    } finally {
      this.#underWay.delete(commit);
    }
  }

  /** Resolves when the transactions are over that are under way, however they end. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  /** Returns the plans that must be tried again. */
  async #round(open: readonly OpenPlan[], outcomes: boolean[]): Promise<readonly OpenPlan[]> {
    const found = await this.#read(open);
    const valueAt: ValueAt = (key) => found.get(key) ?? this.#known.get(key);
    const again: OpenPlan[] = [];
    const sent: OpenPlan[] = [];
    const parts: CommitPart[] = [];
    const written = new Set<string>();
    for (const one of open) {
      const change = one.plan.change(valueAt);
      if (change === undefined) {
        if (!one.isFresh) again.push({ ...one, isFresh: true });
        continue;
      }
      const part = partOf(one.plan, change, valueAt);
      if (touches(part, written)) again.push({ ...one, isFresh: true });
      else {
        sent.push(one);
        parts.push(part);
      }
    }
    if (parts.length === 0) return again;
    const answers = await this.#commit(parts);
    for (const [place, one] of sent.entries()) {
      const isWritten = answers[place] === true;
      if (isWritten) this.#observe(one.plan, parts[place] as CommitPart);
      else again.push({ ...one, isFresh: true });
      outcomes[one.index] = isWritten;
    }
    return again;
  }

  /** Reads what is not known, and all of a plan whose values may be old. Resolves to what was found where nothing should be. */
  async #read(open: readonly OpenPlan[]): Promise<ReadonlyMap<string, string | undefined>> {
    const keys = new Set<string>();
    const ends = new Set<string>();
    const absent = new Set<string>();
    for (const { plan, isFresh } of open) {
      for (const key of plan.reads) if (isFresh || !this.#known.has(key)) keys.add(key);
      if (isFresh) for (const key of plan.absent ?? []) absent.add(key);
      if (plan.end !== undefined && (isFresh || !this.#known.has(plan.end))) ends.add(plan.end);
    }
    const requested = [...absent, ...keys];
    const values = await this.get(requested);
    const last = ends.size === 0 ? [] : await this.ranges([...ends].map(lastUnder));
    for (const [place, key] of [...keys].entries()) this.#known.set(key, values[absent.size + place]);
    for (const [place, end] of [...ends].entries()) this.#known.set(end, last[place]?.[0]?.[0]);
    return new Map([...absent].map((key, place) => [key, values[place]]));
  }

  /** Notes what was written of what is known. */
  #observe({ end }: Plan, { puts, deletes }: CommitPart): void {
    for (const [key, value] of puts) {
      if (end !== undefined && key.startsWith(end)) this.#known.set(end, key);
      else if (this.#known.has(key)) this.#known.set(key, value);
    }
    for (const key of deletes) if (this.#known.has(key)) this.#known.set(key, undefined);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST_KNOWN) break;
      this.#known.delete(oldest);
    }
  }

  /** Closes the storage. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#storage.close();
  }
}

function damageOnly(error: unknown): InvariantError {
  if (isDamage(error)) return error;
  throw error;
}

const firstTry = (plan: Plan, index: number): OpenPlan => ({ plan, index, isFresh: plan.isShared === true });

function partOf({ reads, absent = [] }: Plan, change: Change, valueAt: ValueAt): CommitPart {
  const { puts = [], deletes = [] } = change;
  const keys = absent.length === 0 ? reads : [...reads, ...absent];
  return { conditions: keys.map((key): Condition => [key, valueAt(key)]), puts, deletes };
}

/** Returns whether a part writes what another one has written; if not, what it writes is added. */
function touches({ puts, deletes }: CommitPart, written: Set<string>): boolean {
  const count = written.size;
  for (const [key] of puts) written.add(key);
  for (const key of deletes) written.add(key);
  return written.size < count + puts.length + deletes.length;
}

/** Returns a range whose `limit` is valid. Throws a RangeError if `limit` is not a whole number of at least 1. */
export function limited<T extends Readonly<{ limit: number }>>(range: T): T {
  if (!Number.isSafeInteger(range.limit) || range.limit < 1) {
    throw new RangeError(`limit must be a whole number of at least 1, got ${range.limit}`);
  }
  return range;
}
