import { holds, refused, same } from "../../../src/conformance/checks.ts";
import { type JournalRecord, SHARD_COUNT } from "../../../src/model/index.ts";
import type { OrderStore, TailRange } from "../../../src/ports/index.ts";
import { every } from "./lease-rules.ts";
import { part, sampleRecords } from "./samples.ts";
import { rulesFor, type StoreRules } from "./world.ts";

const where = { leases: true } as const;

const fromStart = (): number[] => Array.from({ length: SHARD_COUNT }, () => 0);

const tailOf = async ({ leases }: OrderStore, range: TailRange): Promise<readonly JournalRecord[]> =>
  (await leases?.tail(range)) ?? [];

/** Appends the records 1 to 5 of three shards. */
async function appendSome(store: OrderStore): Promise<readonly JournalRecord[]> {
  const records = [0, 9, 255].map((shard) => sampleRecords(shard, 1, 5));
  await store.append({
    shards: records.map((of, place) => part([0, 9, 255][place] ?? 0, 1, { records: of })),
  });
  return records.flat();
}

const byShard = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  [...records].sort((a, b) => a.shard - b.shard);

/** Rules of the records that nodes follow. */
export const tail: StoreRules = rulesFor(where)({
  async "the heads of all shards are those that `head` returns for each"({ store }) {
    await appendSome(store);
    const each = await Promise.all(fromStart().map((_, shard) => store.head(shard)));
    const heads = [...((await store.leases?.heads()) ?? [])];
    same(
      "heads()",
      heads.sort((a, b) => a.shard - b.shard),
      each,
    );
  },

  async "the tail has the records of all shards after their positions, each shard's in sequence"({ store }) {
    const after = fromStart();
    same("tail of an empty store", await tailOf(store, { after, limit: 99 }), []);
    const records = await appendSome(store);
    same("tail from the start", byShard(await tailOf(store, { after, limit: 99 })), records);
    [after[0], after[9]] = [5, 3];
    const rest = records.filter(({ shard, sequence }) => sequence > (after[shard] ?? 0));
    same("tail after some positions", byShard(await tailOf(store, { after, limit: 99 })), rest);
  },

  async "a tail has at most `limit` records, and is empty only when there are none"({ store }) {
    const records = await appendSome(store);
    for (const limit of [1, 2, 4, 7, 99]) {
      const after = fromStart();
      const read: JournalRecord[] = [];
      while (read.length <= records.length) {
        const page = await tailOf(store, { after, limit });
        holds(`tail, limit ${limit}`, page.length <= limit, `at most ${limit} records`, page.length);
        if (page.length === 0) break;
        for (const record of page) {
          same(
            `place of record ${record.sequence} in shard ${record.shard}`,
            after[record.shard],
            record.sequence - 1,
          );
          after[record.shard] = record.sequence;
          read.push(record);
        }
      }
      same(`all tails, limit ${limit}`, byShard(read), records);
    }
  },

  async "a tail shows what another handle has appended and what a claim has ended"({ store, open }) {
    const reader = await open();
    same("tail before the append", await tailOf(reader, { after: fromStart(), limit: 99 }), []);
    const records = await appendSome(store);
    const node = await reader.leases?.join({
      ...{ name: "b", address: "", version: "", format: 1, kinds: [], ttlMs: 10_000 },
    });
    await reader.leases?.claim(every(node?.incarnation ?? 0));
    same("tail after a claim", byShard(await tailOf(reader, { after: fromStart(), limit: 99 })), records);
  },

  async "I71: leases of a closed store answer with an error"({ store, close }) {
    const { leases } = store;
    await close(store);
    await refused("nodes after close", async () => await leases?.nodes());
    await refused("renew after close", async () => await leases?.renew({ incarnation: 1, state: "active" }));
    await refused("bury after close", async () => await leases?.retire({ incarnation: 1, beat: 0 }));
    await refused("claim after close", async () => await leases?.claim(every(1)));
    await refused("assign after close", async () => await leases?.assign({ shards: [1] }));
    await refused("heads after close", async () => await leases?.heads());
    await refused("tail after close", async () => await leases?.tail({ after: fromStart(), limit: 1 }));
  },
});
