import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  backupSqliteStore,
  openSqliteStore,
  restoreSqliteStore,
  verifySqliteStore,
} from "../../../src/adapters/sqlite/index.ts";
import { endedOrder, part, sampleRecords } from "../../store/rules/samples.ts";
import { canBackUp, executeOn, type TemporaryPlace, temporaryPlace } from "./temporary-place.ts";

let place: TemporaryPlace;
let backup = "";
beforeEach(async () => {
  place = temporaryPlace();
  backup = join(place.directory, "backup.db");
  const store = openSqliteStore({ path: place.path });
  await store.acquire();
  const ended = [endedOrder({ orderId: -771 })];
  await store.append({
    shards: [part(3, 1, { records: sampleRecords(3, 1, 20), ended })],
  });
  await store.writeSnapshot({
    shard: 3,
    sequence: 10,
    counter: 9,
    parents: [],
  });
  // Brings the index up to date; the last record waits for it.
  await store.acquire();
  await store.append({
    shards: [part(3, 2, { records: sampleRecords(3, 21, 21) })],
  });
  await backupSqliteStore({ path: place.path, to: backup });
  await store.close();
});
afterEach(() => place.remove());

const DAMAGES: readonly (readonly [what: string, sql: string, found: RegExp])[] = [
  ["a record", "UPDATE journal SET record = replace(record, 'PLACE', 'PLACX')", /checksum does not match/],
  ["a lost record", "DELETE FROM journal WHERE sequence = 7", /names 1 records that are not stored/],
  ["an ended order", "UPDATE ended SET record = replace(record, 'BTC', 'BTX')", /checksum does not match/],
  ["a shard of an ended order", "UPDATE ended SET shard = 300", /ended orders of account 1 is wrong by 1/],
  ["a number of ended orders", "UPDATE ended_counts SET rows = 7", /ended orders of account 1 is wrong by 6/],
  ["a snapshot", "UPDATE snapshots SET counter = 8", /checksum does not match/],
  [
    "a lost snapshot of a shard of which records have left",
    "DELETE FROM snapshots; UPDATE shards SET forgotten = 5 WHERE shard = 3",
    /records up to 5 of shard 3 have left, and its snapshot ends with record 0/,
  ],
  [
    "a mark of records that have left",
    "UPDATE shards SET forgotten = 15 WHERE shard = 3",
    /records up to 15 of shard 3 have left, and its snapshot ends with record 10/,
  ],
  ["a lost index entry", "DELETE FROM journal_index WHERE sequence = 7", /index of the journal is wrong/],
  [
    "an index entry",
    "UPDATE journal_index SET position = 3 WHERE sequence = 7",
    /index of the journal is wrong/,
  ],
  ["the end of the index", "UPDATE state SET value = 99 WHERE name = 'indexed'", /ahead of the journal/],
  ["a head", "UPDATE shards SET sequence = 20 WHERE shard = 3", /ends with record 21 instead of record 20/],
  ["a huge head", "UPDATE shards SET sequence = 8589934592 WHERE shard = 3", /instead of record 8589934592/],
  ["a lost shard", "DELETE FROM shards WHERE shard = 200", /255 shards instead of 256/],
];

describe.runIf(canBackUp)("decisions TC and TE: damage in a backup", () => {
  it("is none without damage", async () => {
    expect(await verifySqliteStore({ path: backup })).toMatchObject({
      whole: true,
      records: 21,
    });
    await restoreSqliteStore({
      from: backup,
      path: join(place.directory, "restored.db"),
    });
  });

  it.each(DAMAGES)("is found in %s, and such a backup is not restored", async (_, sql, text) => {
    const bad = join(place.directory, "bad.db");
    const restored = join(place.directory, "restored.db");
    copyFileSync(backup, bad);
    executeOn(bad, sql);
    const found = await verifySqliteStore({ path: bad });
    expect(found.whole).toBe(false);
    expect(found.problemTexts.join("\n")).toMatch(text);
    await expect(restoreSqliteStore({ from: bad, path: restored })).rejects.toMatchObject({
      message: expect.stringContaining("bad.db is damaged"),
      code: "STORE_FILE",
    });
    expect(existsSync(restored)).toBe(false);
  });
});
