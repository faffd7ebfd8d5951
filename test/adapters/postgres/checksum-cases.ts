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

  describe("a row that differs from what was written is refused by name", () => {
    it.each<[what: string, sql: string, read: keyof typeof READS]>([
      [
        'the row "log 003 0000000000000002"',
        "UPDATE SCHEMA.log SET value = replace(value, '1002', '1003') WHERE key LIKE 'log 003 %'",
        "records",
      ],
      [
        'the row "log 003 0000000000000001"',
        "UPDATE SCHEMA.log AS j SET value = o.value FROM SCHEMA.log AS o WHERE j.key = 'log 003 0000000000000001' AND o.key = 'log 003 0000000000000002'",
        "records",
      ],
      [
        'the row "snapshot 003"',
        "UPDATE SCHEMA.entry SET value = value || '0' WHERE key = 'snapshot 003' AND value IS NOT NULL",
        "snapshot",
      ],
      [
        'the row "snap 003 ',
        "UPDATE SCHEMA.entry SET value = replace(value, 'SELL', 'BUY') WHERE key LIKE 'snap 003 %'",
        "snapshot",
      ],
      [
        'the row "ended 0000000000000001 0000000000000259"',
        "UPDATE SCHEMA.entry SET value = replace(value, 'CANCELED', 'FILLED') WHERE key LIKE 'ended %'",
        "ended",
      ],
      [
        'the row "ended 0000000000000001 0000000000000259"',
        "UPDATE SCHEMA.entry SET value = '{' WHERE key LIKE 'ended %'",
        "ended",
      ],
      [
        'the row "list ',
        "UPDATE SCHEMA.entry SET value = replace(value, '2816', '2817') WHERE key LIKE 'list %'",
        "lists",
      ],
      [
        'the row "mark 003 BTC/USD bid ',
        "UPDATE SCHEMA.entry SET value = replace(value, '[', '[1') WHERE key LIKE 'mark %'",
        "marks",
      ],
      [
        'the row "quote BTC/USD"',
        "UPDATE SCHEMA.entry SET value = replace(value, ']', '6]') WHERE key LIKE 'quote %'",
        "quotes",
      ],
      [
        'the row "total BTC/USD"',
        "UPDATE SCHEMA.entry SET value = value || '0' WHERE key LIKE 'total %' AND value IS NOT NULL",
        "volume",
      ],
    ])("%s, after %s", (what, sql, read) =>
      filled(async (store, schema) => {
        await READS[read](store);
        await places.execute(sql.replaceAll("SCHEMA", schema));
        const refusal: unknown = await Promise.resolve(READS[read](store)).catch((error: unknown) => error);
        expect(String(refusal)).toContain(`I53: ${what}`);
        expect(String(refusal)).toContain(
          "cannot be read: its checksum does not match, so it changed after it was written; restore the database from a backup",
        );
      }),
    );
  });
}
