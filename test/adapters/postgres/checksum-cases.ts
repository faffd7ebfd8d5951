import { describe, expect, it } from "vitest";
import { openPostgresStore, type PostgresStore } from "../../../src/adapters/postgres/index.ts";
import { fill, READS } from "../stored-rows.ts";
import type { Places } from "./places.ts";

/** Declares the tests of the sums of rows. */
export function checksumCases(places: Places): void {
  const filled = async (test: (store: PostgresStore, schema: string) => Promise<void>): Promise<void> => {
    const { options, schema, remove } = places.create();
    const store = await openPostgresStore(options);
    await fill(store);
    await test(store, schema);
    await store.close();
    await remove();
  };

  describe("decision XB: a row that differs from what was written is refused by name", () => {
    it.each<[what: string, sql: string, read: keyof typeof READS]>([
      [
        "journal record 2 of shard 3",
        "UPDATE SCHEMA.journal SET record = replace(record, '1002', '1003')",
        "records",
      ],
      [
        "journal record 1 of shard 3",
        "UPDATE SCHEMA.journal AS j SET record = o.record, checksum = o.checksum FROM SCHEMA.journal AS o WHERE j.sequence = 1 AND o.sequence = 2",
        "records",
      ],
      ["the snapshot of shard 3", "UPDATE SCHEMA.snapshot SET counter = 8", "snapshot"],
      ["the snapshot of shard 3", "UPDATE SCHEMA.snapshot SET sequence = 1", "snapshot"],
      [
        "the snapshot of shard 3",
        "UPDATE SCHEMA.snapshot_part SET parents = replace(parents, 'SELL', 'BUY')",
        "snapshot",
      ],
      [
        "parent order -259",
        "UPDATE SCHEMA.ended SET record = replace(record, 'CANCELED', 'FILLED')",
        "ended",
      ],
      ["parent order -259", "UPDATE SCHEMA.ended SET record = '{'", "ended"],
      ["parent order -259", "UPDATE SCHEMA.ended SET account_id = 2", "byAccount"],
      ["ended list -2560", "UPDATE SCHEMA.ended_list SET legs = '-2816,-3328'", "lists"],
      ["ended list -2560", "UPDATE SCHEMA.ended_list SET ended_at_ms = ended_at_ms + 1", "lists"],
      ["mark 1 of BTC/USD bid in shard 3", "UPDATE SCHEMA.mark SET price = price + 1", "marks"],
      ["the last quote of BTC/USD", "UPDATE SCHEMA.quote SET time_ms = 6", "quotes"],
      ["print p1 of BTC/USD", "UPDATE SCHEMA.print SET quantity = quantity + 1", "volume"],
    ])("%s, after %s", (what, sql, read) =>
      filled(async (store, schema) => {
        await READS[read](store);
        await places.execute(sql.replaceAll("SCHEMA", schema));
        await expect(READS[read](store)).rejects.toThrow(
          `I53: ${what} cannot be read: its checksum does not match, so it changed after it was written; restore the database from a backup`,
        );
      }),
    );
  });
}
