import { nextTurn } from "../common/index.ts";
import { invariant } from "../errors/index.ts";
import type { ParentOrder } from "../model/index.ts";
import type { Entry, ShardSnapshot } from "../ports/index.ts";
import { decodeParents, encodeParents } from "../wire/index.ts";
import { type Journal, requireShard } from "./journal.ts";
import { countIn, digits, keyOf, numberIn, shardDigits } from "./keys.ts";
import type { Rows } from "./rows.ts";

/** Number of parents of a part, encoded and committed in about a millisecond. */
const PARENTS_PER_PART = 128;

/** Number of parts that one step reads or deletes, which takes some milliseconds. */
const PARTS_PER_STEP = 8;

const GENERATION = "generation";

/** What a snapshot is made of. */
export type Header = Readonly<Record<"sequence" | "counter" | "generation" | "parts" | "parents", number>>;

/** The key of the header of the newest snapshot. */
export const headerKey = (shard: number): string => `snapshot ${shardDigits(shard)}`;

const partKey = (shard: number, generation: number, part: number): string =>
  keyOf("snap", shardDigits(shard), generation, part);

/** Returns a stored header. */
export function headerIn(shard: number, text: string): Header {
  const numbers = text.split(" ").map(numberIn);
  const [sequence = 0, counter = 0, generation = 0, parts = 0, parents = 0] = numbers;
  const isWhole = numbers.length === 5 && numbers.every(Number.isSafeInteger);
  invariant(isWhole, "I53", `the snapshot of shard ${shard} cannot be read`);
  return { sequence, counter, generation, parts, parents };
}

const headerText = ({ sequence, counter, generation, parts, parents }: Header): string =>
  [sequence, counter, generation, parts, parents].join(" ");

/** The keys of all parts of a snapshot. */
export const partKeys = (
  shard: number,
  { generation, parts }: Pick<Header, "generation" | "parts">,
): readonly string[] => Array.from({ length: parts }, (_, part) => partKey(shard, generation, part));

/**
 * Snapshots. One is written in parts under a generation of its own and becomes visible with its header, in the same
 * transaction as its last part.
 */
export class Snapshots {
  readonly #rows: Rows;
  readonly #journal: Pick<Journal, "last">;

  constructor(rows: Rows, journal: Pick<Journal, "last">) {
    this.#rows = rows;
    this.#journal = journal;
  }

  /** Returns the sequences of the newest snapshots of shards. */
  async sequences(shards: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const headers = await this.#rows.get(shards.map(headerKey));
    return new Map(
      shards.flatMap((shard, place) => {
        const header = headers[place];
        return header === undefined ? [] : [[shard, headerIn(shard, header).sequence] as const];
      }),
    );
  }

  /** Reads the newest snapshot of a shard; a newer one if it is replaced meanwhile. */
  async read(shard: number, reading?: () => void): Promise<ShardSnapshot | undefined> {
    requireShard(shard);
    for (;;) {
      const text = await this.#rows.value(headerKey(shard));
      if (text === undefined) return undefined;
      const { sequence, counter, generation, parts } = headerIn(shard, text);
      const parents = await this.#parents({ shard, generation, parts }, reading);
      if (parents !== undefined) return { shard, sequence, counter, parents };
      const isReplaced = (await this.#rows.value(headerKey(shard))) !== text;
      invariant(isReplaced, "I53", `a part of the snapshot of shard ${shard} is missing`);
    }
  }

  async #parents(
    { shard, generation, parts }: Readonly<{ shard: number; generation: number; parts: number }>,
    reading?: () => void,
  ): Promise<readonly ParentOrder[] | undefined> {
    const parents: ParentOrder[] = [];
    const keys = partKeys(shard, { generation, parts });
    for (let from = 0; from < parts; from += PARTS_PER_STEP) {
      if (from > 0) await nextTurn();
      const texts = await this.#rows.get(keys.slice(from, from + PARTS_PER_STEP));
      for (const text of texts) {
        if (text === undefined) return undefined;
        for (const parent of decodeParents(text)) parents.push(parent);
      }
      reading?.();
    }
    return parents;
  }

  /**
   * Writes a snapshot in steps, and again if an older one that was begun later became visible meanwhile. One older than the
   * newest does not become visible. Throws an InvariantError I53 for one that
   * is ahead of its journal.
   */
  async write(snapshot: ShardSnapshot, writing?: () => void): Promise<void> {
    const { shard, sequence, parents } = snapshot;
    requireShard(shard);
    invariant(
      sequence <= (await this.#journal.last(shard)),
      "I53",
      `the snapshot of shard ${shard} is ahead of its journal`,
    );
    const parts = Math.max(1, Math.ceil(parents.length / PARENTS_PER_PART));
    const generation = await this.#nextGeneration();
    for (let part = 0; part < parts; part++) {
      const some = parents.slice(part * PARENTS_PER_PART, (part + 1) * PARENTS_PER_PART);
      const entry: Entry = [partKey(shard, generation, part), encodeParents(some)];
      if (part === parts - 1) {
        const isShown = await this.#show(snapshot, { generation, parts, entry });
        const newest = isShown ? sequence : (await this.sequences([shard])).get(shard);
        if (newest !== undefined && newest < sequence) return await this.write(snapshot, writing);
      } else await this.#rows.write({ reads: [], change: () => ({ puts: [entry] }) });
      writing?.();
      if (part < parts - 1) await nextTurn();
    }
    await this.#clean(shard);
  }

  async #nextGeneration(): Promise<number> {
    let generation = 0;
    await this.#rows.write({
      reads: [GENERATION],
      change(valueAt) {
        generation = countIn(valueAt(GENERATION)) + 1;
        return { puts: [[GENERATION, String(generation)]] };
      },
    });
    return generation;
  }

  /** Writes the header of a snapshot with its last part. Resolves to whether it became visible. */
  async #show(
    { shard, sequence, counter, parents }: ShardSnapshot,
    { generation, parts, entry }: Readonly<{ generation: number; parts: number; entry: Entry }>,
  ): Promise<boolean> {
    const key = headerKey(shard);
    return await this.#rows.write({
      reads: [key],
      change(valueAt) {
        const text = valueAt(key);
        const newest = text === undefined ? undefined : headerIn(shard, text);
        // The parts of one that was begun before another are deleted with it, so it must not become visible after that.
        if (newest !== undefined && (newest.sequence > sequence || newest.generation > generation))
          return undefined;
        return {
          puts: [entry, [key, headerText({ sequence, counter, generation, parts, parents: parents.length })]],
        };
      },
    });
  }

  /** Raises the counter of the newest snapshot of a shard. Resolves to false if it has none. */
  async raiseCounter(shard: number, by: number): Promise<boolean> {
    const key = headerKey(shard);
    return await this.#rows.write({
      reads: [key],
      change(valueAt) {
        const text = valueAt(key);
        if (text === undefined) return undefined;
        const header = headerIn(shard, text);
        return { puts: [[key, headerText({ ...header, counter: header.counter + by })]] };
      },
    });
  }

  /** Deletes the header of a shard's snapshot, and with the next one its parts. */
  async prune(shard: number): Promise<void> {
    await this.#rows.write({ reads: [], change: () => ({ deletes: [headerKey(shard)] }) });
  }

  /** Deletes the parts of earlier generations: of replaced snapshots, and of some that were never completed. */
  async #clean(shard: number): Promise<void> {
    const text = await this.#rows.value(headerKey(shard));
    if (text === undefined) return;
    const prefix = keyOf("snap", shardDigits(shard));
    const older = { from: `${prefix} `, before: `${prefix} ${digits(headerIn(shard, text).generation)}` };
    for await (const page of this.#rows.pages(older, PARTS_PER_STEP)) {
      const deletes = page.map(([key]) => key);
      await this.#rows.write({ reads: [], change: () => ({ deletes }) });
      if (page.length === PARTS_PER_STEP) await nextTurn();
    }
  }
}
