import { describe, expect, it } from "vitest";
import { journalLifetime } from "../../../src/adapters/postgres/forgetting.ts";
import {
  type LeavingRecord,
  openPostgresStore,
  type PostgresJournalOptions,
  type PostgresStore,
} from "../../../src/adapters/postgres/index.ts";
import { Owner } from "../../../src/adapters/postgres/owner.ts";
import { endedOrder, openOrder, part, sampleRecord } from "../../store/rules/samples.ts";
import { always, BEFORE, ended, fill, idOf, kept, recordsOf, SHARD } from "../forgetting-samples.ts";
import type { Place, Places } from "./places.ts";

const open = (
  { options }: Place,
  journal: PostgresJournalOptions = { forget: true },
): Promise<PostgresStore> => openPostgresStore({ ...options, journal });

const rowsOf = async (store: PostgresStore): Promise<readonly number[]> =>
  (await store.readEnded({ shard: SHARD, afterOrderId: 0, limit: 99 })).map(({ orderId }) => orderId);

/** Declares the tests of forgetting that the suite of stores does not have. */
export function forgettingCases(places: Places): void {
  const at = async (
    journal: PostgresJournalOptions,
    test: (store: PostgresStore, place: Place) => unknown,
  ) => {
    const place = places.create();
    const store = await open(place, journal);
    await test(store, place);
    await store.close();
    await place.remove();
  };
  const leftovers = async ({ schema }: Place): Promise<readonly (string | null | undefined)[]> =>
    (await places.execute(`SELECT sequence FROM ${schema}.leftover WHERE shard = ${SHARD}`)).map(
      ([one]) => one,
    );

  describe("decision XA: records leave with their orders", () => {
    it("the archive has the text of every record before it is deleted", () => {
      const archived = new Map<number, string>();
      const archive: PostgresJournalOptions["archive"] = async (records) => {
        for (const { shard, sequence, text } of records) archived.set(sequence, `${shard} ${text}`);
      };
      return at({ forget: true, archive }, async (store) => {
        await fill(store);
        const records = await store.readRecords({ shard: SHARD, after: 0, limit: 99 });
        await store.forgetEnded?.(BEFORE, always);
        expect(await kept(store)).toEqual([2, 10, 12]);
        expect([...archived.keys()].sort((a, b) => a - b)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 11]);
        for (const [sequence, text] of archived)
          expect(JSON.parse(text.slice(2))).toMatchObject({ record: { shard: SHARD, sequence } });
        expect(records).toHaveLength(12);
      });
    });

    it("nothing is deleted if the archive rejects", () =>
      at({ forget: true, archive: () => Promise.reject(new Error("no bucket")) }, async (store) => {
        await fill(store);
        await expect(store.forgetEnded?.(BEFORE, always)).rejects.toThrow("no bucket");
        expect([(await kept(store)).length, (await rowsOf(store)).length]).toEqual([12, 5]);
      }));

    it("decision WE: an archive that never answers is given up, and nothing is deleted", () =>
      at({}, async (store, { schema }) => {
        await fill(store);
        const database = places.database(schema);
        const owner = new Owner();
        owner.take(new Map([[SHARD, 1]]));
        const silent = () => new Promise<never>(() => undefined);
        const { forgetEnded } = journalLifetime(
          { database, owner, readSnapshot: store.readSnapshot, answerTimeoutMs: 5 },
          { forget: true, archive: silent },
        );
        await expect(forgetEnded?.(BEFORE, always)).rejects.toThrow(
          "journal.archive has not answered for 5 ms",
        );
        await database.close();
        expect([(await kept(store)).length, (await rowsOf(store)).length]).toEqual([12, 5]);
      }));

    it("an order that a late fill replaces between the read and the deletion stays whole, the others leave", () => {
      let late: (() => Promise<unknown>) | undefined;
      const archive = async (): Promise<void> => void (await late?.());
      return at({ forget: true, archive }, async (store) => {
        await fill(store);
        late = async () => {
          late = undefined;
          const record = {
            ...sampleRecord(SHARD, 13),
            changes: [{ orderId: idOf(1), previous: 7, facts: [] }],
          };
          const shards = [part(SHARD, 1, { records: [record], ended: [ended(1, 13)] })];
          await store.append({ shards });
        };
        await store.forgetEnded?.(BEFORE, always);
        expect(await kept(store)).toEqual([1, 2, 5, 6, 7, 10, 12, 13]);
        expect(await rowsOf(store)).toEqual([idOf(1), idOf(6)]);
      });
    });

    it("a list of which a leg is replaced between the read and the deletion stays with all its legs", () => {
      let late: (() => Promise<unknown>) | undefined;
      const archive = async (records: readonly LeavingRecord[]): Promise<void> =>
        void (records.some(({ sequence }) => sequence === 11) && (await late?.()));
      return at({ forget: true, archive }, async (store) => {
        await fill(store);
        const [leg] = await store.readEnded({ shard: SHARD, afterOrderId: idOf(4) + 1, limit: 1 });
        late = async () => {
          const record = {
            ...sampleRecord(SHARD, 13),
            changes: [{ orderId: idOf(4), previous: 11, facts: [] }],
          };
          const rows = leg === undefined ? [] : [{ ...leg, lastSequence: 13 }];
          await store.append({ shards: [part(SHARD, 1, { records: [record], ended: rows })] });
        };
        await store.forgetEnded?.(BEFORE, always);
        expect(await kept(store)).toEqual([2, 4, 9, 10, 11, 12, 13]);
        expect(await rowsOf(store)).toEqual([idOf(4), idOf(5), idOf(6)]);
        expect(await store.pageEndedLists({ accountId: 1, limit: 9 })).toHaveLength(1);
      });
    });

    it("I60: a takeover between the read and the deletion makes it delete nothing", () => {
      let later: PostgresStore | undefined;
      const archive = async (): Promise<void> => void (await later?.acquire());
      return at({ forget: true, archive }, async (store, place) => {
        await fill(store);
        later = await open(place);
        await expect(store.forgetEnded?.(BEFORE, always)).rejects.toThrow(
          "I60: shard 3 belongs to a later owner",
        );
        expect([(await kept(store)).length, (await rowsOf(store)).length]).toEqual([12, 5]);
        await later.close();
      });
    });

    it("I53: an order with a damaged record or row stays and is reported; the others leave", () =>
      at({ forget: true }, async (store, { schema }) => {
        await fill(store);
        await places.execute(
          `UPDATE ${schema}.journal SET record = replace(record, 'PLACE', 'PLAICE') WHERE sequence = 5`,
        );
        await expect(store.forgetEnded?.(BEFORE, always)).rejects.toThrow("record 5 of shard 3");
        expect(await rowsOf(store)).toEqual([idOf(1), idOf(6)]);
        await places.execute(`UPDATE ${schema}.ended SET record = '{' WHERE order_id = ${idOf(1)}`);
        await expect(store.forgetEnded?.(BEFORE, always)).rejects.toThrow("I53");
      }));
  });

  describe("decision XA: leftovers", () => {
    it("a store without the option has no such method, and the records of rows that it deletes leave once the option is set", () =>
      at({}, async (store, place) => {
        await fill(store);
        expect(store.forgetEnded).toBeUndefined();
        await store.deleteEnded({ ...BEFORE, limit: 100 });
        expect(await kept(store)).toHaveLength(12);
        const next = await open(place);
        await next.acquire();
        await next.forgetEnded?.(BEFORE, always);
        expect(await kept(next)).toEqual([2, 10, 12]);
        expect(await leftovers(place)).toEqual([]);
        await next.close();
      }));

    it("I53: a damaged record of one shard is reported, and the leftovers of later shards leave", () =>
      at({}, async (store, place) => {
        await fill(store);
        const records = [sampleRecord(2, 1), sampleRecord(2, 2)];
        await store.append({ shards: [part(2, 1, { records, ended: [endedOrder({ orderId: -258 })] })] });
        await store.writeSnapshot({ shard: 2, sequence: 2, counter: 9, parents: [] });
        await store.deleteEnded({ ...BEFORE, limit: 100 });
        await places.execute(
          `UPDATE ${place.schema}.journal SET record = '{' WHERE shard = 2 AND sequence = 1`,
        );
        const next = await open(place);
        await next.acquire();
        await expect(next.forgetEnded?.(BEFORE, always)).rejects.toThrow("record 1 of shard 2");
        expect(await kept(next)).toEqual([2, 10, 12]);
        expect(await leftovers(place)).toEqual([]);
        await next.close();
      }));

    it("those above the snapshot leave when a later snapshot has passed them", () =>
      at({ forget: true }, async (store, place) => {
        await store.acquire();
        const { records } = recordsOf([[1], [1], [1], [2]]);
        await store.append({ shards: [part(SHARD, 1, { records, ended: [ended(1, 3)] })] });
        await store.writeSnapshot({ shard: SHARD, sequence: 2, counter: 9, parents: [] });
        await store.deleteEnded({ ...BEFORE, limit: 100 });
        await store.forgetEnded?.(BEFORE, always);
        expect(await kept(store)).toEqual([2, 3, 4]);
        expect(await leftovers(place)).toEqual(["4"]);
        const after = { ...sampleRecord(SHARD, 5), changes: [{ orderId: idOf(2), previous: 4, facts: [] }] };
        await store.append({ shards: [part(SHARD, 1, { records: [after] })] });
        const parents = [{ ...openOrder({ orderId: idOf(2) }), lastSequence: 4 }];
        await store.writeSnapshot({ shard: SHARD, sequence: 5, counter: 9, parents });
        await store.forgetEnded?.(BEFORE, always);
        expect([await kept(store), await leftovers(place)]).toEqual([[4, 5], []]);
      }));

    it("an order with many records loses its row first; a stop between any two steps loses nothing", () =>
      at({ forget: true }, async (store) => {
        await fill(store, 1_100);
        for (let stops = 0; stops < 12; stops++) {
          await store.forgetEnded?.(BEFORE, () => false);
          const there = await kept(store);
          expect(there, "kept orders are whole").toEqual(expect.arrayContaining([2, there.at(-1)]));
          const { forgotten = 0 } = await store.head(SHARD);
          const first = there.find((sequence) => sequence > 2) ?? 0;
          expect(forgotten, "every missing record is at or below").toBeGreaterThanOrEqual(
            first > 1_100 ? 0 : first - 1,
          );
        }
        await store.forgetEnded?.(BEFORE, always);
        expect(await kept(store)).toHaveLength(3);
      }));
  });
}
