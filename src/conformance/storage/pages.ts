import type { CommitPart, Entry } from "../../ports/index.ts";
import { same } from "../suite/index.ts";
import { digits, EVERYTHING, part, type StorageRule, type StorageRules, walk, write } from "./world.ts";

const KEYS = 2_600;

const longRange: StorageRule = {
  name: "the pages of a long range walk over all of its keys once, in both directions",
  remedy:
    "Each page begins at its own bounds, whatever was read before. Return a full page unless the entries are large.",
  async check({ storage }) {
    const entries = Array.from({ length: KEYS }, (_, n): Entry => [`key ${digits(n * 7, 6)}`, `value ${n}`]);
    await write(
      storage,
      entries.filter((_, n) => n % 2 === 1),
    );
    await write(
      storage,
      entries.filter((_, n) => n % 2 === 0),
    );
    await write(storage, [
      ["kex", "before all"],
      ["kez", "after all"],
    ]);
    for (const limit of [512, 1_000]) {
      const range = { from: "key ", before: "key ~", limit };
      same(`all pages of ${limit}`, await walk(storage, range, KEYS), entries);
      same(
        `all falling pages of ${limit}`,
        await walk(storage, { ...range, reverse: true }, KEYS),
        entries.toReversed(),
      );
    }
  },
};

const LARGE = 12;

const largePages: StorageRule = {
  name: "a page of large values may be short, but is empty only at the end of the range",
  remedy: "Return at least one entry if there is one, however large it is.",
  async check({ storage }) {
    const entries = Array.from(
      { length: LARGE },
      (_, n): Entry => [`snap ${digits(n, 3)}`, `${n} `.repeat(200_000)],
    );
    for (const entry of entries) await write(storage, [entry]);
    const range = { from: "snap ", before: "snap ~", limit: 1_000 };
    same("all pages", await walk(storage, range, LARGE), entries);
    same("all falling pages", await walk(storage, { ...range, reverse: true }, LARGE), entries.toReversed());
  },
};

const SHARDS = 64;
const ROUNDS = 12;
const logKey = (shard: number, sequence: number): string => `log ${digits(shard, 3)} ${digits(sequence, 16)}`;

const journals: StorageRule = {
  name: "journals of many shards, written in turn, are read in their order, also when the oldest records are deleted",
  remedy:
    "Delete the keys of the part and no others. Keys that begin with `log ` only come in rising order in their shard.",
  async check({ storage }) {
    const shards = Array.from({ length: SHARDS }, (_, n) => n * 4);
    const textOf = (shard: number, sequence: number): string => `record ${shard} ${sequence} `.repeat(30);
    for (let sequence = 1; sequence <= ROUNDS; sequence++) {
      const parts = shards.map((shard): CommitPart => {
        const head = `head ${digits(shard, 3)}`;
        const old = sequence === 1 ? undefined : String(sequence - 1);
        const record = [logKey(shard, sequence), textOf(shard, sequence)] as const;
        return part({ conditions: [[head, old]], puts: [[head, String(sequence)], record] });
      });
      same(
        `commit of round ${sequence}`,
        await storage.commit(parts),
        shards.map(() => true),
      );
    }
    const all = shards.flatMap((shard) =>
      Array.from({ length: ROUNDS }, (_, n) => ({ shard, sequence: n + 1, key: logKey(shard, n + 1) })),
    );
    const isRetained = ({ shard, sequence }: (typeof all)[number]): boolean =>
      shard % 8 !== 0 || sequence > ROUNDS / 2;
    const deletes = all.filter((one) => !isRetained(one)).map(({ key }) => key);
    same("commit of the deletes", await storage.commit([part({ deletes })]), [true]);
    const stored = all
      .filter(isRetained)
      .map(({ key, shard, sequence }): Entry => [key, textOf(shard, sequence)]);
    const range = { ...EVERYTHING, from: "log ", before: "log ~", limit: 100 };
    same("all records by pages", await walk(storage, range, all.length), stored);
    const ranges = shards.map((shard) => ({
      from: logKey(shard, 1),
      before: `log ${digits(shard, 3)} ~`,
      limit: 3,
    }));
    same(
      "the three oldest records of each shard in one call",
      await storage.range(ranges),
      ranges.map(({ from }) => stored.filter(([key]) => key.startsWith(from.slice(0, 8))).slice(0, 3)),
    );
  },
};

/** Rules of long ranges. */
export const pages: StorageRules = { name: "long ranges", rules: [longRange, largePages, journals] };
