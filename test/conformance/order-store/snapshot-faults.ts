import { Price } from "../../../src/decimal/index.ts";
import type { MarketMark, StoredQuote } from "../../../src/model/index.ts";
import type { AppendBatch, OrderStore, ShardSnapshot } from "../../../src/ports/index.ts";
import { type PlantedStore, planted, type StoreFault, someTurns } from "./faulty-place.ts";

/** Replaces the snapshots of the memory store by those that `write` puts into a variable of the place. */
function withSnapshots(
  write: (put: (snapshot: ShardSnapshot) => void, snapshot: ShardSnapshot) => Promise<void> | void,
): StoreFault {
  return () => {
    let stored: ShardSnapshot | undefined;
    const put = (snapshot: ShardSnapshot): void => {
      stored = snapshot;
    };
    return () => ({
      readSnapshot: async (shard) => (shard === stored?.shard ? stored : undefined),
      writeSnapshot: async (snapshot) => write(put, snapshot),
    });
  };
}

const writtenWhole = withSnapshots((put, snapshot) => put(snapshot));

const snapshotFaults = [
  planted("a snapshot has room for 128 parents", ["a snapshot of any size"], () => (store) => ({
    writeSnapshot: (snapshot, writing) =>
      store.writeSnapshot({ ...snapshot, parents: snapshot.parents.slice(0, 128) }, writing),
  })),
  planted(
    "every snapshot replaces the one before, whatever its sequence, and in one long turn",
    [
      "a later one replaces it, an earlier one does not",
      "one that is ahead of its journal",
      "a long one lets other work run",
    ],
    writtenWhole,
  ),
  planted("a snapshot is compared before it is written", ["one that began before a later one"], () => {
    const stored = new Map<number, ShardSnapshot>();
    return (store) => ({
      readSnapshot: async (shard) => stored.get(shard),
      async writeSnapshot(snapshot) {
        const isNewest = snapshot.sequence >= (stored.get(snapshot.shard)?.sequence ?? 0);
        await store.writeSnapshot(snapshot);
        if (isNewest) stored.set(snapshot.shard, snapshot);
      },
    });
  }),
  planted(
    "a snapshot drops those of all shards",
    ["every shard has a snapshot of its own"],
    withSnapshots((put, snapshot) => put(snapshot)),
  ),
  planted(
    "a snapshot is readable while it is written",
    ["a snapshot is never half visible"],
    withSnapshots(async (put, snapshot) => {
      put({ ...snapshot, parents: snapshot.parents.slice(0, 100) });
      await someTurns();
      put(snapshot);
    }),
  ),
  planted("records before a snapshot are deleted", ["the journal stays complete"], () => (store) => ({
    async readRecords(range) {
      const snapshot = await store.readSnapshot(range.shard);
      return await store.readRecords({ ...range, after: Math.max(range.after, snapshot?.sequence ?? 0) });
    },
  })),
  planted(
    "a snapshot gets the sequence at its end",
    ["appends continue while one is written"],
    () => (store) => ({
      async writeSnapshot(snapshot) {
        await someTurns();
        const { sequence } = await store.head(snapshot.shard);
        await store.writeSnapshot({ ...snapshot, sequence });
      },
    }),
  ),
  planted("snapshots report no progress", ["a long one reports progress"], () => (store) => ({
    writeSnapshot: (snapshot) => store.writeSnapshot(snapshot),
    readSnapshot: (shard) => store.readSnapshot(shard),
  })),
  planted(
    "progress is reported and declared as absent",
    ["a store without progress never reports any"],
    () => () => ({}),
    { progress: false },
  ),
  planted("snapshots are kept in the handle", ["everything durable exists for the next handle"], () => () => {
    let stored: ShardSnapshot | undefined;
    return {
      readSnapshot: async () => stored,
      writeSnapshot: async (snapshot) => {
        stored = snapshot;
      },
    };
  }),
  planted(
    "client ids are indexed in the process",
    ["their client ids are still taken"],
    () => (store, handle) => ({
      findEnded: async (key) => (handle === 0 || "orderId" in key ? await store.findEnded(key) : undefined),
    }),
  ),
  planted("a closed store reads no marks", ["a closed store answers with an error"], () => (store) => {
    let isClosed = false;
    return {
      readMarks: async (shards) => (isClosed ? [] : await store.readMarks(shards)),
      async close() {
        isClosed = true;
        await store.close();
      },
    };
  }),
];

/** Lets every handle write the market journal, as the latest owner would. */
/** A batch with other marks. */
function withMarks(
  batch: AppendBatch,
  change: (marks: readonly MarketMark[]) => readonly MarketMark[],
): AppendBatch {
  return { ...batch, shards: batch.shards.map((part) => ({ ...part, marks: change(part.marks ?? []) })) };
}

const anyOwner: StoreFault = () => {
  let owner: OrderStore | undefined;
  return (store) => ({
    async acquire() {
      owner = store;
      return await store.acquire();
    },
    async append({ shards, ...market }) {
      const outcomes = shards.length === 0 ? [] : await store.append({ shards });
      await owner?.append({ ...market, shards: [] });
      return outcomes;
    },
    deleteMarks: async (marks) => await owner?.deleteMarks(marks),
    deleteVolume: async (cutoff) => await owner?.deleteVolume(cutoff),
  });
};

const placeOf = ({ shard, position }: MarketMark): string => `${shard} ${position}`;

const asDouble = (price: Price): Price => Number(price) as unknown as Price;

const marketFaults = [
  planted(
    "marks are ordered by the text of their position",
    ["marks are returned by symbol"],
    () => (store) => ({
      readMarks: async (shards) =>
        [...(await store.readMarks(shards))].sort((a, b) =>
          `${a.symbol} ${a.side} ${a.position}` < `${b.symbol} ${b.side} ${b.position}` ? -1 : 1,
        ),
    }),
  ),
  planted("prices of marks are read as doubles", ["marks are returned by symbol"], () => (store) => ({
    readMarks: async (shards) =>
      (await store.readMarks(shards)).map((mark): MarketMark => ({ ...mark, price: asDouble(mark.price) })),
  })),
  planted("marks are read of all shards", ["marks of some shards are those of these"], () => (store) => ({
    readMarks: () => store.readMarks(),
  })),
  planted("no shard stands for all", ["marks of some shards are those of these"], () => (store) => ({
    readMarks: (shards) => store.readMarks(shards?.length === 0 ? undefined : shards),
  })),
  planted("a mark that exists stays", ["a mark with a position that exists in its shard"], () => (store) => ({
    async append(batch) {
      const taken = new Set((await store.readMarks()).map(({ position }) => position));
      return await store.append(
        withMarks(batch, (marks) => marks.filter(({ position }) => !taken.has(position))),
      );
    },
  })),
  planted(
    "marks are kept whatever becomes of their part",
    ["an earlier owner neither adds nor drops marks", "marks of an earlier round"],
    () => {
      const stored = new Map<string, MarketMark>();
      return (store) => ({
        append(batch) {
          for (const { marks = [] } of batch.shards)
            for (const mark of marks) stored.set(`${mark.shard} ${mark.position}`, mark);
          return store.append(withMarks(batch, () => []));
        },
        readMarks: async () => [...stored.values()],
      });
    },
  ),
  planted("the database returns 1000 rows at most", ["all marks and all last quotes"], () => (store) => ({
    readMarks: async (shards) => (await store.readMarks(shards)).slice(0, 1_000),
  })),
  planted("marks have no market in their key", ["marks of other markets and of the other side"], () => {
    const newest = new Map<string, MarketMark>();
    return (store) => ({
      append(batch) {
        for (const mark of batch.shards.flatMap(({ marks = [] }) => marks)) newest.set(placeOf(mark), mark);
        return store.append(batch);
      },
      readMarks: async (shards) =>
        (await store.readMarks(shards)).filter((mark) => {
          const { symbol, side } = newest.get(placeOf(mark)) ?? mark;
          return symbol === mark.symbol && side === mark.side;
        }),
    });
  }),
  planted(
    "marks are dropped by shard and position",
    ["marks of other markets and of the other side"],
    () => (store) => ({
      async deleteMarks(marks) {
        const places = new Set(marks.map(placeOf));
        await store.deleteMarks((await store.readMarks()).filter((mark) => places.has(placeOf(mark))));
      },
    }),
  ),
  planted("marks are dropped by symbol", ["dropped marks are gone"], () => (store) => ({
    async deleteMarks(marks) {
      const symbols = new Set(marks.map(({ symbol }) => symbol));
      await store.deleteMarks((await store.readMarks()).filter(({ symbol }) => symbols.has(symbol)));
    },
  })),
  planted(
    "every handle writes the market journal",
    [
      "an earlier owner writes no quotes",
      "an earlier owner of the market journal adds no volume",
      "a handle that never took the store over",
    ],
    anyOwner,
  ),
  planted("quotes are read as decimal texts", ["the last quote of each market is stored"], () => (store) => ({
    readQuotes: async () =>
      (await store.readQuotes()).map(
        (quote): StoredQuote => ({ ...quote, ask: Price.format(quote.ask) as unknown as Price }),
      ),
  })),
  planted("quotes are kept in the handle", ["quotes are written with the records"], () => (store) => {
    const stored = new Map<string, StoredQuote>();
    return {
      append({ quotes = [], ...batch }) {
        for (const quote of quotes) stored.set(quote.symbol, quote);
        return store.append(batch);
      },
      readQuotes: async () => [...stored.values()],
    };
  }),
  planted("positions have 32 bits", ["ids, counters and times beyond 32 bits"], () => (store) => ({
    append: (batch) =>
      store.append(
        withMarks(batch, (marks) => marks.map((mark) => ({ ...mark, position: mark.position | 0 }))),
      ),
  })),
  planted(
    "snapshots have no column for the child in flight",
    ["every member of a parent and of a record"],
    () => (store) => ({
      async readSnapshot(shard, reading) {
        const snapshot = await store.readSnapshot(shard, reading);
        const parents = snapshot?.parents.map(({ child: _child, ...parent }) => parent) ?? [];
        return snapshot && { ...snapshot, parents };
      },
    }),
  ),
  planted("amounts of records become texts", ["amounts of records come back exactly"], () => (store) => ({
    async readRecords(range) {
      const records = await store.readRecords(range);
      const textOf = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value);
      return JSON.parse(JSON.stringify(records, textOf));
    },
  })),
];

/** Faults of snapshots, the market journal and the end of a handle. */
export const snapshotAndMarketFaults: readonly PlantedStore[] = [...snapshotFaults, ...marketFaults];
