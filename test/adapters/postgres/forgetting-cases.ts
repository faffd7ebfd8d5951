import { describe, expect, it } from "vitest";
import {
  type LeavingRecord,
  openPostgresStore,
  type PostgresJournalOptions,
  type PostgresStore,
} from "../../../src/adapters/postgres/index.ts";
import { recordKey } from "../../../src/store/internal.ts";
import { part, sampleRecord } from "../../store/rules/samples.ts";
import { always, BEFORE, ended, fill, idOf, SHARD, stored } from "../forgetting-samples.ts";
import type { Place, Places } from "./places.ts";

const open = (
  { options }: Place,
  journal: PostgresJournalOptions = { prune: true },
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

  describe("records leave with their orders", () => {
    it("the archive has the text of every record before it is deleted", () => {
      const archived = new Map<number, string>();
      const archive: PostgresJournalOptions["archive"] = async (records) => {
        for (const { shard, sequence, text } of records) archived.set(sequence, `${shard} ${text}`);
      };
      return at({ prune: true, archive }, async (store) => {
        await fill(store);
        const records = await store.readRecords({ shard: SHARD, after: 0, limit: 99 });
        await store.pruneEnded?.(BEFORE, always);
        expect(await stored(store)).toEqual([2, 10, 12]);
        expect([...archived.keys()].sort((a, b) => a - b)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 11]);
        for (const [sequence, text] of archived)
          expect(JSON.parse(text.slice(2))).toMatchObject({ record: { shard: SHARD, sequence } });
        expect(records).toHaveLength(12);
      });
    });

    it("nothing is deleted if the archive rejects", () =>
      at({ prune: true, archive: () => Promise.reject(new Error("no bucket")) }, async (store) => {
        await fill(store);
        await expect(store.pruneEnded?.(BEFORE, always)).rejects.toThrow("no bucket");
        expect([(await stored(store)).length, (await rowsOf(store)).length]).toEqual([12, 5]);
      }));

    it("an archive that never answers is given up, and nothing is deleted", () =>
      at({ prune: true }, async (store, place) => {
        await fill(store);
        const silent = () => new Promise<never>(() => undefined);
        const impatient = await openPostgresStore({
          ...place.options,
          answerTimeoutMs: 2_000,
          journal: { prune: true, archive: silent },
        });
        await impatient.acquire();
        await expect(impatient.pruneEnded?.(BEFORE, always)).rejects.toThrow(
          "journal.archive has not answered for 2000 ms",
        );
        await impatient.close();
        expect([(await stored(store)).length, (await rowsOf(store)).length]).toEqual([12, 5]);
      }));

    it("an order that a late fill replaces between the read and the deletion stays whole, the others leave", () => {
      let late: (() => Promise<unknown>) | undefined;
      const archive = async (): Promise<void> => void (await late?.());
      return at({ prune: true, archive }, async (store) => {
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
        await store.pruneEnded?.(BEFORE, always);
        expect(await stored(store)).toEqual([1, 2, 5, 6, 7, 10, 12, 13]);
        expect(await rowsOf(store)).toEqual([idOf(1), idOf(6)]);
      });
    });

    it("a list of which a leg is replaced between the read and the deletion stays with all its legs", () => {
      let late: (() => Promise<unknown>) | undefined;
      const archive = async (records: readonly LeavingRecord[]): Promise<void> =>
        void (records.some(({ sequence }) => sequence === 11) && (await late?.()));
      return at({ prune: true, archive }, async (store) => {
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
        await store.pruneEnded?.(BEFORE, always);
        expect(await stored(store)).toEqual([2, 4, 9, 10, 11, 12, 13]);
        expect(await rowsOf(store)).toEqual([idOf(4), idOf(5), idOf(6)]);
        expect(await store.pageEndedLists({ accountId: 1, limit: 9 })).toHaveLength(1);
      });
    });

    it("I60: a takeover between the read and the deletion makes it delete nothing", () => {
      let later: PostgresStore | undefined;
      const archive = async (): Promise<void> => void (await later?.acquire());
      return at({ prune: true, archive }, async (store, place) => {
        await fill(store);
        later = await open(place);
        await expect(store.pruneEnded?.(BEFORE, always)).rejects.toThrow(
          "I60: every shard belongs to a later owner",
        );
        expect([(await stored(store)).length, (await rowsOf(store)).length]).toEqual([12, 5]);
        await later.close();
      });
    });

    it("I53: an order with a damaged record or row stays and is reported; the others leave", () =>
      at({ prune: true }, async (store, { schema }) => {
        await fill(store);
        await places.execute(
          `UPDATE ${schema}.log SET value = replace(value, 'PLACE', 'PLAICE') WHERE key = '${recordKey(SHARD, 5)}'`,
        );
        await expect(store.pruneEnded?.(BEFORE, always)).rejects.toThrow(recordKey(SHARD, 5));
        expect(await rowsOf(store)).toEqual([idOf(1), idOf(6)]);
        await places.execute(`UPDATE ${schema}.entry SET value = '{' WHERE key LIKE 'ended % %${-idOf(1)}'`);
        await expect(store.pruneEnded?.(BEFORE, always)).rejects.toThrow("I53");
      }));
  });

  describe("what is left after records left", () => {
    it("a store without the option has no such method", () =>
      at({}, (store) => expect(store.pruneEnded).toBeUndefined()));

    it("an order with many records loses the oldest first; a stop between any two steps loses nothing", () =>
      at({ prune: true }, async (store) => {
        await fill(store, 1_100);
        for (let stops = 0; stops < 12; stops++) {
          await store.pruneEnded?.(BEFORE, () => false);
          const there = await stored(store);
          expect(there, "kept orders are whole").toEqual(expect.arrayContaining([2, there.at(-1)]));
          const { forgotten = 0 } = await store.head(SHARD);
          const first = there.find((sequence) => sequence > 2) ?? 0;
          expect(forgotten, "every missing record is at or below").toBeGreaterThanOrEqual(
            first > 1_100 ? 0 : first - 1,
          );
        }
        await store.pruneEnded?.(BEFORE, always);
        expect(await stored(store)).toHaveLength(3);
      }));
  });
}
