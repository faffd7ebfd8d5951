import {
  createMemoryDisk,
  createMemoryStorage,
  type MemoryDisk,
} from "../../../src/adapters/memory/index.ts";
import type { StorageSubject, StorageSupport } from "../../../src/conformance/index.ts";
import type { CommitPart, Entry, KeyRange, Storage } from "../../../src/ports/index.ts";
import type { PlantedFault } from "../../support/planted-faults.ts";

/** A fault of a driver, called once per handle with the sound storage below it. */
export type Plant = (sound: Storage, keys: MemoryDisk) => Partial<Storage>;

let ticks = 1_760_000_000_000;
const clock = { nowMs: () => ticks++ };

/** Describes storages in memory with a fault. */
export function storageSubject(
  name: string,
  plant: Plant,
  { durable, shared }: StorageSupport,
  keysOf: () => MemoryDisk = createMemoryDisk,
): StorageSubject {
  return {
    name,
    supports: { durable, shared },
    createPlace() {
      const stored = keysOf();
      return {
        open() {
          const keys = durable ? stored : createMemoryDisk();
          const sound = createMemoryStorage({ disk: keys, ...(shared && { clock }) });
          return { ...sound, ...plant(sound, keys) };
        },
        remove: () => {},
      };
    },
  };
}

const planted = (fault: string, breaks: readonly string[], plant: Plant): PlantedFault<StorageSubject> => ({
  fault,
  breaks,
  subject: storageSubject(fault, plant, { durable: true, shared: true }),
});

/** Changes the parts of every commit. */
const committing =
  (change: (part: CommitPart) => CommitPart): Plant =>
  ({ commit }) => ({ commit: (parts) => commit(parts.map(change)) });

/** Changes what every range asks for, and what it answers. */
const ranging =
  (
    ask: (range: KeyRange) => KeyRange,
    answer: (entries: readonly Entry[], range: KeyRange) => readonly Entry[] = (entries) => entries,
  ): Plant =>
  ({ range }) => ({
    async range(ranges) {
      const found = await range(ranges.map(ask));
      return found.map((entries, place) => answer(entries, ranges[place] as KeyRange));
    },
  });

/** Changes every value that is written, and every one that is read. */
const storing =
  (write: (value: string) => string, read: (value: string) => string = (value) => value): Plant =>
  ({ commit, get, range }) => ({
    commit: (parts) =>
      commit(
        parts.map(({ conditions, puts, deletes }) => ({
          conditions: conditions.map(([key, value]) => [key, value === undefined ? value : write(value)]),
          puts: puts.map(([key, value]) => [key, write(value)]),
          deletes,
        })),
      ),
    get: async (keys) => (await get(keys)).map((value) => (value === undefined ? value : read(value))),
    range: async (ranges) =>
      (await range(ranges)).map((entries) => entries.map(([key, value]): Entry => [key, read(value)])),
  });

/** Changes every key of every call. */
const keying =
  (change: (key: string) => string): Plant =>
  ({ commit, get }) => ({
    commit: (parts) =>
      commit(
        parts.map(({ conditions, puts, deletes }) => ({
          conditions: conditions.map(([key, value]) => [change(key), value]),
          puts: puts.map(([key, value]) => [change(key), value]),
          deletes: deletes.map(change),
        })),
      ),
    get: (keys) => get(keys.map(change)),
  });

/** Decides the conditions of a part in one turn, and writes it in a later one. */
const decidingEarly: Plant = ({ commit, get }) => ({
  async commit(parts) {
    const answers: boolean[] = [];
    for (const { conditions, puts, deletes } of parts) {
      const found = await get(conditions.map(([key]) => key));
      const isDue = conditions.every(([, value], place) => found[place] === value);
      answers.push(isDue);
      if (isDue) await commit([{ conditions: [], puts, deletes }]);
    }
    return answers;
  },
});

/** Writes each put in a transaction of its own. */
const onePutEach: Plant = ({ commit }) => ({
  async commit(parts) {
    const answers = await commit(parts.map((part) => ({ ...part, puts: [], deletes: [] })));
    for (const [place, { puts, deletes }] of parts.entries()) {
      if (answers[place] !== true) continue;
      for (const put of puts) await commit([{ conditions: [], puts: [put], deletes: [] }]);
      await commit([{ conditions: [], puts: [], deletes }]);
    }
    return answers;
  },
});

/** Checks the conditions of the first transaction's state only: what a handle has read of a key stays so for it. */
const remembering: Plant = ({ get, commit }) => {
  const seen = new Map<string, string | undefined>();
  return {
    async get(keys) {
      const found = await get(keys);
      return keys.map((key, place) => {
        if (!seen.has(key)) seen.set(key, found[place]);
        return seen.get(key);
      });
    },
    async commit(parts) {
      const answers = await commit(parts);
      for (const [place, { puts }] of parts.entries())
        if (answers[place] === true) for (const [key, value] of puts) seen.set(key, value);
      return answers;
    },
  };
};

/** Answers before it writes. What is left to write when the handle is closed is lost. */
const late: Plant = ({ commit }) => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async commit(parts) {
      last = last
        .then(() => new Promise((resolve) => void setImmediate(resolve)))
        .then(() => commit(parts))
        .catch(() => undefined);
      return parts.map(() => true);
    },
  };
};

const conditionsOf = (
  parts: readonly CommitPart[],
  change: (part: CommitPart) => CommitPart["conditions"],
): readonly CommitPart[] => parts.map((part) => ({ ...part, conditions: change(part) }));

const transactionFaults: readonly PlantedFault<StorageSubject>[] = [
  planted(
    "loses a delete",
    ["a part writes all", "journals of many shards", "a commit is durable"],
    committing(({ deletes, ...part }) => ({ ...part, deletes: deletes.slice(1) })),
  ),
  planted(
    "loses the last put",
    ["a part writes all"],
    committing(({ puts, ...part }) => ({ ...part, puts: puts.length > 1 ? puts.slice(0, -1) : puts })),
  ),
  planted("answers true for a part that it left out", ["a part of which"], ({ commit }) => ({
    commit: async (parts) => (await commit(parts)).map(() => true),
  })),
  planted("writes the puts of a part that is left out", ["a part of which"], ({ commit }) => ({
    async commit(parts) {
      const answers = await commit(parts);
      await commit(conditionsOf(parts, () => []));
      return answers;
    },
  })),
  planted("leaves all parts out if one is", ["a part of which", "400 parts"], ({ commit }) => ({
    async commit(parts) {
      const answers = await commit(parts.map((part) => ({ ...part, puts: [], deletes: [] })));
      return answers.includes(false) ? answers.map(() => false) : await commit(parts);
    },
  })),
  planted(
    "rejects if a condition does not hold",
    ["a part of which", "exactly one is written"],
    ({ commit }) => ({
      async commit(parts) {
        const answers = await commit(parts);
        if (answers.includes(false)) throw new Error("conflict");
        return answers;
      },
    }),
  ),
  planted("checks the first condition of a part only", ["a part of which"], ({ commit }) => ({
    commit: (parts) => commit(conditionsOf(parts, ({ conditions }) => conditions.slice(0, 1))),
  })),
  planted(
    "ignores the condition that a key is absent",
    ["a condition holds if", "is written once", "exactly one is written"],
    ({ commit }) => ({
      commit: (parts) =>
        commit(
          conditionsOf(parts, ({ conditions }) => conditions.filter(([, value]) => value !== undefined)),
        ),
    }),
  ),
  planted("takes any value for the one of a condition", ["a condition holds if"], ({ commit, get }) => ({
    async commit(parts) {
      const keys = parts.flatMap(({ conditions }) => conditions.map(([key]) => key));
      const found = await get(keys);
      const values = new Map(keys.map((key, place) => [key, found[place]]));
      return await commit(
        conditionsOf(parts, ({ conditions }) =>
          conditions.map(([key, value]) => [key, value === undefined ? value : (values.get(key) ?? value)]),
        ),
      );
    },
  })),
  planted("takes the empty text for an absent key", ["a condition holds if"], ({ commit, get }) => ({
    async commit(parts) {
      const [empty] = await get(["empty"]);
      return await commit(
        conditionsOf(parts, ({ conditions }) =>
          conditions.map(([key, value]) => [key, key === "empty" ? (value ?? empty) : value]),
        ),
      );
    },
  })),
  planted("keeps the first value of a key", ["a put replaces"], ({ commit, get }) => ({
    async commit(parts) {
      const keys = parts.flatMap(({ puts }) => puts.map(([key]) => key));
      const found = await get(keys);
      const isNew = (key: string): boolean => found[keys.indexOf(key)] === undefined;
      return await commit(parts.map((part) => ({ ...part, puts: part.puts.filter(([key]) => isNew(key)) })));
    },
  })),
  planted("never puts a name again that was deleted", ["is written once"], ({ commit }) => {
    const deleted = new Set<string>();
    return {
      async commit(parts) {
        for (const part of parts) for (const key of part.deletes) deleted.add(key);
        const isDead = (part: CommitPart): boolean => part.puts.some(([key]) => deleted.has(key));
        const answers = await commit(parts.filter((part) => !isDead(part)));
        return parts.map((part) => !isDead(part) && answers[0] === true);
      },
    };
  }),
  planted("refuses a delete of an absent key", ["a delete of an absent key"], ({ commit, get }) => ({
    async commit(parts) {
      const found = await get(parts.flatMap(({ deletes }) => deletes));
      return found.includes(undefined) ? parts.map(() => false) : await commit(parts);
    },
  })),
  planted("deletes by a prefix", ["a delete of an absent key"], ({ commit, range }) => ({
    async commit(parts) {
      const below = async (key: string): Promise<readonly string[]> => {
        const [entries = []] = await range([{ from: key, before: `${key}~`, limit: 9_999 }]);
        return entries.map(([found]) => found);
      };
      const wider = parts.map(async (part) => ({
        ...part,
        deletes: (await Promise.all(part.deletes.map(below))).flat(),
      }));
      return await commit(await Promise.all(wider));
    },
  })),
  planted("answers only for parts with writes", ["a transaction without parts"], ({ commit }) => ({
    commit: (parts) => commit(parts.filter(({ puts, deletes }) => puts.length + deletes.length > 0)),
  })),
  planted("answers in the order of the keys", ["400 parts"], ({ commit }) => ({
    commit: (parts) =>
      commit(parts.toSorted((a, b) => ((a.puts[0]?.[0] ?? "") < (b.puts[0]?.[0] ?? "") ? -1 : 1))),
  })),
  planted("takes at most 256 parts", ["400 parts"], ({ commit }) => ({
    commit: async (parts) => [...(await commit(parts.slice(0, 256))), ...parts.slice(256).map(() => true)],
  })),
  planted(
    "writes at most 4,096 puts of a part",
    ["5,000 puts"],
    committing((part) => ({ ...part, puts: part.puts.slice(0, 4_096) })),
  ),
];

const concurrencyFaults: readonly PlantedFault<StorageSubject>[] = [
  planted(
    "decides before it writes",
    ["exactly one is written", "loses no step", "several handles"],
    decidingEarly,
  ),
  planted("writes the puts of a part one by one", ["not a mixture"], onePutEach),
  planted("keeps answers of get", ["several handles"], remembering),
  planted("resolves before it writes", ["get and range see", "was under way"], late),
  planted("a clock with parts of milliseconds", ["whole milliseconds"], () => ({
    clock: async () => ({ nowMs: 1.5 }),
  })),
  planted("a clock in seconds for one handle", ["whole milliseconds"], ({ clock: sound }) => {
    const isSeconds = ticks++ % 2 === 0;
    return {
      async clock() {
        const { nowMs = 0 } = (await sound?.()) ?? {};
        ticks += 2;
        return { nowMs: isSeconds ? Math.floor(nowMs / 1_000) : nowMs };
      },
    };
  }),
  {
    fault: "a clock in spite of shared: false",
    breaks: ["not shared has no clock"],
    subject: storageSubject("a clock", () => ({ clock: async () => ({ nowMs: 1 }) }), {
      durable: true,
      shared: false,
    }),
  },
];

const byLocale = new Intl.Collator("en").compare;
const locally = ranging(
  (range) => ({ ...range, limit: 1e9, reverse: false }),
  (entries, { limit, reverse = false }) => {
    const sorted = entries.toSorted(([a], [b]) => byLocale(a, b));
    return (reverse ? sorted.toReversed() : sorted).slice(0, limit);
  },
);

const rangeFaults: readonly PlantedFault<StorageSubject>[] = [
  planted(
    "leaves the key `from` out",
    ["a range has the keys"],
    ranging((range) => ({ ...range, from: `${range.from} ` })),
  ),
  planted(
    "includes the key `before`",
    ["a range has the keys", "walk over all"],
    ranging((range) => ({ ...range, before: `${range.before} ` })),
  ),
  planted(
    "exchanges bounds that are exchanged",
    ["a range without keys"],
    ranging((range) =>
      range.from > range.before ? { ...range, from: range.before, before: range.from } : range,
    ),
  ),
  planted("undefined for a range without keys", ["a range without keys"], ({ range }) => ({
    range: async (ranges) =>
      (await range(ranges)).map((entries) => (entries.length === 0 ? undefined : entries)) as never,
  })),
  planted("orders keys by a locale", ["ordered by their bytes"], locally),
  planted(
    "reorders a range",
    ["ordered by their bytes", "walk over all"],
    ranging(
      (range) => range,
      (entries) => [...entries.slice(1), ...entries.slice(0, 1)],
    ),
  ),
  planted(
    "ignores reverse",
    ["falls from its last key", "several ranges"],
    ranging((range) => ({ ...range, reverse: false })),
  ),
  planted(
    "reverses after the limit",
    ["falls from its last key"],
    ranging(
      (range) => ({ ...range, reverse: false }),
      (entries, { reverse }) => (reverse === true ? entries.toReversed() : entries),
    ),
  ),
  planted(
    "ignores the limit",
    ["at most `limit` entries", "walk over all"],
    ranging((range) => ({ ...range, limit: 1e9 })),
  ),
  planted(
    "one entry more than the limit",
    ["at most `limit` entries"],
    ranging((range) => ({ ...range, limit: range.limit + 1 })),
  ),
  planted("one limit for all ranges", ["several ranges"], ({ range }) => ({
    range: (ranges) => range(ranges.map((one) => ({ ...one, limit: ranges[0]?.limit ?? one.limit }))),
  })),
  planted("no list for an empty range", ["several ranges"], ({ range }) => ({
    range: async (ranges) => (await range(ranges)).filter((entries) => entries.length > 0),
  })),
  planted("a range ends after its first page", ["walk over all"], ({ range }) => {
    const ended = new Set<string>();
    return {
      async range(ranges) {
        const found = await range(ranges);
        return found.map((entries, place) => {
          const { before } = ranges[place] as KeyRange;
          if (ended.has(before)) return [];
          if (entries.length >= 512) ended.add(before);
          return entries;
        });
      },
    };
  }),
  planted("skips what is too large for a page", ["a page of large values"], ({ range }) => ({
    range: async (ranges) =>
      (await range(ranges)).map((entries) => entries.filter(([, { length }]) => length < 500_000)),
  })),
  planted("an empty page if the first value is too large", ["a page of large values"], ({ range }) => ({
    range: async (ranges) =>
      (await range(ranges)).map((entries) => ((entries[0]?.[1].length ?? 0) > 500_000 ? [] : entries)),
  })),
  planted("deletes the journals of all shards", ["journals of many shards"], ({ commit, range }) => ({
    async commit(parts) {
      const isJournal = parts.some(({ deletes }) => deletes.some((key) => key.startsWith("log ")));
      const [entries = []] = await range([{ from: "log ", before: "log ~", limit: isJournal ? 100 : 1 }]);
      const keys = entries.map(([key]) => key);
      return await commit(parts.map((part) => (isJournal ? { ...part, deletes: keys } : part)));
    },
  })),
];

const textFaults: readonly PlantedFault<StorageSubject>[] = [
  planted("get leaves absent keys out", ["get returns one value"], ({ get }) => ({
    get: async (keys) => (await get(keys)).filter((value) => value !== undefined),
  })),
  planted("get in the order of the keys", ["get returns one value"], ({ get }) => ({
    get: (keys) => get(keys.toSorted()),
  })),
  planted("null for an absent key", ["get returns one value"], ({ get }) => ({
    get: async (keys) => (await get(keys)).map((value) => value ?? null) as never,
  })),
  planted(
    "keys without case",
    ["from space to", "get returns one value"],
    keying((key) => key.toLowerCase()),
  ),
  planted(
    "trims keys",
    ["from space to"],
    keying((key) => key.trim()),
  ),
  planted(
    "an index over 255 characters of a key",
    ["keys of 1,000 characters"],
    keying((key) => key.slice(0, 255)),
  ),
  planted(
    "drops empty values",
    ["the empty text is a value", "a commit is durable"],
    committing((part) => ({
      ...part,
      puts: part.puts.filter(([, value]) => value !== ""),
      deletes: [...part.deletes, ...part.puts.filter(([, value]) => value === "").map(([key]) => key)],
    })),
  ),
  planted("undefined for an empty value", ["the empty text is a value"], ({ get }) => ({
    get: async (keys) => (await get(keys)).map((value) => value || undefined),
  })),
  planted(
    "normalises values",
    ["every character of Unicode"],
    storing((value) => value.normalize("NFC")),
  ),
  planted(
    "one kind of line end",
    ["every character of Unicode"],
    storing((value) => value.replaceAll("\r\n", "\n")),
  ),
  planted(
    "16 bits per character",
    ["every character of Unicode"],
    storing((value) => value.replace(/[\u{10000}-\u{10ffff}]/gu, "\ufffd")),
  ),
  planted(
    "skips a mark of the byte order",
    ["every character of Unicode"],
    storing(
      (value) => value,
      (value) => value.replace(/^\ufeff/, ""),
    ),
  ),
  planted(
    "reads values as JSON",
    ["every character of Unicode"],
    storing(
      (value) => value,
      (value) => (value === "null" ? "" : value),
    ),
  ),
  planted(
    "cuts large values",
    ["of a megabyte", "a page of large values"],
    storing((value) => value.slice(0, 65_536)),
  ),
  planted(
    "counts bytes as characters",
    ["of a megabyte"],
    storing((value) =>
      value.length > 300_000 ? Buffer.from(value).subarray(0, 1_000_000).toString() : value,
    ),
  ),
];

const withoutDurability = (plant: Plant): StorageSubject =>
  storageSubject("kept", plant, { durable: false, shared: false });
const common = createMemoryDisk();
const opened = createMemoryDisk();

const lifetimeFaults: readonly PlantedFault<StorageSubject>[] = [
  planted("nothing is durable", ["a commit is durable"], () => createMemoryStorage()),
  {
    fault: "durable in spite of durable: false",
    breaks: ["begins empty"],
    subject: withoutDurability(() => {
      const { clock: _none, ...stored } = createMemoryStorage({ disk: opened });
      return stored;
    }),
  },
  {
    fault: "all places are one",
    breaks: ["two places share no key"],
    subject: storageSubject(
      "one place",
      () => ({}),
      { durable: true, shared: true },
      () => common,
    ),
  },
  planted("goes on after close", ["every call after close"], () => ({ close: async () => {} })),
  planted("answers emptily after close", ["every call after close"], ({ range, close }) => {
    let isClosed = false;
    return {
      range: async (ranges) => (isClosed ? ranges.map(() => []) : await range(ranges)),
      async close() {
        isClosed = true;
        await close();
      },
    };
  }),
];

/** Drivers with a fault each. */
export const faults: readonly PlantedFault<StorageSubject>[] = [
  ...[...transactionFaults, ...concurrencyFaults],
  ...[...rangeFaults, ...textFaults, ...lifetimeFaults],
];
