import type { JournalRecord } from "../../../src/model/index.ts";
import type { AppendOutcome, OrderStore, ShardAppend } from "../../../src/ports/index.ts";
import { encodeRecord } from "../../../src/wire/index.ts";
import { type PlantedStore, planted, type StoreFault, someTurns, withParts } from "./faulty-place.ts";

type Rounds = Map<number, number>;
type Round = Parameters<OrderStore["fence"]>[0];

/** How a store treats rounds, as far as it differs from the rules. */
type RoundFault = Readonly<{
  raise?: (rounds: Rounds, round: Round, epoch: number) => void;
  accepts?: (part: ShardAppend, round: number) => boolean;
  keepsRounds?: boolean;
}>;

/** Replaces the rounds of the memory store by others that obey the rules except for the fault. */
function withRounds(fault: RoundFault): StoreFault {
  const raise =
    fault.raise ??
    ((rounds, { shard, epoch, round }, owner) => {
      if (epoch === owner) rounds.set(shard, Math.max(rounds.get(shard) ?? 0, round));
    });
  const accepts = fault.accepts ?? (({ round }, now) => round === now);
  return () => {
    const rounds: Rounds = new Map();
    return (store) => ({
      async acquire() {
        if (fault.keepsRounds !== true) rounds.clear();
        return await store.acquire();
      },
      fence: async (round) => raise(rounds, round, (await store.head(round.shard)).epoch),
      append: (batch) =>
        store.append(
          withParts(batch, (part) => {
            const isDue = accepts(part, rounds.get(part.shard) ?? 0);
            return { ...part, round: isDue ? 0 : -1 };
          }),
        ),
    });
  };
}

const roundFaults = [
  planted(
    "appends of any round are written",
    ["an append of an earlier round is fenced", "a round that has not begun"],
    withRounds({ accepts: () => true }),
  ),
  planted(
    "the round of a part without records is not compared",
    ["a part without records needs the round"],
    withRounds({ accepts: ({ records, round }, now) => records.length === 0 || round === now }),
  ),
  planted(
    "a late fence lowers the round",
    ["an earlier one that arrives late, change nothing"],
    withRounds({ raise: (rounds, { shard, round }) => rounds.set(shard, round) }),
  ),
  planted(
    "a higher round than that of the shard is accepted",
    ["a round that has not begun"],
    withRounds({ accepts: ({ round }, now) => round >= now }),
  ),
  planted(
    "a fence of another epoch raises the round",
    ["the round of an epoch that does not own the shard"],
    withRounds({ raise: (rounds, { shard, round }) => rounds.set(shard, round) }),
  ),
  planted("a takeover keeps the rounds", ["an epoch begins with round 0"], withRounds({ keepsRounds: true })),
  planted(
    "an append takes the place of the one under way",
    ["appends of different shards that are under way at once"],
    () => {
      let newest: object | undefined;
      return (store) => ({
        async append(batch) {
          newest = batch;
          await someTurns();
          return newest === batch ? await store.append(batch) : batch.shards.map(() => "fenced");
        },
      });
    },
  ),
  planted(
    "an append under way becomes durable after the answer to the fence",
    ["the result of an append from before the round is certain"],
    () => (store) => ({
      fence: async () => {},
      async append(batch) {
        await someTurns();
        return await store.append(withParts(batch, (part) => ({ ...part, round: 0 })));
      },
    }),
  ),
];

/** Writes the rows of parts that were fenced, under the epoch that owns their shard. */
async function writeFencedRows(
  store: OrderStore,
  shards: readonly ShardAppend[],
  outcomes: readonly AppendOutcome[],
): Promise<void> {
  const fenced = shards.filter((_, place) => outcomes[place] === "fenced");
  for (const part of fenced) {
    const { epoch } = await store.head(part.shard);
    await store.append({ shards: [{ ...part, epoch, records: [] }] });
  }
}

const ownershipFaults = [
  planted(
    "acquire returns the heads in the order of their texts",
    ["acquire takes every shard over"],
    () => (store) => ({
      acquire: async () =>
        [...(await store.acquire())].sort((a, b) => (`${a.shard}` < `${b.shard}` ? -1 : 1)),
    }),
  ),
  planted(
    "the epoch of a part is not compared",
    ["an append with an old epoch", "of two handles on one store"],
    () => (store) => ({
      async append(batch) {
        const heads = await store.head(0);
        return await store.append(withParts(batch, (part) => ({ ...part, epoch: heads.epoch })));
      },
    }),
  ),
  planted("a handle remembers the epoch that it acquired", ["of two handles on one store"], () => (store) => {
    let own: number | undefined;
    return {
      async acquire() {
        const heads = await store.acquire();
        own = heads[0]?.epoch;
        return heads;
      },
      async head(shard) {
        const head = await store.head(shard);
        return { ...head, epoch: own ?? head.epoch };
      },
    };
  }),
  planted("an append takes a shard without an owner over", ["a shard without an owner"], () => (store) => ({
    async append(batch) {
      if ((await store.head(0)).epoch === 0) await store.acquire();
      return await store.append(batch);
    },
  })),
  planted("a shard that does not exist is empty", ["a shard that does not exist"], () => (store) => ({
    head: async (shard) => (shard > 255 ? { shard, epoch: 0, sequence: 0 } : await store.head(shard)),
  })),
];

/** Answers "durable" for parts whose records are already there. */
const repeats: StoreFault = () => (store) => ({
  async append(batch) {
    const [part] = batch.shards;
    const { sequence } = await store.head(part?.shard ?? 0);
    const last = part?.records.at(-1)?.sequence ?? Number.POSITIVE_INFINITY;
    const outcomes = await store.append(batch);
    return last <= sequence || outcomes.length === 1 ? outcomes.map(() => "durable" as const) : outcomes;
  },
});

const orderFaults = [
  planted(
    "records are ordered by the text of their sequence",
    ["records are returned in order"],
    () => (store) => ({
      readRecords: async (range) =>
        [...(await store.readRecords(range))].sort((a, b) => (`${a.sequence}` < `${b.sequence}` ? -1 : 1)),
    }),
  ),
  planted("a page has at most 65,535 characters", ["a record of 400,000 characters"], () => (store) => ({
    async readRecords(range) {
      const records = await store.readRecords(range);
      const tooLong = records.findIndex((record) => encodeRecord(record).length > 65_535);
      return tooLong === -1 ? records : records.slice(0, tooLong);
    },
  })),
  planted("a page begins one record late", ["reading page by page returns every record"], () => (store) => ({
    readRecords: ({ after, ...range }) => store.readRecords({ ...range, after: after === 0 ? 0 : after + 1 }),
  })),
  planted(
    "a page begins with the record at the cursor",
    ["reading page by page returns every record"],
    () => (store) => ({
      readRecords: ({ after, ...range }) => store.readRecords({ ...range, after: Math.max(0, after - 1) }),
    }),
  ),
  planted(
    "texts that come with records are ignored",
    ["texts that come with the records"],
    () => (store) => ({
      append: (batch) => store.append(withParts(batch, ({ texts: _texts, ...part }) => part)),
    }),
  ),
  planted(
    "an append that comes twice is durable twice",
    ["records that do not follow the last one", "of two equal appends at the same time"],
    repeats,
  ),
  planted("records with a gap are renumbered", ["records with a gap inside"], () => (store) => ({
    append: (batch) =>
      store.append(
        withParts(batch, (part) => ({
          ...part,
          records: part.records.map((record, n) => ({
            ...record,
            sequence: (part.records[0]?.sequence ?? 0) + n,
          })),
        })),
      ),
  })),
];

const batchFaults = [
  planted(
    "the rows of a fenced part are written",
    ["an append with an old epoch", "a fenced shard writes nothing", "the lists of a fenced shard"],
    () => (store) => ({
      async append(batch) {
        const outcomes = await store.append(batch);
        await writeFencedRows(store, batch.shards, outcomes);
        return outcomes;
      },
    }),
  ),
  planted(
    "outcomes come in the order of the shards' results",
    ["a fenced shard writes nothing"],
    () => (store) => ({
      append: async (batch) => [...(await store.append(batch))].sort(),
    }),
  ),
  planted(
    "each part is a transaction of its own",
    ["a batch that breaks a rule is refused completely"],
    () => (store) => ({
      async append({ shards, ...rest }) {
        const outcomes: AppendOutcome[] = [];
        if (shards.length === 0) return await store.append({ shards, ...rest });
        for (const part of shards) outcomes.push(...(await store.append({ ...rest, shards: [part] })));
        return outcomes;
      },
    }),
  ),
  planted("a part without records is skipped", ["an empty batch has no effect"], () => (store) => ({
    append: async (batch) =>
      await store.append(
        withParts(batch, (part) =>
          part.records.length === 0 ? { ...part, ended: [], endedLists: [] } : part,
        ),
      ),
  })),
  planted(
    "a handle remembers the heads that it has read",
    ["an append that resolved is read by every handle"],
    () => (store) => {
      const heads = new Map<number, ReturnType<OrderStore["head"]>>();
      return {
        head(shard) {
          const head = heads.get(shard) ?? store.head(shard);
          heads.set(shard, head);
          return head;
        },
      };
    },
  ),
  planted(
    "the store keeps the objects that it was given",
    ["reads are independent of the written objects, and cannot"],
    () => {
      const stored: JournalRecord[] = [];
      return (store) => ({
        append(batch) {
          for (const { records } of batch.shards) stored.push(...records);
          return store.append(batch);
        },
        readRecords: async () => stored,
      });
    },
  ),
];

/** Faults of ownership, rounds and the journal. */
export const journalFaults: readonly PlantedStore[] = [
  ...ownershipFaults,
  ...roundFaults,
  ...orderFaults,
  ...batchFaults,
];
