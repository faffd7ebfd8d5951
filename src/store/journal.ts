import { InvariantError, invariant, isDamage } from "../errors/index.ts";
import { type JournalRecord, MARKET_SHARD, SHARD_COUNT } from "../model/index.ts";
import type { Entry, KeyRange, OrderStore, ShardAppend, ShardHead, TailRange } from "../ports/index.ts";
import { decodeRecord, encodeRecord } from "../wire/index.ts";
import { countIn, digits, lastNumberIn, lastUnder, numberIn, shardDigits, under } from "./keys.ts";
import type { Change, Plan, Rows, ValueAt } from "./rows.ts";

/** The owner of a shard as it is stored, and the round of its epoch. Where the journal ends, its last record says. */
type StoredHead = Readonly<{ epoch: number; round: number }>;

/** Of all shards and the market journal: an append searches several maps for each, and these texts have been hashed. */
const HEAD_KEYS: readonly string[] = allShards(MARKET_SHARD + 1).map((shard) => `head ${shardDigits(shard)}`);
const LOGS: readonly string[] = allShards(MARKET_SHARD + 1).map((shard) => `log ${shardDigits(shard)}`);

/** The key of the head of a shard or of the market journal. Throws a RangeError for another number. */
export function headKey(shard: number): string {
  const key = HEAD_KEYS[shard];
  if (key === undefined) throw new RangeError(`the store has no shard ${shard}`);
  return key;
}

/** The key of the epoch of a shard or of the market journal. */
export const epochKey = (shard: number): string => `epoch ${shardDigits(shard)}`;

/** The key of the highest sequence of a deleted record. */
export const prunedKey = (shard: number): string => `forgotten ${shardDigits(shard)}`;

/** The key of a record. */
export const recordKey = (shard: number, sequence: number): string => `${logOf(shard)} ${digits(sequence)}`;

/** Returns a stored head; that of a shard nobody has owned has epoch 0. */
export function headIn(value: string | undefined): StoredHead {
  if (value === undefined) return { epoch: 0, round: 0 };
  const [epoch, round] = [numberIn(value), numberIn(value.slice(value.indexOf(" ")))];
  if (!Number.isSafeInteger(epoch + round))
    throw new InvariantError("I53", `the head of a shard is "${value}"`);
  return { epoch, round };
}

/** Returns a head as it is stored. */
const headText = ({ epoch, round }: StoredHead): string => `${epoch} ${round}`;

const logOf = (shard: number): string => LOGS[shard] ?? `log ${shardDigits(shard)}`;

/** Returns the sequence in the key of a record; 0 for none. */
export const sequenceIn = (key: string | undefined): number => (key === undefined ? 0 : lastNumberIn(key));

/** What a handle has taken over, with the epoch of each shard and of the market journal. */
export class Owned {
  readonly #epochs: Map<number, number> = new Map();

  /** Notes that the handle has taken over shards. The answer of an earlier takeover may come after that of a later one. */
  took(heads: readonly ShardHead[]): void {
    for (const { shard, epoch } of heads)
      this.#epochs.set(shard, Math.max(epoch, this.#epochs.get(shard) ?? 0));
  }

  /** The epoch in which the handle took a shard over; undefined if it never did. */
  epochOf(shard: number): number | undefined {
    return this.#epochs.get(shard);
  }

  /** The shards that the handle has taken over, without the market journal. */
  get shards(): readonly number[] {
    return [...this.#epochs.keys()].filter((shard) => shard !== MARKET_SHARD);
  }

  /** Returns whether no other handle has taken a shard over since this one did. `valueAt` must know its epoch. */
  owns(shard: number, valueAt: ValueAt): boolean {
    const epoch = this.#epochs.get(shard);
    return epoch !== undefined && valueAt(epochKey(shard)) === String(epoch);
  }
}

/** Throws an InvariantError I60 for a handle to which the market journal does not belong any more. */
export function laterOwner(): never {
  throw new InvariantError("I60", "the market journal belongs to a later owner of the store");
}

/** Records and heads of all shards. */
export class Journal {
  readonly #rows: Rows;
  readonly #owned: Owned;
  /** Rounds that need no row, because a fence waits until no commit of an earlier one is under way: by shard, with their epochs. */
  readonly #rounds: Map<number, StoredHead> | undefined;

  constructor(rows: Rows, owned: Owned, isSettled = false) {
    this.#rows = rows;
    this.#owned = owned;
    this.#rounds = isSettled ? new Map() : undefined;
  }

  /** Returns the round of the epoch that owns a shard. */
  #roundOf(shard: number, head: StoredHead): number {
    const noted = this.#rounds?.get(shard);
    return noted?.epoch === head.epoch ? noted.round : head.round;
  }

  /** Takes all shards and the market journal over, and writes `more` with it. */
  async acquire(more: Omit<Plan, "absent">): Promise<readonly ShardHead[]> {
    const heads = await this.take(allShards(SHARD_COUNT + 1), more);
    return (heads ?? []).filter(({ shard }) => shard !== MARKET_SHARD);
  }

  /**
   * Takes over those of the shards for which `isNew` is true when it is called, after the change of `more`; the others are
   * owned already. Resolves to the heads of all, or to undefined if `more` decided against it. The epochs are those that this
   * very transaction wrote: a read after it could show those of a later owner.
   */
  async take(
    shards: readonly number[],
    more: Omit<Plan, "absent">,
    isNew: (shard: number) => boolean = () => true,
  ): Promise<readonly ShardHead[] | undefined> {
    let epochs: readonly number[] = [];
    const isTaken = await this.#rows.write({
      reads: [...shards.map(headKey), ...more.reads],
      change(valueAt) {
        const change = more.change(valueAt);
        if (change === undefined) return undefined;
        const puts: Entry[] = [];
        epochs = shards.map((shard) => {
          const { epoch } = headIn(valueAt(headKey(shard)));
          if (!isNew(shard)) return epoch;
          const next = { epoch: epoch + 1, round: 0 };
          puts.push([headKey(shard), headText(next)], [epochKey(shard), `${next.epoch}`]);
          return next.epoch;
        });
        return { ...change, puts: [...(change.puts ?? []), ...puts] };
      },
    });
    if (!isTaken) return undefined;
    const heads = await this.heads(shards);
    const taken = heads.map((head, place) => ({ ...head, epoch: epochs[place] ?? 0 }));
    this.#owned.took(taken);
    return taken;
  }

  /**
   * Returns the transaction of one part of an append, with its other rows: nothing unless its epoch owns the shard in its
   * round and its records continue the journal.
   */
  append(part: ShardAppend, rows?: PartRows): Plan {
    const { shard, epoch, round, records, marks = [] } = part;
    const key = headKey(requireShard(shard));
    const isOther = (one: Readonly<{ shard: number }>): boolean => one.shard !== shard;
    if (records.some(isOther) || marks.some(isOther))
      throw new InvariantError("I54", `a record or mark of another shard was appended to shard ${shard}`);
    const log = logOf(shard);
    const texts = textsOf(part);
    const entries = records.map(
      ({ sequence }, place): Entry => [recordKey(shard, sequence), texts[place] ?? ""],
    );
    const [first] = entries;
    // Of two equal appends, or of one that comes late, only the first finds no such record.
    const absent = first === undefined ? [] : [first[0]];
    return {
      reads: rows === undefined ? [key] : [key, ...rows.reads],
      absent: rows === undefined ? absent : [...absent, ...rows.absent],
      end: log,
      change: (valueAt) => {
        const head = headIn(valueAt(key));
        if (epoch < 1 || epoch !== head.epoch || round !== this.#roundOf(shard, head)) return undefined;
        const last = sequenceIn(valueAt(log));
        if (!records.every(({ sequence }, place) => sequence === last + 1 + place)) return undefined;
        if (rows === undefined) return { puts: entries };
        const { puts, deletes } = rows.change(valueAt);
        return { puts: [...entries, ...puts], deletes };
      },
    };
  }

  /** Returns the heads of shards. The market journal has no records. */
  async heads(shards: readonly number[] = allShards()): Promise<readonly ShardHead[]> {
    const values = await this.#rows.get([...shards.map(headKey), ...shards.map(prunedKey)]);
    // Afterwards: a head that is older than its records is one that another owner has taken since.
    const ends = await this.#lasts(shards);
    return shards.map((shard, place) => {
      const forgotten = values[shards.length + place];
      return {
        ...{ shard, epoch: headIn(values[place]).epoch, sequence: ends[place] ?? 0 },
        ...(forgotten !== undefined && { forgotten: numberIn(forgotten) }),
      };
    });
  }

  /** Returns the head of a shard. */
  async head(shard: number): Promise<ShardHead> {
    const [head] = await this.heads([requireShard(shard)]);
    invariant(head !== undefined, "I54", `shard ${shard} has no head`);
    return head;
  }

  /** Returns the sequence of the last record of a shard. */
  async last(shard: number): Promise<number> {
    return (await this.#lasts([requireShard(shard)]))[0] ?? 0;
  }

  async #lasts(shards: readonly number[]): Promise<readonly number[]> {
    const found = await this.#rows.ranges(shards.map((shard) => lastUnder(logOf(shard))));
    return found.map(([last]) => sequenceIn(last?.[0]));
  }

  /** Raises the round of a shard, if the epoch owns the shard. */
  async fence({ shard, epoch, round }: Parameters<OrderStore["fence"]>[0]): Promise<void> {
    const key = headKey(requireShard(shard));
    if (this.#rounds !== undefined) {
      const head = headIn(await this.#rows.value(key));
      if (head.epoch === epoch && round > this.#roundOf(shard, head))
        this.#rounds.set(shard, { epoch, round });
      // Only now: a commit that begins later finds the new round.
      await this.#rows.settled();
      return;
    }
    await this.#rows.write({
      reads: [key],
      change: (valueAt) => {
        const head = headIn(valueAt(key));
        if (head.epoch !== epoch || head.round >= round) return undefined;
        return { puts: [[key, headText({ ...head, round })]] };
      },
    });
  }

  /** Returns records above `after`, in order. */
  async records(range: RecordRange): Promise<readonly JournalRecord[]> {
    return decoded(range.shard, await this.texts(range));
  }

  /** Returns records as they are stored. Throws an InvariantError I54 if one above `forgotten` is missing. */
  async texts(range: RecordRange): Promise<readonly RecordText[]> {
    const { shard, after } = range;
    let [found = []] = await this.#rows.ranges([recordRange(range)]);
    if (found.length === 0) {
      const { sequence, forgotten = 0 } = await this.head(shard);
      if (sequence <= after) return [];
      // They may have come after the read.
      [found = []] = await this.#rows.ranges([recordRange(range)]);
      if (found.length === 0) requirePruned(shard, sequence, forgotten);
    }
    return await this.#whole(range, found);
  }

  async #whole({ shard, after }: RecordRange, found: readonly Entry[]): Promise<readonly RecordText[]> {
    const texts = found.map(([key, text]) => ({ sequence: sequenceIn(key), text }));
    const follows = texts.findLast(
      ({ sequence }, place) => sequence !== (texts[place - 1]?.sequence ?? after) + 1,
    );
    if (follows !== undefined) {
      const { forgotten = 0 } = await this.head(shard);
      requirePruned(shard, follows.sequence - 1, forgotten);
    }
    return texts;
  }

  /**
   * Returns records by their places; undefined for one that was deleted, an InvariantError for one that is damaged or missing.
   */
  async recordsAt(
    places: readonly RecordPlace[],
  ): Promise<readonly (JournalRecord | InvariantError | undefined)[]> {
    const texts = await this.#rows.getEach(places.map(({ shard, sequence }) => recordKey(shard, sequence)));
    const shards = [...new Set(places.filter((_, at) => texts[at] === undefined).map(({ shard }) => shard))];
    const values = await this.#rows.get(shards.map(prunedKey));
    const forgotten = new Map(shards.map((shard, at) => [shard, countIn(values[at])]));
    return places.map((place, at) =>
      damageOr(() => {
        const text = texts[at];
        if (text instanceof InvariantError) return text;
        if (text !== undefined) return decodeRecord(text, place);
        requirePruned(place.shard, place.sequence, forgotten.get(place.shard) ?? 0);
        return undefined;
      }),
    );
  }

  /** What deletes records of a shard, in the same transaction as their orders. `valueAt` must know its {@link prunedKey}. */
  forgetting(shard: number, sequences: readonly number[], valueAt: ValueAt): Required<Change> {
    const key = prunedKey(shard);
    if (sequences.length === 0) return { puts: [], deletes: [] };
    const highest = sequences.reduce((one, other) => Math.max(one, other), countIn(valueAt(key)));
    return {
      puts: [[key, String(highest)]],
      deletes: sequences.map((sequence) => recordKey(shard, sequence)),
    };
  }

  /** Returns records of all shards after the given positions. */
  async tail({ after, limit }: TailRange): Promise<readonly JournalRecord[]> {
    const due: RecordRange[] = [];
    let room = limit;
    for (const [shard, last] of (await this.#lasts(allShards())).entries()) {
      const known = after[shard] ?? 0;
      const range = { shard, after: known, limit: Math.min(room, last - known) };
      if (range.limit < 1) continue;
      due.push(range);
      room -= range.limit;
    }
    const found = due.length === 0 ? [] : await this.#rows.ranges(due.map(recordRange));
    const records: JournalRecord[] = [];
    for (const [place, range] of due.entries())
      for (const record of decoded(range.shard, await this.#whole(range, found[place] ?? [])))
        records.push(record);
    return records;
  }
}

/** The place of a record in the journal. */
export type RecordPlace = Readonly<{ shard: number; sequence: number }>;

/** At most `limit` records of a shard above `after`. */
type RecordRange = Readonly<{ shard: number; after: number; limit: number }>;

/** A record of the journal as it is stored. */
type RecordText = Readonly<{ sequence: number; text: string }>;

function recordRange({ shard, after, limit }: RecordRange): KeyRange {
  return { ...under(logOf(requireShard(shard)), recordKey(shard, after)), limit };
}

const decoded = (shard: number, texts: readonly RecordText[]): readonly JournalRecord[] =>
  texts.map(({ sequence, text }) => decodeRecord(text, { shard, sequence }));

function damageOr<T>(read: () => T): T | InvariantError {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return error;
    throw error;
  }
}

function requirePruned(shard: number, sequence: number, forgotten: number): void {
  invariant(sequence <= forgotten, "I54", `the journal of shard ${shard} has a gap at record ${sequence}`);
}

/** The numbers of all shards; with one more, also that of the market journal. */
function allShards(count: number = SHARD_COUNT): readonly number[] {
  return Array.from({ length: count }, (_, shard) => shard);
}

/** Returns the number of a shard. Throws a RangeError for another one, also for that of the market journal. */
export function requireShard(shard: number): number {
  if (shard === MARKET_SHARD) throw new RangeError(`the store has no shard ${shard}`);
  return shard;
}

/** Other rows that belong to a part of an append. */
export type PartRows = Readonly<{
  reads: readonly string[];
  absent: readonly string[];
  change: (valueAt: ValueAt) => Readonly<{ puts: readonly Entry[]; deletes: readonly string[] }>;
}>;

/** Returns the texts of the records that the engine made, or else encodes them. */
function textsOf({ records, texts }: ShardAppend): readonly string[] {
  return texts?.length === records.length ? texts : records.map(encodeRecord);
}
